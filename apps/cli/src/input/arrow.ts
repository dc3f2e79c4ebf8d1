/** Numeric columns of an Arrow file, in the file or the stream format. */

import type { KeyArray, KeyType } from '@keysweep/core';
import {
  CompressionType,
  compressionRegistry,
  DataType,
  DateUnit,
  Precision,
  tableFromIPC,
  type Vector,
} from 'apache-arrow';
import { decompressZstd } from 'hyparquet-compressors';
import { failureOf } from '../failure.js';
import { arrayClassOf, asBytes } from '../keys.js';
import { type OnRead, readBytes } from './bytes.js';
import { type Column, type ColumnField, findField, nullFailure } from './column.js';

interface ArrowField extends ColumnField {
  readonly vector: Vector;
}

/**
 * The columns called `names` of the Arrow file at `path`. Dates, times and durations are the
 * integers that they are stored as.
 * @throws Failure when the file or a column cannot be read, is not numeric or has nulls.
 */
export async function readArrow(
  path: string,
  names: readonly string[],
  onRead: OnRead,
): Promise<Column[]> {
  const bytes = await readBytes(path, onRead);
  try {
    registerCodecs();
    const table = tableFromIPC(bytes);
    const fields = table.schema.fields.map(({ name, type }, i): ArrowField => {
      const vector = table.getChildAt(i) as Vector;
      return { name, type: String(type), keyType: keyTypeOf(type), vector };
    });
    return names.map((name) => {
      const { keyType, vector } = findField(path, fields, name);
      return { name, keyType, keys: gather(path, name, keyType, vector) };
    });
  } catch (error) {
    throw failureOf(`cannot read '${path}' as Arrow`, error);
  }
}

/** Has the library read compressed buffers, or say which ones it can't read. */
function registerCodecs(): void {
  // A copy, because numbers are read in place and have to start at a multiple of their width.
  compressionRegistry.set(CompressionType.ZSTD, { decode: (data) => decompressZstd(data).slice() });
  compressionRegistry.set(CompressionType.LZ4_FRAME, {
    decode() {
      throw new Error('it is compressed with LZ4, only ZSTD or no compression can be read');
    },
  });
}

/** The key type with the bits and the order of an Arrow type. */
function keyTypeOf(type: DataType): KeyType | undefined {
  if (DataType.isInt(type)) return `${type.isSigned ? 'i' : 'u'}${type.bitWidth}`;
  if (DataType.isFloat(type)) {
    if (type.precision === Precision.HALF) return 'f16';
    return type.precision === Precision.SINGLE ? 'f32' : 'f64';
  }
  if (DataType.isDate(type)) return type.unit === DateUnit.DAY ? 'i32' : 'i64';
  if (DataType.isTime(type)) return type.bitWidth === 32 ? 'i32' : 'i64';
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) return 'i64';
  return undefined;
}

/** All chunks of a column in one array, bit for bit. */
function gather(path: string, name: string, keyType: KeyType, vector: Vector): KeyArray {
  const keys = new (arrayClassOf(keyType))(vector.length);
  const bytes = asBytes(keys);
  let start = 0;
  for (const data of vector.data) {
    if (data.nullCount > 0) {
      let row = 0;
      while (data.getValid(row)) row++;
      throw nullFailure(path, name, start + row);
    }
    // Buffers in the file may be padded beyond the last value.
    const values = (data.values as KeyArray).subarray(0, data.length) as KeyArray;
    bytes.set(asBytes(values), start * keys.BYTES_PER_ELEMENT);
    start += data.length;
  }
  return keys;
}
