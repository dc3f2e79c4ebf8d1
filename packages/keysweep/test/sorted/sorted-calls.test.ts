/** Calls of keysweep/sorted: long arrays, pauses, progress, aborts, and what is refused. */

import { ARRAY_CLASSES } from '@keysweep/conformance/data';
import type { KeyArray } from '@keysweep/core';
import { sort } from 'keysweep';
import * as sorted from 'keysweep/sorted';
import { describe, expect, it } from 'vitest';
import { chance, oneOf, random, SEED } from '../draws.js';
import { both, compare, keysOf, listOf, METHODS, ORDERS, quantileOf } from './sorted-oracle.js';

describe(`keysweep/sorted (KEYSWEEP_SEED=${SEED})`, () => {
  const KEY: Readonly<Record<string, () => number>> = {
    'uniform ones': () => random.unit(),
    'small and large ones': () => (random.unit() - 0.5) * 10 ** random.below(40),
    'zeros of both signs': () => oneOf([-0, 0, -1, 1]) * random.below(3),
    'some that are no numbers': () => (chance(5) ? Number.NaN : random.unit()),
    'no numbers': () => Number.NaN,
    'infinities, and few': () =>
      oneOf([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, random.unit()]),
    'one key': () => 7,
    'one key that is half of all': () => (chance(2) ? 7 : random.unit()),
    integers: () => random.below(2 ** 32) | 0,
  };

  it.each(Object.keys(KEY))('selects quantiles of many keys: %s', async (name) => {
    for (const arrayOf of [Float64Array, Float32Array, Int32Array, Uint32Array, Uint16Array]) {
      const length = 5000 + random.below(5000);
      const keys = arrayOf.from(Array.from({ length }, KEY[name] as () => number));
      // Beyond what a sample spans.
      for (let i = 0; i < 4; i++) keys[random.below(length)] = oneOf([1e300, -1e300, 2e9, -0]);
      const list = listOf(keys)
        .filter((key) => !Number.isNaN(key))
        .sort(compare);
      const fractions = [1, 0.5, 0, 0.999, random.unit(), random.unit()];
      for (const method of METHODS) {
        const expected = fractions.map((fraction) => quantileOf(list, fraction, method));
        const found = await both(sorted.quantiles(keys, fractions, { method }), () =>
          sorted.quantilesSync(keys, fractions, { method }),
        );
        expect(listOf(found)).toEqual(expected);
      }
      // In so many places as there are keys, too.
      const all = Float64Array.from({ length }, (_, i) => i / (length - 1));
      const found = sorted.quantilesSync(keys, all, { method: 'nearest' });
      expect(listOf(found)).toEqual(
        listOf(all).map((f) => quantileOf(list, f as number, 'nearest')),
      );
    }
  });

  it('selects quantiles among infinities and NaNs whose upper bits are alike', () => {
    const bits = [0x7ff0n, 0xfff0n].flatMap((high) => [high << 48n, (high << 48n) | 1n]);
    const keys = new Float64Array(6000);
    for (let i = 0; i < keys.length; i++) {
      new BigUint64Array(keys.buffer)[i] = oneOf(bits);
      if (chance(2)) keys[i] = random.unit();
    }
    const list = listOf(keys)
      .filter((key) => !Number.isNaN(key))
      .sort(compare);
    const fractions = [0, 0.25, 0.4, 0.5, 0.6, 1];
    const expected = fractions.map((fraction) => quantileOf(list, fraction, 'lower'));
    const found = sorted.quantilesSync(keys, fractions, { method: 'lower' });
    expect(listOf(found)).toEqual(expected);
  });

  it('selects quantiles of keys as they were when it was called, with pauses', async () => {
    const keys = Float64Array.from({ length: 2 ** 20 + 9 }, () => random.unit());
    const own = keys.slice().sort();
    const shares: number[] = [];
    const median = sorted.quantiles(keys, [0.5, 0.9], {
      onProgress: ({ fraction }) => shares.push(fraction),
    });
    keys.fill(2);
    const expected = [0.5, 0.9].map((fraction) => quantileOf(listOf(own), fraction, 'linear'));
    expect(listOf(await median)).toEqual(expected);
    expect(shares.length).toBeGreaterThan(9);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });

  it('serves long arrays', async () => {
    const length = 40_000;
    const inputs: KeyArray[] = [
      random.fill(new Uint32Array(length)),
      Float64Array.from({ length }, () => (random.unit() - 0.5) * 10 ** random.below(9)),
      BigInt64Array.from({ length }, () => BigInt(random.below(100)) - 50n),
    ];
    for (const keys of inputs as Float64Array[]) {
      const own = keys.slice().sort();
      const places = await both(sorted.searchSorted(own, keys), () =>
        sorted.searchSortedSync(own, keys),
      );
      expect(
        places.every(
          (place, i) => own[place] === keys[i] && (place === 0 || own[place - 1] !== keys[i]),
        ),
      ).toBe(true);
      const [a, b] = [own.filter((_, i) => i % 3 === 0), own.filter((_, i) => i % 3 !== 0)];
      expect(sorted.mergeSync([a, b])).toEqual(own);
      expect(await sorted.merge([a, b])).toEqual(own);
      const { order, starts } = await sorted.groupBy(keys);
      expect(sorted.groupBySync(keys)).toEqual({ order, starts });
      expect(own.filter((key, i) => i === 0 || key !== own[i - 1])).toEqual(
        sorted.uniqueSync(keys).keys,
      );
      expect(starts.length - 1).toBe(new Set(keys).size);
    }
  });

  it('gives a result and ends for input that is in no order', () => {
    for (let round = 0; round < 60; round++) {
      const each = oneOf(ARRAY_CLASSES);
      const [keys, values] = [keysOf(each, random.below(3000)), keysOf(each, random.below(300))];
      const options = { order: oneOf(ORDERS), side: oneOf(['left', 'right'] as const) };
      const places = sorted.searchSortedSync(keys, values, options);
      expect(places).toHaveLength(values.length);
      expect(places.every((place) => place <= keys.length)).toBe(true);
      const merged = sorted.mergeOrderSync([keys, values, keys]);
      expect(merged.toSorted()).toEqual(merged.map((_, i) => i));
    }
  });

  it('reads inputs when called', async () => {
    const keys = random.fill(new Uint32Array(5000));
    const expected = sorted.uniqueSync(keys);
    const groups = sorted.groupBySync(keys);
    const calls: Promise<unknown>[] = [
      sorted.unique(keys),
      sorted.groupBy({ keys }),
      sorted.merge([keys.slice().sort()]),
    ];
    keys.fill(0);
    expect(await Promise.all(calls)).toEqual([
      expected,
      groups,
      sorted.mergeSync([await sort(expected.keys)]),
    ]);
  });

  it('tells of progress and reports', async () => {
    const keys = Float64Array.from({ length: 300_000 }, () => random.unit());
    for (const call of [
      (options: object) => sorted.rank(keys, options),
      (options: object) => sorted.searchSorted(keys.slice().sort(), keys, options),
    ]) {
      const shares: number[] = [];
      let reports = 0;
      await call({
        onProgress: ({ completed, total }: { completed: number; total: number }) =>
          shares.push(completed / total),
        onReport: ({
          length,
          milliseconds,
        }: {
          length: number;
          milliseconds: Record<string, number>;
        }) => {
          reports++;
          expect(length).toBe(keys.length);
          expect(milliseconds.total).toBeGreaterThan(0);
        },
      });
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      expect(shares.at(-1)).toBe(1);
      expect(reports).toBe(1);
    }
  });

  it('rejects with the reason of an abort', async () => {
    const keys = random.fill(new Uint32Array(2_000_000));
    const reason = new Error('not wanted');
    await expect(sorted.rank(keys, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const call = sorted.mergeOrder([keys, keys], { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it('waits for nobody: at once, an array that a call sorts is an Error', async () => {
    const keys = random.fill(new Uint32Array(100_000));
    const sorting = sort(keys, { backend: 'cpu' });
    expect(() => sorted.uniqueSync(keys)).toThrow(/asynchronous call is still at work/);
    await sorting;
    expect(sorted.uniqueSync(keys).keys.length).toBeGreaterThan(0);
  });

  it('rejects what it does not take, by name', async () => {
    const keys = Uint32Array.of(1, 2);
    const bigs = BigInt64Array.of(1n);
    const cases: ReadonlyArray<readonly [() => unknown, RegExp, unknown?]> = [
      [
        () => sorted.searchSortedSync([1] as never, keys),
        /^sorted must be a typed array, got an Array/,
      ],
      [
        () => sorted.searchSortedSync(keys, bigs as never),
        /^values must be like sorted, Uint32Array, got BigInt64Array/,
      ],
      [
        () => sorted.searchSortedSync(keys, keys, { side: 'middle' } as never),
        /^side must be 'left' or 'right'/,
      ],
      [
        () => sorted.mergeSync([]),
        /^arrays must be a list of one or more typed arrays, got an Array of 0/,
      ],
      [() => sorted.mergeSync([keys, bigs as never]), /^arrays\[1\] must be like arrays\[0\]/],
      [() => sorted.uniqueSync(keys, { counts: 1 } as never), /^counts must be true or false/],
      [() => sorted.uniqueSync(keys, { signal: undefined } as never), /^options has no 'signal'/],
      [() => sorted.rankSync(keys, { ties: 'first' } as never), /^ties must be 'min' or 'max'/],
      [() => sorted.quantilesSync(keys, 0.5 as never), /^fractions must be a list of numbers/],
      [
        () => sorted.quantilesSync(keys, [2]),
        /^fractions\[0\] must be from 0 to 1, got 2/,
        RangeError,
      ],
      [() => sorted.quantilesSync(keys, [Number.NaN]), /^fractions\[0\]/, RangeError],
      [() => sorted.quantilesSync(bigs, [0]), /^method of 64-bit integers must be 'lower'/],
      [
        () => sorted.quantilesSync(new BigInt64Array(0), [0], { method: 'lower' }),
        /no NaN/,
        RangeError,
      ],
      [() => sorted.groupBySync([[1]] as never), /keys\[0\] must be/],
      [() => sorted.groupBySync([keys, bigs]), /one length/, RangeError],
    ];
    for (const [call, message, Class = TypeError] of cases) {
      expect(call).toThrow(message);
      expect(call).toThrow(Class as never);
    }
    await expect(sorted.unique(keys, { backend: 'fast' as never })).rejects.toThrow(
      /^backend must be/,
    );
  });
});
