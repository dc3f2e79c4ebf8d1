/**
 * How far rows may be out of order by a precision: never by more than equal steps of the range, nor
 * by more than leading bits of the range of words. Both are asserted of random ranges.
 */

import { ARRAY_CLASSES, runSeed, sample } from '@keysweep/conformance/data';
import { assertSameBits } from '@keysweep/conformance/verify';
import { type KeyArray, keysToWords, keyTransform, traitsOf } from '@keysweep/core';
import { argsort } from 'keysweep';
import { argsortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../../tools/test/draw-tests.js';
import { testRandom } from '../../../../tools/test/random.js';

drawTests(1 / 2);

const SEED = runSeed();
const random = testRandom();

/** Few rows; of 32-bit keys also as many as the CPU counts. */
const lengthsFor = (keys: KeyArray): number[] =>
  keys.BYTES_PER_ELEMENT === 4 ? [3000, 140_000] : [3000];

const isFloat = (keys: KeyArray): boolean => traitsOf(keys).kind === 'float';

/** Ranges across zero, on one side of it, within and around a power of two, tiny and huge. */
function rangesOf(keys: KeyArray): readonly (readonly [least: number, most: number])[] {
  const { bits, kind } = traitsOf(keys);
  const scale = 2 ** (random.below(20) - 10);
  const [a, b] = [random.unit() * scale, (1 + random.unit()) * scale];
  if (kind !== 'float') {
    const most = 2 ** Math.min(53, bits - 1) - 1;
    const low = kind === 'signed' ? -most : 0;
    const odd = Math.floor(most * (0.5 + random.unit() / 2));
    return [
      [low, most],
      [Math.floor(most / 3), odd],
      [low, low + (odd >> 3)],
    ];
  }
  const huge = { 16: 60_000, 32: 3.4e38, 64: 8e307 }[bits as 16 | 32 | 64];
  const tiny = { 16: 2 ** -20, 32: 2 ** -140, 64: 2 ** -1060 }[bits as 16 | 32 | 64];
  return [
    [-16, 16],
    [0.1, 1000],
    [0, 1],
    [a, b],
    [-b, -a],
    [-a, b],
    [1.5, 1.5 + 2 ** -9],
    [2 - 2 ** -9, 2 + 2 ** -9],
    [-huge, huge],
    [0, huge],
    [-tiny, tiny],
  ];
}

function keysIn(keys: KeyArray, [least, most]: readonly [number, number]): KeyArray {
  const isWhole = !isFloat(keys);
  for (let i = 0; i < keys.length; i++) {
    // Evenly by value, or by magnitude near one end.
    const part = (i & 1) === 0 ? random.unit() : 2 ** -random.below(40);
    const key = least + (most - least) * part;
    keys[i] = (
      typeof keys[0] === 'bigint' ? BigInt(Math.trunc(key)) : isWhole ? Math.trunc(key) : key
    ) as never;
  }
  return keys;
}

/** The words of keys, in key order; one for all NaNs. */
function wordsOf(keys: KeyArray): readonly bigint[] {
  const traits = traitsOf(keys);
  const { ceiling } = keyTransform(traits.keyType);
  const words = keysToWords(keys, traits);
  return Array.from({ length: keys.length }, (_, row) => {
    const [low, high] = traits.bits === 64 ? [2 * row, 2 * row + 1] : [row, -1];
    const word = BigInt(words[low] as number) | (BigInt(words[high] ?? 0) << 32n);
    return word < ceiling ? word : ceiling;
  });
}

/** Where rows are out of order by more than leading bits of their words: -1 if nowhere. */
function falls(codes: readonly bigint[], rows: Uint32Array): number {
  return rows.findIndex(
    (row, i) => i > 0 && (codes[row] as bigint) < (codes[rows[i - 1] as number] as bigint),
  );
}

function codesOf(keys: KeyArray, precision: number): bigint[] {
  const words = wordsOf(keys);
  let [least, most] = [words[0] as bigint, words[0] as bigint];
  for (const word of words) {
    if (word < least) least = word;
    if (word > most) most = word;
  }
  const shift = BigInt(Math.max(0, (most - least).toString(2).length - precision));
  return words.map((word) => (word - least) >> shift);
}

/** By how many steps of the range the farthest row is out of order; of finite keys. */
function stepsOff(keys: KeyArray, rows: Uint32Array, precision: number): number {
  const values = Array.from(rows, (row) => keys[row] as number | bigint);
  if (typeof values[0] === 'bigint') {
    const all = values as bigint[];
    let [least, top, off] = [all[0] as bigint, all[0] as bigint, 0n];
    for (const value of all) {
      if (value < least) least = value;
      if (value > top) top = value;
      if (top - value > off) off = top - value;
    }
    return off === 0n ? 0 : Number(off << BigInt(precision)) / Number(top - least);
  }
  const numbers = (values as number[]).filter(Number.isFinite);
  // The distance of two doubles may be more than a double holds.
  const isHuge = numbers.some((value) => Math.abs(value) > 1e300);
  const finite = isHuge ? numbers.map((value) => value / 4) : numbers;
  let [least, most, off] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const value of finite) {
    least = Math.min(least, value);
    most = Math.max(most, value);
    off = Math.max(off, most - value);
  }
  return off === 0 ? 0 : (off / (most - least)) * 2 ** precision;
}

