/** Raw values: one after the other in the machine's byte order, without a header. */

import { arrayNameOf, type KeyArray, type KeyType, keyTraits } from '@keysweep/core';
import { FileError } from './error.js';
import { bytesOf, keyArrayClass } from './keys.js';
import type { MemoryBudget, StepAccount } from './memory.js';
import type { ByteSink, ByteSource } from './source.js';
import { findColumn, type OnProgress, type Table } from './table.js';

/** Bytes handed over in one write: enough to be quick, few enough to show progress. */
const PIECE = 4 << 20;

/**
 * One column called `values`.
 * @throws FileError when the size is not a multiple of a value's, or the runtime lacks the type
 */
export function openRaw(
  source: ByteSource,
  keyType: KeyType,
  memory: MemoryBudget,
  onProgress?: OnProgress,
): Table {
  keyArrayClass(keyType);
  const { name: file, size } = source;
  const width = keyTraits(keyType).bits / 8;
  const remainder = size % width;
  if (remainder !== 0) {
    throw new FileError(
      `${file} is truncated: its ${size} bytes are not a multiple of ` +
        `the ${width} bytes of one ${keyType} value (${remainder} left over)`,
    );
  }
  return openNumbers(source, keyType, { from: 0, rows: size / width }, memory, onProgress);
}

/**
 * One column called `values`: the `rows` numbers from the byte `from` on.
 * @throws FileError where the runtime lacks the type
 */
export function openNumbers(
  source: ByteSource,
  keyType: KeyType,
  { from, rows }: { readonly from: number; readonly rows: number },
  memory: MemoryBudget,
  onProgress?: OnProgress,
): Table {
  const KeyArrayClass = keyArrayClass(keyType);
  const { name: file } = source;
  const width = keyTraits(keyType).bits / 8;
  const total = rows * width;
  const columns = [{ name: 'values', type: arrayNameOf(keyType), keyType, rows }];
  return {
    columns,
    async read(name) {
      findColumn(file, columns, name);
      const readNumbers = async (account: StepAccount): Promise<KeyArray> => {
        const bytes = await source.read(from, from + total, (completed) =>
          onProgress?.({ completed, total, unit: 'bytes' }),
        );
        account.take(total);
        const isAligned = bytes.byteOffset % width === 0;
        if (!isAligned) account.take(total);
        const { buffer, byteOffset } = isAligned ? bytes : bytes.slice();
        return new KeyArrayClass(buffer, byteOffset, rows);
      };
      return memory.column(0, { expected: total }, readNumbers, () => total);
    },
  };
}

/** Writes the values of `array` to `sink`; `onWritten` is told the bytes written and all bytes. */
export async function writeRaw(
  sink: ByteSink,
  array: KeyArray,
  onWritten: (completed: number, total: number) => void,
): Promise<void> {
  const bytes = bytesOf(array);
  for (let from = 0; from < bytes.length; from += PIECE) {
    const piece = bytes.subarray(from, from + PIECE);
    await sink.write(piece);
    onWritten(from + piece.length, bytes.length);
  }
}
