/** Columns of dictionaries: nulls beside the least and the greatest value, of rows and entries. */

import { argsortTable } from '@keysweep/arrow';
import { Dictionary, Int8, makeData, Table, Utf8, Vector, vectorFromArray } from 'apache-arrow';
import { describe, expect, it } from 'vitest';

/** A chunk of codes, of which −1 is a null, in a dictionary of its own. */
function chunkOf(codes: readonly number[], entries: readonly (string | null)[]) {
  const type = new Dictionary(new Utf8(), new Int8());
  const nullBitmap = new Uint8Array(Math.ceil(codes.length / 8));
  for (const [row, code] of codes.entries()) if (code >= 0) nullBitmap[row >> 3]! |= 1 << (row & 7);
  const nullCount = codes.filter((code) => code < 0).length;
  const dictionary = vectorFromArray([...entries], new Utf8());
  const data = Int8Array.from(codes, (code) => Math.max(code, 0));
  return makeData({ type, length: codes.length, nullCount, nullBitmap, data, dictionary });
}

const ENTRIES = ['m', 'z', 'a'];

describe('rows of a dictionary without values', () => {
  it.each([
    // The greatest value is 1, the least 2.
    ['last, behind the greatest', 'ascending', 'last', [3, 4, 1, 5, 0, 2]],
    ['last in descending order, behind the least', 'descending', 'last', [1, 5, 3, 4, 0, 2]],
    ['first, in front of the least', 'ascending', 'first', [0, 2, 3, 4, 1, 5]],
    ['first in descending order', 'descending', 'first', [0, 2, 1, 5, 3, 4]],
  ] as const)('are %s', async (_, order, nulls, expected) => {
    const codes = [-1, 1, -1, 2, 2, 1];
    // Nulls of rows, and of an entry that rows name.
    const named = codes.map((code) => (code < 0 ? 3 : code));
    for (const chunk of [chunkOf(codes, ENTRIES), chunkOf(named, [...ENTRIES, null])]) {
      const table = new Table({ key: new Vector([chunk]) });
      const rows = await argsortTable(table, [{ column: 'key', order, nulls }]);
      expect([...rows]).toEqual(expected);
    }
  });

  it('tie with each other, and values with none of them, across chunks', async () => {
    const chunks = [chunkOf([1, -1, 0], ['b', 'c']), chunkOf([0, 2, -1, 1], ['c', null, 'b'])];
    const table = new Table({ key: new Vector(chunks) });
    // c, null, b; c, b, null, null
    expect([...(await argsortTable(table, [{ column: 'key' }]))]).toEqual([2, 4, 0, 3, 1, 5, 6]);
    const first = [{ column: 'key', nulls: 'first' }] as const;
    expect([...(await argsortTable(table, first))]).toEqual([1, 5, 6, 2, 4, 0, 3]);
  });
});
