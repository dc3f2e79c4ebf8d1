/** What a measurement stands on: inputs, checks of results, and the reckoning of time. */

import { describe, expect, it } from 'vitest';
import { runSeed } from '../../../packages/conformance/src/random.js';
import { tableOf } from '../src/data/csv.js';
import { kindOf } from '../src/data/kind.js';
import { browserName } from '../src/device/browser-name.js';
import { compareKeys, KEY_TYPES } from '../src/keys.js';
import { builtinSort } from '../src/measure/implementations.js';
import { makeKeys } from '../src/measure/inputs.js';
import { ProgressEstimate } from '../src/measure/progress-estimate.js';
import { wordsFrom } from '../src/measure/random.js';
import { differenceOf, faultOf, faultOfBuiltin } from '../src/measure/verify.js';
import { DISTRIBUTIONS, PAYLOADS } from '../src/settings/settings.js';

const seed = runSeed();
const TYPES = (['u8', 'i16', 'u32', 'i32', 'f32', 'u64', 'f64'] as const).map(
  (keyType) => [keyType, KEY_TYPES[keyType].arrayName] as const,
);

describe.each(TYPES)('keys of type %s', (keyType, arrayName) => {
  const make = (distribution: (typeof DISTRIBUTIONS)[number], words = 1, from = seed) =>
    makeKeys({ keyType, length: 4000, distribution, words }, wordsFrom(from));

  it('are as many as asked for, without NaNs, and the same for the same seed', () => {
    for (const distribution of DISTRIBUTIONS) {
      const keys = make(distribution);
      expect([keys.constructor.name, keys.length]).toEqual([arrayName, 4000]);
      expect(keys.some((key: number | bigint) => Number.isNaN(key))).toBe(false);
      expect(differenceOf(make(distribution), keys)).toBeUndefined();
    }
    expect(differenceOf(make('random', 1, seed + 1), make('random'))).toMatch(/instead of/);
  });

  it('lie as their distribution says', () => {
    const distinct = (keys: ReturnType<typeof make>): number => new Set<unknown>(keys).size;
    expect(differenceOf(make('sorted').slice().sort(), make('sorted'))).toBeUndefined();
    expect(
      differenceOf(make('reversed').slice().sort().reverse(), make('reversed')),
    ).toBeUndefined();
    expect(distinct(make('equal'))).toBe(1);
    expect(distinct(make('few'))).toBeLessThanOrEqual(16);
    expect(distinct(make('few'))).toBeGreaterThan(2);
    expect(distinct(make('random', 5))).toBeLessThan(
      distinct(make('random')) + (keyType === 'u8' ? 1 : 0),
    );
    const nearly = make('nearly-sorted');
    expect(differenceOf(nearly.slice().sort(), nearly)).toMatch(/instead of/);
  });
});

describe('a check', () => {
  const input = Float64Array.of(3, -0, 0, NaN, 3, -1);
  const sorted = Float64Array.of(-1, -0, 0, 3, 3, NaN);
  const origins = [5, 1, 2, 0, 4, 3];

  it('finds a right result right', async () => {
    expect(
      faultOf(input, sorted, { keys: sorted, origins: undefined }, 'ascending'),
    ).toBeUndefined();
    expect(faultOf(input, sorted, { keys: sorted, origins }, 'ascending')).toBeUndefined();
    expect(faultOfBuiltin(input, sorted, 'ascending')).toBeUndefined();
    for (const payload of PAYLOADS) {
      for (const order of ['ascending', 'descending'] as const) {
        const { results } = await builtinSort({ payload, order }).sort(
          [input],
          new AbortController().signal,
        );
        const expected = order === 'ascending' ? sorted : sorted.slice().reverse();
        const [result] = results;
        const keys = payload === 'indices' ? input : result!.keys;
        expect(
          faultOf(input, expected, { ...result!, keys }, order),
          `${payload} ${order}`,
        ).toBeUndefined();
      }
    }
  });

  it.each([
    ['a key that is another', [-1, -0, 0, 3, 4, NaN], undefined, /key 4 is 4 instead of 3/],
    ['zeros in the wrong order', [-1, 0, -0, 3, 3, NaN], undefined, /key 1 is 0 instead of 0/],
    ['too few keys', [-1], undefined, /1 keys instead of 6/],
    ['an origin twice', [-1, -0, 0, 3, 3, NaN], [5, 1, 2, 0, 0, 3], /wrong order at 4/],
    ['equals that changed places', [-1, -0, 0, 3, 3, NaN], [5, 1, 2, 4, 0, 3], /wrong order at 4/],
    [
      'a payload of another key',
      [-1, -0, 0, 3, 3, NaN],
      [5, 1, 2, 0, 3, 4],
      /payload came with NaN/,
    ],
    ['an origin that is none', [-1, -0, 0, 3, 3, NaN], [5, 1, 2, 0, 4, 9], /there is no key 9/],
  ])('finds %s', (_, keys, origins, fault) => {
    const result = { keys: Float64Array.from(keys), origins };
    expect(faultOf(input, sorted, result, 'ascending')).toMatch(fault);
  });

  it('finds a NaN that lost its bits, and a built-in that is wrong', () => {
    const bits = new BigUint64Array([0x7ff8_0000_0000_0001n]);
    expect(differenceOf(new Float64Array(bits.buffer), Float64Array.of(NaN))).toMatch(/NaNs/);
    expect(faultOfBuiltin(input, input, 'ascending')).toMatch(/key 1 is out of order/);
    expect(faultOfBuiltin(input, new Float64Array(6), 'ascending')).toMatch(/other keys/);
  });

  it('knows the order of ECMAScript', () => {
    const keys = [NaN, 2, -0, Number.NEGATIVE_INFINITY, 0, 2];
    expect(Float64Array.from(keys.sort(compareKeys))).toEqual(Float64Array.from(keys).sort());
  });
});

it('time left follows what the latest steps cost', () => {
  const pace = new ProgressEstimate([980_000, 1_980_000], 2, 0);
  expect(pace.update(0, 0, 0)).toEqual({ done: 0, left: undefined });
  // A million keys' worth takes two seconds: there are two million to come.
  const { done, left } = pace.update(1, 0, 2000);
  expect(left).toBeCloseTo(4);
  expect(done).toBeGreaterThan(0.3);
  expect(pace.update(1, 1, 8000).left).toBeCloseTo(6);
});

it('CSV columns are numbers, or text', () => {
  const table = tableOf([
    ['id', 'delay', 'name', 'gap'],
    ['1', '-2.5', 'x', '1'],
    ['2', 'NaN', 'y', ''],
  ]);
  expect(table.columns.map(({ keyType }) => keyType)).toEqual(['i32', 'f64', undefined, undefined]);
  expect(() => tableOf([])).toThrow('it is empty');
});

it('files are known by their names', () => {
  expect(['a.PARQUET', 'b.arrow', 'c.tsv', 'd.bin', 'e'].map(kindOf)).toEqual([
    'parquet',
    'arrow',
    'csv',
    'raw',
    'raw',
  ]);
});

it('browsers have names', () => {
  const edge =
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0';
  expect(browserName(edge)).toBe('Edge 141 on Windows');
  expect(browserName('curl')).toBe('curl');
});
