/** Raw little-endian values. */

import type { KeyArray, KeyType } from 'keysweep';
import { arrayClassOf, KEY_TYPES } from '../keys.js';
import type { Table } from './table.js';

export async function openRaw(file: File, keyType: KeyType): Promise<Table> {
  const { arrayName, bits } = KEY_TYPES[keyType];
  const remainder = file.size % (bits / 8);
  if (remainder !== 0) {
    throw new Error(
      `its ${file.size} bytes are no multiple of the ${bits / 8} bytes of a value of ${arrayName}`,
    );
  }
  const rows = file.size / (bits / 8);
  return {
    columns: [{ name: 'values', type: arrayName, keyType, rows }],
    read: async () =>
      new (arrayClassOf(keyType))(await file.arrayBuffer(), 0, rows) satisfies KeyArray,
  };
}
