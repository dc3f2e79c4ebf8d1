/** Columns of numbers of an Arrow file, in the file or the stream format. */

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
import type { KeyArray, KeyType } from 'keysweep';
import { arrayClassOf, bytesOf, isKeyType } from '../keys.js';
import { type Column, nullMessage, type Table } from './table.js';

export async function openArrow(file: File): Promise<Table> {
  // A copy, because numbers are read in place and have to start at a multiple of their width.
  compressionRegistry.set(CompressionType.ZSTD, { decode: (data) => decompressZstd(data).slice() });
  const table = tableFromIPC(new Uint8Array(await file.arrayBuffer()));
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
      const i = columns.findIndex((column) => column.name === name);
      const keyType = columns[i]?.keyType;
      if (keyType === undefined) throw new Error(`column ${name} has no numbers`);
      return gather(name, keyType, table.getChildAt(i) as Vector);
    },
  };
}

/** The key type with the bits and the order of an Arrow type: dates and times are the integers that they are stored as. */
function keyTypeOf(type: DataType): KeyType | undefined {
  if (DataType.isInt(type)) {
    const name = `${type.isSigned ? 'i' : 'u'}${type.bitWidth}`;
    return isKeyType(name) ? name : undefined;
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
function gather(name: string, keyType: KeyType, vector: Vector): KeyArray {
  const keys = new (arrayClassOf(keyType))(vector.length);
  const bytes = bytesOf(keys);
  let start = 0;
  for (const data of vector.data) {
    if (data.nullCount > 0) {
      let row = 0;
      while (data.getValid(row)) row++;
      throw new Error(nullMessage(name, start + row));
    }
    // Buffers in the file may be padded beyond the last value.
    const values = (data.values as KeyArray).subarray(0, data.length) as KeyArray;
    bytes.set(bytesOf(values), start * keys.BYTES_PER_ELEMENT);
    start += data.length;
  }
  return keys;
}