describe(`argsort by a precision (KEYSWEEP_SEED=${SEED})`, () => {
  it.each(ARRAY_CLASSES)('$name: rows are in order but for a step of the range', async (kind) => {
    for (const length of lengthsFor(kind.create(1))) {
      for (const range of sample(rangesOf(kind.create(1)), length > 3000 ? 2 : 4)) {
        const keys = keysIn(kind.create(length), range);
        for (const precision of [16, 24] as const) {
          if (precision === 24 && length > 3000) continue;
          const codes = codesOf(keys, precision);
          const order = random.below(2) === 0 ? 'ascending' : 'descending';
          const options = { precision, order } as const;
          for (const rows of [
            argsortSync(keys, options),
            await argsort(keys, options),
            argsortSync({ keys }, options),
          ]) {
            const rising = order === 'ascending' ? rows : rows.toReversed();
            const what = `${range}, ${length} rows, ${precision} bits, ${order}`;
            expect(falls(codes, rising), what).toBe(-1);
            expect(stepsOff(keys, rising, precision), what).toBeLessThanOrEqual(1 + 2 ** -40);
            assertSameBits(what, rows.slice().sort(), Uint32Array.from(keys.keys()));
          }
        }
      }
    }
  });

  it.each(ARRAY_CLASSES.filter(({ create }) => isFloat(create(1))))(
    '$name: infinities and NaNs do not widen the steps between numbers',
    async ({ create }) => {
      const special = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const length of lengthsFor(create(1))) {
        for (const range of [
          [-16, 16],
          [1.5, 1.5 + 2 ** -9],
        ] as const) {
          const keys = keysIn(create(length), range);
          const chosen = special.filter(() => random.below(2) === 0);
          for (const key of chosen.length === 0 ? special : chosen) {
            for (let i = 0; i < 5; i++) keys[random.below(length)] = key as never;
          }
          const classOf = (row: number): number => {
            const key = keys[row] as number;
            return Number.isNaN(key)
              ? 3
              : key === Number.POSITIVE_INFINITY
                ? 2
                : Number.isFinite(key)
                  ? 1
                  : 0;
          };
          for (const rows of [
            argsortSync(keys, { precision: 16 }),
            await argsort(keys, { precision: 16 }),
            argsortSync({ keys }, { precision: 16 }),
          ]) {
            expect(falls(codesOf(keys, 16), rows)).toBe(-1);
            expect(stepsOff(keys, rows, 16)).toBeLessThanOrEqual(1 + 2 ** -40);
            const classes = Array.from(rows, classOf);
            expect(classes.every((c, i) => i === 0 || c >= (classes[i - 1] as number))).toBe(true);
          }
        }
      }
    },
  );
});
