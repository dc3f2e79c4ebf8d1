/** Random columns of every key type, and files opened from memory. */

import { classOf, fillUniform, Random } from '@keysweep/conformance/data';
import type { KeyType, TypedArray } from '@keysweep/core';
import {
  bytesSource,
  type Format,
  openTable,
  type StoredTable,
  type Table,
  type TableFormat,
} from '../src/index.js';

export const hasFloat16: boolean = 'Float16Array' in globalThis;

/** `length` values over the whole range of the type, without NaNs. */
export function randomColumn(keyType: KeyType, length: number, seed: number): TypedArray {
  return fillUniform(classOf(keyType).create(length), new Random(seed));
}

/** The table in `bytes`, which messages call 'in'. */
export function tableIn(bytes: Uint8Array, how: TableFormat): Promise<StoredTable>;
export function tableIn(bytes: Uint8Array, how: Format): Promise<Table>;
export function tableIn(bytes: Uint8Array, how: Format): Promise<Table> {
  return openTable(bytesSource("'in'", new Uint8Array(bytes)), how);
}
