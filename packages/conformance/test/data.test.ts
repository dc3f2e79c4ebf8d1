import {
  ARRAY_CLASSES,
  type BenchmarkDistribution,
  COMMON_KEY_TYPES,
  classOf,
  makeKeys,
  Random,
  runSeed,
} from '@keysweep/conformance/data';
import { differenceOf } from '@keysweep/conformance/verify';
import { describe, expect, it } from 'vitest';

const seed = runSeed();
const DISTRIBUTIONS: readonly BenchmarkDistribution[] = [
  'random',
  'sorted',
  'reversed',
  'nearly-sorted',
  'few',
  'zipf',
  'equal',
];

describe.each(COMMON_KEY_TYPES)(`makeKeys('%s') (seed ${seed})`, (keyType) => {
  const make = (distribution: BenchmarkDistribution, words = 1, from = seed) =>
    makeKeys(keyType, 4000, distribution, new Random(from), words);
  const distinct = (keys: Iterable<unknown>): number => new Set(keys).size;

  it('makes as many keys as asked for, without NaNs, the same for the same seed', () => {
    for (const distribution of DISTRIBUTIONS) {
      const keys = make(distribution);
      expect([keys.constructor.name, keys.length]).toEqual([classOf(keyType).name, 4000]);
      expect(keys.some((key: number | bigint) => Number.isNaN(key))).toBe(false);
      expect(differenceOf(make(distribution), keys)).toBeUndefined();
    }
    expect(differenceOf(make('random', 1, seed + 1), make('random'))).toMatch(/instead of/);
    expect(makeKeys(keyType, 0, 'few', new Random(seed)).length).toBe(0);
  });

  it('makes what the distributions say', () => {
    const least = keyType.endsWith('8') ? 250 : 3500;
    expect(distinct(make('random'))).toBeGreaterThan(least);
    expect(differenceOf(make('sorted').slice().sort(), make('sorted'))).toBeUndefined();
    expect(
      differenceOf(make('reversed').slice().sort().reverse(), make('reversed')),
    ).toBeUndefined();
    expect(distinct(make('equal'))).toBe(1);
    expect(distinct(make('few'))).toBeLessThanOrEqual(16);
    expect(distinct(make('few'))).toBeGreaterThan(2);
    expect(distinct(make('random', 5))).toBeLessThan(
      distinct(make('random')) + (keyType.endsWith('8') ? 1 : 0),
    );
    const nearly = make('nearly-sorted');
    const moved = nearly.slice().sort();
    const places = Array.from(nearly as ArrayLike<unknown>, (key, i) => key !== moved[i]).filter(
      Boolean,
    ).length;
    expect(places).toBeGreaterThan(0);
    expect(places).toBeLessThan(keyType.endsWith('8') ? 4000 : 200);
    const zipf = Array.from(make('zipf') as ArrayLike<unknown>, Number);
    expect(zipf.filter((key) => key === 0).length).toBeGreaterThan(100);
    expect(Math.max(...zipf)).toBeGreaterThan(30);
  });
});

it('every key type of this runtime has a class', () => {
  for (const { keyType } of ARRAY_CLASSES) expect(classOf(keyType).keyType).toBe(keyType);
});
