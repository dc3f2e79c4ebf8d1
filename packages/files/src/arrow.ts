/** Numeric columns of an Arrow file, in the file or the stream format. */

import { KEY_TYPES, type KeyArray, type KeyType } from '@keysweep/core';
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
import { bytesOf, keyArrayClass } from './keys.js';
import type { ByteSource } from './source.js';
import { type Column, findColumn, nullError, type OnProgress, type Table } from './table.js';

/** Reads the whole file; a column is copied when it is read. */
export async function openArrow(source: ByteSource, onProgress?: OnProgress): Promise<Table> {
  const { name: file, size } = source;
  const bytes = await source.read(0, size, (completed) =>
    onProgress?.({ completed, total: size, unit: 'bytes' }),
  );
  registerCodecs();
  const table = tableFromIPC(bytes);
  const columns = table.schema.fields.map(
    ({ name, type }): Column => ({
      name,
      type: String(type),
      keyType: keyTypeOf(type),
      rows: table.numRows,
    }),
  );
  return {
    columns,
    async read(name) {
      const column = findColumn(file, columns, name);
      const vector = table.getChildAt(columns.indexOf(column)) as Vector;
      return gather(file, name, column.keyType, vector);
    },
  };
}

/** Lets the library read buffers compressed with ZSTD, and name the compression it cannot read. */
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
  if (DataType.isInt(type)) {
    const name = `${type.isSigned ? 'i' : 'u'}${type.bitWidth}`;
    return KEY_TYPES.find((keyType) => keyType === name);
  }
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
function gather(file: string, name: string, keyType: KeyType, vector: Vector): KeyArray {
  const keys = new (keyArrayClass(keyType))(vector.length);
  const bytes = bytesOf(keys);
  let start = 0;
  for (const data of vector.data) {
    if (data.nullCount > 0) {
      let row = 0;
      while (data.getValid(row)) row++;
      throw nullError(file, name, start + row);
    }
    // Buffers in the file may be padded beyond the last value.
    const values = (data.values as KeyArray).subarray(0, data.length) as KeyArray;
    bytes.set(bytesOf(values), start * keys.BYTES_PER_ELEMENT);
    start += data.length;
  }
  return keys;
}
