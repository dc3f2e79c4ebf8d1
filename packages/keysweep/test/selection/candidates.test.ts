/** Rows that are enough: few of them, and never a sort of all where few values tie. */

import { fillSpecial, fillWithBits, runSeed } from '@keysweep/conformance/data';
import {
  bitsOf,
  ClosedError,
  FIELD_ROWS,
  KEY_TYPES,
  type KeyArray,
  type KeyFinder,
  type KeyType,
  type Order,
  orderWords,
  roomForWords,
  runAtOnce,
} from '@keysweep/core';
import { compareKeys, oraclePermutation } from '@keysweep/core/oracle';
import { cpu } from '@keysweep/cpu';
import { argsort, createSorter, toSorted } from 'keysweep';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { firstRows, keysAround, plainFinder } from '../../src/selection/candidates.js';
import { select, topK } from '../../src/selection/selection.js';
import { fake } from '../fakes.js';

const LENGTH = 40_000;
const SEED = runSeed();
const random = testRandom();
const numbers = { length: LENGTH };
const ORDERS: readonly Order[] = ['ascending', 'descending'];

const compiledFinder = (await cpu().keyFinder?.()) as KeyFinder;
const FINDERS: ReadonlyArray<readonly [string, KeyFinder]> = [
  ['compiled', compiledFinder],
  ['plain', plainFinder],
];

const SPECIAL_HALVES = [0, 0x8000, 1, 0x8001, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0xffff];

/** The number of the bits of a half float. */
function halfOf(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  const size = exponent === 0 ? fraction / 2 ** 24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return sign * size;
}

const CLASSES = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  f16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
  f64: Float64Array,
} as const;

/** Any keys, or some that often tie, NaNs and zeros of both signs among them. */
function keysOf(keyType: KeyType, length: number): KeyArray {
  const keys: KeyArray = new CLASSES[keyType](length);
  const kind = random.below(3);
  if (keyType === 'f16' && kind > 0) {
    bitsOf(keys).set(bitsOf(keys).map(() => SPECIAL_HALVES[random.below(10)] as number));
  } else if (kind === 0) fillWithBits(keys, random);
  else if (kind === 1) fillSpecial(keys, random);
  else bitsOf(keys).set(bitsOf(keys).map(() => random.below(3) - 1));
  return keys;
}

const valuesOf = (keyType: KeyType, keys: KeyArray): (number | bigint)[] =>
  Array.from(keys as Uint16Array, (key) => (keyType === 'f16' ? halfOf(key) : key));

/** The word of a key. */
function wordOf(keyType: KeyType, keys: KeyArray, row: number, order: Order): bigint {
  const column = { keys: keys.subarray(row, row + 1), keyType, order };
  const { lows, highs } = orderWords(column, roomForWords(column, 1));
  return (BigInt(highs[0] ?? 0) << 32n) | BigInt(lows[0] as number);
}

describe.each(FINDERS)(`keys between two words, %s (KEYSWEEP_SEED=${SEED})`, (_, finder) => {
  it.each(KEY_TYPES)('of type %s', (keyType) => {
    for (let i = 0; i < 60; i++) {
      const length = i === 0 ? FIELD_ROWS : 1 + random.below(i < 30 ? 40 : 400);
      const keys = keysOf(keyType, length);
      const values = valuesOf(keyType, keys);
      const order = ORDERS[i & 1] as Order;
      const compare = (a: number, b: number): number =>
        compareKeys(values[a] as number, values[b] as number) * (order === 'ascending' ? 1 : -1);
      // Now and then from the least of all words on, or up to the largest.
      const ends = [random.below(length), random.below(length)].sort(compare);
      const [first, last] = ends as [number, number];
      const [row, maxTies] = [random.below(2 ** 20), [0, 1, 3, length][random.below(4)] as number];
      const isFromLeast = random.below(3) === 0;
      const isBefore = (at: number): boolean => !isFromLeast && compare(at, first) < 0;
      const rows = Array.from({ length }, (_, at) => at);
      const ties = rows.filter((at) => compare(at, last) === 0);
      const wanted = new Set(ties.slice(0, maxTies));
      const expected = rows.filter(
        (at) => wanted.has(at) || (!isBefore(at) && compare(at, last) < 0),
      );
      const findKeys = finder({
        keyType,
        order,
        first: isFromLeast ? 0n : wordOf(keyType, keys, first, order),
        last: wordOf(keyType, keys, last, order),
      });
      const found = findKeys(keys, row, maxTies);
      expect(Array.from(found.rows)).toEqual(expected.map((at) => row + at));
      expect([found.before, found.ties]).toEqual([rows.filter(isBefore).length, ties.length]);
    }
  });

  it('whose upper half is smaller are no ties, whatever their lower half is', () => {
    const keys = BigUint64Array.of(0x1_0000_0009n, 0x2_0000_0005n, 0x1_0000_0005n, 0x2_0000_0007n);
    const upTo = finder({ keyType: 'u64', order: 'ascending', first: 0n, last: 0x2_0000_0005n });
    const { rows, before, ties } = upTo(keys, 0, 0);
    expect([Array.from(rows), before, ties]).toEqual([[0, 2], 0, 1]);
  });

  it('of several searches by turns', () => {
    const keys = Uint32Array.of(5, 1, 9, 3, 7);
    const upTo = (last: bigint, order: Order) => finder({ keyType: 'u32', order, first: 0n, last });
    const [low, high] = [upTo(5n, 'ascending'), upTo(2n ** 32n - 1n - 7n, 'descending')];
    for (const row of [0, 100]) {
      expect(Array.from(low(keys, row, 9).rows)).toEqual([row, row + 1, row + 3]);
      expect(Array.from(high(keys, row, 9).rows)).toEqual([row + 2, row + 4]);
    }
  });
});

