/** Random columns of every key type, and files opened from memory. */

import { Random } from '@keysweep/conformance/data';
import { KEY_TYPES, type KeyType, type TypedArray } from '@keysweep/core';
import { bytesSource, type Format, keyArrayClass, openTable, type Table } from '../src/index.js';

/** The key types that every supported runtime has. */
export type CommonType = Exclude<KeyType, 'f16'>;
export const COMMON_TYPES: CommonType[] = KEY_TYPES.filter((keyType) => keyType !== 'f16');

export const hasFloat16: boolean = 'Float16Array' in globalThis;

/** `length` values of random bits. Floats are ordinary numbers: their NaNs have many bit patterns. */
export function randomColumn(keyType: CommonType, length: number, seed: number): TypedArray {
  const random = new Random(seed);
  const column = new (keyArrayClass(keyType))(length);
  if (column instanceof Float32Array || column instanceof Float64Array) {
    for (let i = 0; i < length; i++) column[i] = (random.unit() - 0.5) * 2 ** random.below(60);
    return column;
  }
  const bytes = new Uint8Array(column.buffer);
  for (let i = 0; i < bytes.length; i++) bytes[i] = random.below(256);
  return column;
}

/** The table in `bytes`, which messages call 'in'. */
export function tableIn(bytes: Uint8Array, how: Format): Promise<Table> {
  return openTable(bytesSource("'in'", new Uint8Array(bytes)), how);
}
