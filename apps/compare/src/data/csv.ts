/** Columns of CSV and TSV files. */

import {
  type ByteSource,
  type Column,
  MemoryError,
  openTable,
  type TextTable,
} from '@keysweep/files';
import type { KeyArray } from 'keysweep';

/**
 * Opens a text, and reads all of its columns, because only their values tell whether they are
 * numbers. Whole numbers become Int32Array if 32 bits hold them, else BigInt64Array, and others
 * Float64Array. A column with an empty field is none of numbers.
 * @throws Error that says what is wrong with the file
 */
export async function openText(source: ByteSource, format: 'csv' | 'tsv'): Promise<TextTable> {
  const table = await openTable(source, { format });
  const numbers = new Map<string, KeyArray>();
  for (const { name } of table.columns) {
    try {
      numbers.set(name, narrowed(await table.read(name)));
    } catch (error) {
      if (error instanceof MemoryError) throw error;
    }
  }
  const columns = table.columns.map((column): Column => {
    const keys = numbers.get(column.name);
    if (keys === undefined) return column;
    if (keys instanceof Float64Array) return { ...column, type: 'numbers', keyType: 'f64' };
    const keyType = keys instanceof Int32Array ? 'i32' : 'i64';
    return { ...column, type: 'whole numbers', keyType };
  });
  const read = async (name: string): Promise<KeyArray> =>
    numbers.get(name)?.slice() ?? table.read(name);
  return { ...table, columns, read };
}

/** The runtime sorts 32-bit integers far faster than bigints: these would flatter keysweep. */
function narrowed(keys: KeyArray): KeyArray {
  if (!(keys instanceof BigInt64Array)) return keys;
  if (keys.some((key) => BigInt.asIntN(32, key) !== key)) return keys;
  return Int32Array.from(keys, Number);
}