const INPUTS: ReadonlyArray<readonly [string, KeyArray]> = [
  ['numbers, all different', Uint32Array.from(numbers, (_, i) => (i * 7919) % 40_009)],
  ['numbers in order', Float64Array.from(numbers, (_, i) => i / 2)],
  ['numbers in reverse', Int32Array.from(numbers, (_, i) => -i)],
  ['few numbers', Float32Array.from(numbers, () => random.below(5) - 2.5)],
  ['few numbers and NaNs', Float64Array.from(numbers, () => [NaN, 1, 2, -1][random.below(4)] ?? 0)],
  ['zeros of both signs', Float32Array.from(numbers, () => (random.below(2) === 0 ? -0 : 0))],
  ['numbers of 64 bits', BigUint64Array.from(numbers, (_, i) => BigInt((i * 7919) % 40_009))],
  ['few numbers of 64 bits', BigInt64Array.from(numbers, () => BigInt(random.below(3) - 1))],
  ['equal keys', Int32Array.from(numbers, () => 7)],
  ['bytes', Int8Array.from(numbers, () => random.below(256))],
];

describe.each(INPUTS)(`candidates among %s (KEYSWEEP_SEED=${SEED})`, (_, keys) => {
  const whole = {
    ascending: oraclePermutation([keys], { order: 'ascending' }),
    descending: oraclePermutation([keys], { order: 'descending' }),
  };
  const cases = ORDERS.flatMap((order) =>
    FINDERS.flatMap(([kind, finder]) =>
      [1, 100, 2000].map((k): [Order, number, string, KeyFinder] => [order, k, kind, finder]),
    ),
  );

  it.each(cases)('hold the first of an order (%s, %d, %s)', (order, k, _, finder) => {
    const rows = runAtOnce(firstRows({ keys, order, finder }, k));
    expect(rows?.length).toBeLessThan(LENGTH / 3);
    const found = new Set(rows);
    expect(whole[order].slice(0, k).every((row) => found.has(row))).toBe(true);
  });

  it.each(cases)('hold the key at a place (%s, %d, %s)', (order, k, _, finder) => {
    const around = runAtOnce(keysAround({ keys, order, finder }, k));
    const candidates = Array.from((around?.candidates ?? []) as Float64Array);
    expect(candidates.length).toBeLessThan(LENGTH / 3);
    const of = Float64Array.from(candidates, Number).sort();
    if (order === 'descending') of.reverse();
    expect(of[around?.place ?? -1]).toBe(Number(keys[whole[order][k] as number]));
  });
});

it.each(FINDERS)('of equal keys the first ones are enough, %s', (_, finder) => {
  const keys = new Float32Array(LENGTH).fill(Number.NaN);
  for (const order of ORDERS) {
    const rows = runAtOnce(firstRows({ keys, order, finder }, 100));
    expect(Array.from(rows ?? [])).toEqual(Array.from({ length: 100 }, (_, row) => row));
  }
});

const argsortLocked = argsort as (keys: unknown) => Promise<Uint32Array>;

describe('the compiled finder', () => {
  it('is asked for from a whole slice on, and done without', async () => {
    let calls = 0;
    const keyFinder = async () => {
      calls++;
      return undefined;
    };
    const sorter = await createSorter({ backends: [fake('cpu', { keyFinder })] });
    const keys = Uint32Array.from({ length: FIELD_ROWS }, (_, i) => (i * 7919) % 32_771);
    const expected = keys.slice().sort();
    expect((await sorter.topK(keys.subarray(1), 1)).keys.length).toBe(1);
    expect(calls).toBe(0);
    const top = await sorter.topK(keys, 3);
    expect(Array.from(top.keys)).toEqual(Array.from(expected.slice(-3).reverse()));
    expect(await sorter.select(keys, 17)).toBe(expected[17]);
    expect(calls).toBe(2);
    await sorter.close();
  });

  it('serves with a sort of all if the sample misleads', async () => {
    // What is found is never enough.
    const finder: KeyFinder = () => () => ({ rows: new Uint32Array(0), before: 0, ties: 0 });
    const selecting = { argsort, argsortLocked, toSorted, keyFinder: async () => finder };
    const keys = Float64Array.from(numbers, () => random.unit());
    const sorted = oraclePermutation([keys], { order: 'ascending' });
    const top = await topK(selecting, keys, 100, { order: 'ascending' });
    expect(top.indices).toEqual(sorted.slice(0, 100));
    expect(await select(selecting, keys, 500)).toBe(keys[sorted[500] as number]);
  });

  it.each([
    ['more keys lie before', { before: LENGTH - 1, ties: 0 }],
    ['too few candidates and ties are there', { before: 499, ties: 1 }],
  ])('serves with a sort of all where %s than the sample says', async (_, counts) => {
    const finder: KeyFinder = () => (slice, row) => ({
      rows: row === 0 ? Uint32Array.of(0) : new Uint32Array(0),
      before: row === 0 ? counts.before : 0,
      ties: row === 0 ? counts.ties : 0 * slice.length,
    });
    const selecting = { argsort, argsortLocked, toSorted, keyFinder: async () => finder };
    const keys = Float64Array.from(numbers, () => random.unit());
    const [key] = keys.slice().sort().subarray(500);
    expect(await select(selecting, keys, 500)).toBe(key);
  });

  it('is not to be had without WebAssembly', async () => {
    expect(await cpu({ kernels: 'plain' }).keyFinder?.()).toBeUndefined();
  });

  it('is not to be had of a backend that was closed', async () => {
    const backend = cpu();
    await backend.close();
    await expect(backend.keyFinder?.()).rejects.toThrow(ClosedError);
  });
});
