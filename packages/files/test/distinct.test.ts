/** Text with few values is sorted by their ranks, and comes to the same order. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { expect, it } from 'vitest';
import { type SortKeys, type StoredColumn, sortKeysOf } from '../src/index.js';

const SEED = runSeed();
const ROWS = 40_000;

function textColumn(strings: readonly (string | null)[]): StoredColumn {
  const parts = strings.map((string) => Buffer.from(string ?? ''));
  const offsets = new Uint32Array(strings.length + 1);
  parts.forEach((part, i) => {
    offsets[i + 1] = (offsets[i] as number) + part.length;
  });
  const valid = new Uint8Array(Math.ceil(strings.length / 8));
  strings.forEach((string, i) => {
    if (string !== null) (valid[i >> 3] as number) |= 1 << (i & 7);
  });
  const bytes = Uint8Array.from(Buffer.concat(parts));
  const values = { kind: 'variable', offsets, bytes } as const;
  return {
    name: 'c',
    type: { kind: 'text' },
    isNullable: true,
    rows: strings.length,
    values,
    valid,
  };
}

/** Sorts the few values of a column, by comparing their bytes. */
async function argsort({ keys }: SortKeys): Promise<Uint32Array> {
  if (!('offsets' in keys)) throw new Error('only text is sorted');
  const { offsets } = keys;
  const bytes = Buffer.from(keys.bytes);
  const of = (row: number): Buffer => bytes.subarray(offsets[row], offsets[row + 1]);
  const rows = Array.from({ length: offsets.length - 1 }, (_, row) => row);
  return Uint32Array.from(rows.sort((a, b) => of(a).compare(of(b))));
}

it(`ranks few values, whatever they are (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const words = ['', 'a', 'a\0', 'ab', '\u00e4', 'b', 'x'.repeat(50), 'x'.repeat(51)];
  const strings = Array.from({ length: ROWS }, () =>
    random.below(9) === 0 ? null : (words[random.below(words.length)] as string),
  );
  const { keys, valid } = await sortKeysOf(textColumn(strings), argsort);
  const sorted = words.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(keys).toBeInstanceOf(Uint32Array);
  strings.forEach((string, row) => {
    const isValid = (((valid as Uint8Array)[row >> 3] as number) >> (row & 7)) & 1;
    if (isValid !== Number(string !== null))
      throw new Error(`seed ${SEED}: row ${row} is ${isValid}`);
    if (string === null) return;
    const rank = (keys as Uint32Array)[row];
    if (rank !== sorted.indexOf(string))
      throw new Error(`seed ${SEED}: row ${row} has rank ${rank}`);
  });
});

it('leaves many values, and short columns, as they are', async () => {
  const none = (): Promise<Uint32Array> => Promise.reject(new Error('nothing is to be sorted'));
  const many = Array.from({ length: ROWS }, (_, i) => `${i % 20_000}`);
  expect((await sortKeysOf(textColumn(many), none)).keys).toHaveProperty('offsets');
  const few = Array.from({ length: ROWS }, (_, i) => `${i % 7}`);
  const short = few.slice(0, 100);
  expect((await sortKeysOf(textColumn(short), none)).keys).toHaveProperty('offsets');
  expect((await sortKeysOf(textColumn(few), argsort)).keys).toHaveLength(ROWS);
});

it('ranks as many values as a dictionary may have, and not one more', async () => {
  const none = (): Promise<Uint32Array> => Promise.reject(new Error('nothing is to be sorted'));
  const texts = (values: number): string[] =>
    Array.from({ length: ROWS }, (_, row) => `${(7 * row) % values}`.padStart(5, '0'));
  const most = texts(2 ** 14);
  const { keys } = await sortKeysOf(textColumn(most), argsort);
  expect(keys).toEqual(Uint32Array.from(most, Number));
  // Whether the one that is too many comes once, at the end, or again and again.
  for (const many of [texts(2 ** 14).with(-1, 'more'), texts(2 ** 14 + 1)]) {
    expect((await sortKeysOf(textColumn(many), none)).keys).toHaveProperty('offsets');
  }
});

it('tells texts apart by any byte, though they look for one place of the table', async () => {
  // So many that differ in their last byte alone, or in the first: some are met on the way.
  const ends = Array.from({ length: 125 }, (_, i) => String.fromCharCode(1 + i));
  for (const makeText of [
    (first: string, last: string) => `${first}common${last}`,
    (first: string, last: string) => `${last}common${first}`,
  ]) {
    const distinct = ends.flatMap((first) => ends.map((last) => makeText(first, last)));
    const sorted = distinct.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const rankOf = new Map(sorted.map((text, rank) => [text, rank]));
    const strings = [...distinct, ...distinct, ...distinct];
    const { keys } = await sortKeysOf(textColumn(strings), argsort);
    expect(keys).toBeInstanceOf(Uint32Array);
    expect(strings.findIndex((text, row) => (keys as Uint32Array)[row] !== rankOf.get(text))).toBe(
      -1,
    );
  }
});
