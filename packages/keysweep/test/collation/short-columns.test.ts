/** Short columns with a collator, which no thread spells, and the symbols of alphabets. */

import { argsort } from 'keysweep';
import { describe, expect, it } from 'vitest';
import {
  characterOf,
  isDigit,
  isWhole,
  letterOf,
  markPartial,
} from '../../dist/collation/alphabet.js';

describe('a short column with a collator', () => {
  const collator = new Intl.Collator('en', { sensitivity: 'base' });
  // Ties by letters alone, whose rows stay in order.
  const keys = ['b', 'A', 'c', 'a', 'B', '', 'ab', 'á'];
  const rows = keys.map((_, i) => i);
  const bySpelling = (a: number, b: number): number =>
    collator.compare(keys[a] as string, keys[b] as string) || a - b;

  it('is in its order, ascending or descending', async () => {
    expect([...(await argsort([{ keys, collator }]))]).toEqual(rows.toSorted(bySpelling));
    const down = (a: number, b: number): number =>
      -collator.compare(keys[a] as string, keys[b] as string) || a - b;
    expect([...(await argsort([{ keys, collator, order: 'descending' }]))]).toEqual(
      rows.toSorted(down),
    );
  });

  it('may have nulls, which are last, or first', async () => {
    const valid = Uint8Array.of(0b1101_1110);
    const isNull = (row: number): boolean => row === 0 || row === 5;
    const present = rows.filter((row) => !isNull(row)).toSorted(bySpelling);
    expect([...(await argsort([{ keys, collator, valid }]))]).toEqual([...present, 0, 5]);
    const first = await argsort([{ keys, collator, valid, nulls: 'first' }]);
    expect([...first]).toEqual([0, 5, ...present]);
  });

  it('may be asked for some rows, or within segments', async () => {
    const indices = Uint32Array.of(7, 2, 3, 0);
    const place = (row: number): number => indices.indexOf(row);
    const expected = [...indices].toSorted(
      (a, b) => collator.compare(keys[a] as string, keys[b] as string) || place(a) - place(b),
    );
    expect([...(await argsort([{ keys, collator }], { indices }))]).toEqual(expected);
    const segments = Uint32Array.of(0, 3, 3, 5);
    const parts = [rows.slice(0, 3), rows.slice(3, 5), rows.slice(5)];
    expect([...(await argsort([{ keys, collator }], { segments }))]).toEqual(
      parts.flatMap((part) => part.toSorted(bySpelling)),
    );
  });
});

describe('symbols of an alphabet', () => {
  it('are a letter and one of its characters, of which a string may have no one', () => {
    const symbols = Uint16Array.of(0x0503, 0x0601);
    expect([...symbols].map(letterOf)).toEqual([5, 6]);
    expect([...symbols].map(characterOf)).toEqual([3, 1]);
    expect([isWhole(symbols, 0), isWhole(symbols, 1)]).toEqual([true, true]);
    markPartial(symbols, 0);
    expect([isWhole(symbols, 0), isWhole(symbols, 1)]).toEqual([false, true]);
    expect([...symbols]).toEqual([0x0500, 0x0601]);
    expect(['/', '0', '9', ':'].map((one) => isDigit(one.charCodeAt(0)))).toEqual([
      ...[false, true, true, false],
    ]);
  });
});
