/** Records of a fixed size: their keys, and their bytes in order. */

import { FileError } from './error.js';
import type { ByteSink } from './source.js';
import { takeRecords } from './stored/take.js';

/** A part of a record to sort by. */
export interface RecordKey {
  /** Its first byte in the record. */
  readonly at: number;
  /** How many bytes it has. */
  readonly bytes: number;
  /** The order of these bytes. */
  readonly order: 'ascending' | 'descending';
}

/** A column as keysweep's argsort takes it: all ascending, the first counts most. */
export type RecordColumn =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | { readonly keys: { readonly width: number; readonly bytes: Uint8Array } };

/** Up to so many bytes, keys are one or two numbers. */
const NUMBERS = 16;
/** Bytes of records that are put in order at a time. */
const PIECE = 4 << 20;

/**
 * How many records of `width` bytes a file of `size` bytes has.
 * @throws FileError where the bytes are not a whole number of records, or too many
 */
export function countRecords(name: string, size: number, width: number): number {
  const count = size / width;
  if (!Number.isInteger(count)) {
    throw new FileError(
      `${name} is truncated: its ${size} bytes are not a multiple of the ${width} bytes of one ` +
        `record (${size % width} left over)`,
    );
  }
  if (count < 2 ** 32) return count;
  throw new FileError(`${name} has ${count} records, and 4,294,967,295 are the most`);
}

/**
 * The keys of records as columns that are all ascending: the bytes of a descending key are
 * inverted. Keys of up to 16 bytes take 8 or 16 bytes a record, longer ones their own bytes.
 */
export function recordColumns(
  bytes: Uint8Array,
  width: number,
  keys: readonly RecordKey[],
): readonly RecordColumn[] {
  const parts = keys.flatMap((key) =>
    Array.from({ length: key.bytes }, (_, i) => ({
      at: key.at + i,
      flip: key.order === 'descending' ? 0xff : 0,
    })),
  );
  const count = bytes.length / width;
  if (parts.length > NUMBERS) {
    const own = new Uint8Array(count * parts.length);
    for (let record = 0, next = 0; record < count; record++) {
      for (const { at, flip } of parts) own[next++] = (bytes[record * width + at] as number) ^ flip;
    }
    return [{ keys: { width: parts.length, bytes: own } }];
  }
  const columns: RecordColumn[] = [];
  for (let from = 0; from < parts.length; from += 8) {
    columns.push(numbersOf(bytes, width, parts.slice(from, from + 8)));
  }
  return columns;
}

/** Up to 8 bytes of each record as one number, the first byte on top. */
function numbersOf(
  bytes: Uint8Array,
  width: number,
  parts: readonly { readonly at: number; readonly flip: number }[],
): RecordColumn {
  const count = bytes.length / width;
  const wordOf = (record: number, from: number, to: number): number => {
    let word = 0;
    for (let i = from; i < to; i++) {
      const { at, flip } = parts[i] as (typeof parts)[number];
      word = (word << 8) | ((bytes[record * width + at] as number) ^ flip);
    }
    return word >>> 0;
  };
  if (parts.length <= 4) {
    const numbers = new ([Uint8Array, Uint8Array, Uint16Array][parts.length] ?? Uint32Array)(count);
    for (let i = 0; i < count; i++) numbers[i] = wordOf(i, 0, parts.length);
    return numbers;
  }
  const numbers = new BigUint64Array(count);
  const words = new Uint32Array(numbers.buffer);
  const low = parts.length - 4;
  for (let i = 0; i < count; i++) {
    words[2 * i] = wordOf(i, low, parts.length);
    words[2 * i + 1] = wordOf(i, 0, low);
  }
  return numbers;
}

/** Writes the records `order`, a piece at a time; `onWritten` is told how many are written. */
export async function writeRecords(
  sink: ByteSink,
  { bytes, width }: { bytes: Uint8Array<ArrayBuffer>; width: number },
  order: Uint32Array,
  onWritten: (completed: number) => void,
): Promise<void> {
  const step = Math.max(1, Math.floor(PIECE / width));
  for (let from = 0; from < order.length; from += step) {
    const part = order.subarray(from, from + step);
    await sink.write(takeRecords(bytes, width, part));
    onWritten(from + part.length);
  }
}
