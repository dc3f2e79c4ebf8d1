/** keysweep/sorted, beside loops of ten lines that compare keys one by one. */

import { ARRAY_CLASSES } from '@keysweep/conformance/data';
import type { KeyArray } from '@keysweep/core';
import { sort } from 'keysweep';
import * as sorted from 'keysweep/sorted';
import { describe, expect, it } from 'vitest';
import { chance, oneOf, random, SEED } from './draws.js';
import {
  both,
  bytesOf,
  bytesViewOf,
  compare,
  inOrder,
  type Key,
  keysOf,
  LENGTHS,
  listOf,
  ORDERS,
  orderOf,
  picked,
} from './sorted-oracle.js';

it.each([53n, 54n, 63n])('finds integers that are next to each other, near 2^%s', async (bits) => {
  for (const arrayOf of [BigInt64Array, BigUint64Array] as const) {
    const least = arrayOf === BigInt64Array && bits === 63n ? -(2n ** 62n) : 0n;
    const near = Array.from({ length: 41 }, (_, i) => least + 2n ** bits - 41n + BigInt(i));
    // Doubles tell the first ones apart, and not all of the last.
    const keys = arrayOf.from([least, ...near.filter((_, i) => i % 3 !== 1)]);
    const values = arrayOf.from([...near, least, least + 1n].toReversed());
    for (const side of ['left', 'right'] as const) {
      const expected = Uint32Array.from(values, (value) => {
        const at = keys.findIndex((key) => (side === 'left' ? key >= value : key > value));
        return at < 0 ? keys.length : at;
      });
      const places = sorted.searchSortedSync(keys, values, { side });
      expect(places).toEqual(expected);
      expect(await sorted.searchSorted(keys, values, { side })).toEqual(expected);
    }
  }
});

const METHODS = ['lower', 'higher', 'nearest', 'linear'] as const;

/** A quantile of sorted keys without NaNs. */
function quantileOf(list: readonly Key[], fraction: number, method: (typeof METHODS)[number]): Key {
  if (list.length === 0) return Number.NaN;
  const place = fraction * (list.length - 1);
  const [lower, upper] = [Math.floor(place), Math.ceil(place)];
  if (method === 'lower') return list[lower] as Key;
  if (method === 'higher') return list[upper] as Key;
  const isHalf = place - lower === 0.5;
  if (method === 'nearest') return list[isHalf ? lower + (lower & 1) : Math.round(place)] as Key;
  const [a, b] = [list[lower] as number, (list[lower + 1] ?? list[lower]) as number];
  const share = place - lower;
  return share < 0.5 ? a + (b - a) * share : b - (b - a) * (1 - share);
}

describe.each(ARRAY_CLASSES.map((each) => [each.name, each] as const))(
  `keysweep/sorted with %s (KEYSWEEP_SEED=${SEED})`,
  (_, each) => {
    it('finds where values go', async () => {
      for (const length of LENGTHS) {
        for (const order of ORDERS) {
          const given = keysOf(each, length);
          const keys = picked(given, orderOf(listOf(given), order));
          let values = chance(2) ? given : keysOf(each, random.below(300));
          // Some in order, some of the keys themselves.
          if (chance(3)) values = picked(values, orderOf(listOf(values), order));
          const side = oneOf(['left', 'right', undefined] as const);
          const options = { order, ...(side && { side }) };
          const before = inOrder(order);
          const list = listOf(keys);
          const expected = listOf(values).map((value) => {
            const at = list.findIndex((key) =>
              side === 'right' ? before(key, value) > 0 : before(key, value) >= 0,
            );
            return at < 0 ? length : at;
          });
          const places = await both(sorted.searchSorted(keys, values, options), () =>
            sorted.searchSortedSync(keys, values, options),
          );
          expect(places).toEqual(Uint32Array.from(expected));
        }
      }
    });

    it('merges sorted arrays, those before first', async () => {
      for (const count of [1, 2, 3, 4, 5, 7, 16, 17, 40]) {
        const order = oneOf(ORDERS);
        const arrays = Array.from({ length: count }, () => {
          const given = keysOf(each, oneOf([0, 1, 2, 50, 400]));
          return picked(given, orderOf(listOf(given), order));
        });
        const all = each.create(arrays.reduce((sum, { length }) => sum + length, 0)) as KeyArray;
        let at = 0;
        for (const array of arrays) {
          bytesViewOf(all).set(bytesOf(array), at);
          at += array.byteLength;
        }
        const expected = orderOf(listOf(all), order);
        const places = await both(sorted.mergeOrder(arrays, { order }), () =>
          sorted.mergeOrderSync(arrays, { order }),
        );
        expect(places).toEqual(Uint32Array.from(expected));
        const merged = await sorted.merge(arrays, { order });
        expect(bytesOf(merged)).toEqual(bytesOf(picked(all, expected)));
        expect(bytesOf(sorted.mergeSync(arrays, { order }))).toEqual(bytesOf(merged));
        expect(merged.constructor).toBe(all.constructor);
      }
    });

    it('finds unique keys, their counts and first places', async () => {
      for (const length of LENGTHS) {
        const order = oneOf(ORDERS);
        const keys = keysOf(each, length);
        const list = listOf(keys);
        const firsts: number[] = [];
        const counts: number[] = [];
        for (const row of orderOf(list, order)) {
          const last = firsts.at(-1);
          const isNew = last === undefined || compare(list[last] as Key, list[row] as Key) !== 0;
          if (isNew) firsts.push(row);
          counts[firsts.length - 1] = isNew ? 1 : (counts.at(-1) as number) + 1;
        }
        const before = bytesOf(keys);
        for (const options of [
          { order },
          { order, counts: true },
          { order, counts: true, indices: true },
        ]) {
          const found = await both(sorted.unique(keys, options), () =>
            sorted.uniqueSync(keys, options),
          );
          expect(bytesOf(found.keys)).toEqual(bytesOf(picked(keys, firsts)));
          expect(bytesOf(sorted.uniqueSync(keys, options).keys)).toEqual(bytesOf(found.keys));
          expect(found.counts).toEqual(options.counts && Uint32Array.from(counts));
          expect(found.indices).toEqual(
            'indices' in options ? Uint32Array.from(firsts) : undefined,
          );
        }
        expect(bytesOf(keys)).toEqual(before);
      }
    });

    it('ranks keys, ties in five ways', async () => {
      for (const length of LENGTHS) {
        const order = oneOf(ORDERS);
        const keys = keysOf(each, length);
        const list = listOf(keys);
        const rows = orderOf(list, order);
        const ranks = { min: [], max: [], dense: [], ordinal: [], average: [] } as Record<
          string,
          number[]
        >;
        for (let start = 0, dense = 0; start < length; dense++) {
          let end = start + 1;
          const isTie = (at: number) =>
            compare(list[rows[at] as number] as Key, list[rows[start] as number] as Key) === 0;
          while (end < length && isTie(end)) end++;
          for (; start < end; start++) {
            const row = rows[start] as number;
            (ranks.dense as number[])[row] = dense;
            (ranks.ordinal as number[])[row] = start;
            (ranks.max as number[])[row] = end - 1;
          }
        }
        for (let row = 0; row < length; row++) {
          const ties = list.map((_, i) => i).filter((i) => ranks.dense?.[i] === ranks.dense?.[row]);
          (ranks.min as number[])[row] = (ranks.max?.[row] as number) - ties.length + 1;
          (ranks.average as number[])[row] = (ranks.max?.[row] as number) - (ties.length - 1) / 2;
        }
        for (const ties of ['min', 'max', 'dense', 'ordinal', 'average'] as const) {
          const found = await both<Uint32Array | Float64Array>(
            sorted.rank(keys, { ties, order }),
            () => sorted.rankSync(keys, { ties, order }),
          );
          const Class = ties === 'average' ? Float64Array : Uint32Array;
          expect(found).toBeInstanceOf(Class);
          expect(found).toEqual(Class.from(ranks[ties] as number[]));
        }
        expect(await sorted.rank(keys)).toEqual(sorted.rankSync(keys, { ties: 'min' }));
      }
    });

    it('groups rows that tie', async () => {
      for (const length of LENGTHS) {
        const order = oneOf(ORDERS);
        const keys = keysOf(each, length);
        const list = listOf(keys);
        const rows = orderOf(list, order);
        const starts = rows.flatMap((row, i) =>
          i === 0 || compare(list[rows[i - 1] as number] as Key, list[row] as Key) !== 0 ? [i] : [],
        );
        const groups = await both(sorted.groupBy(keys, { order }), () =>
          sorted.groupBySync(keys, { order }),
        );
        expect(groups.order).toEqual(Uint32Array.from(rows));
        expect(groups.starts).toEqual(Uint32Array.from([...starts, length]));
      }
    });

    it('finds quantiles', async () => {
      for (const length of LENGTHS) {
        const keys = keysOf(each, length);
        const isBig = /^Big/.test(each.name);
        const list = listOf(keys)
          .filter((key) => !Number.isNaN(key))
          .sort(compare);
        const fractions = [0, 1, 0.5, 0.25, 1 / 3, random.unit(), random.unit()];
        for (const method of METHODS) {
          if (isBig && (method === 'linear' || length === 0)) continue;
          const expected = fractions.map((fraction) => quantileOf(list, fraction, method));
          const found = await both<KeyArray>(
            sorted.quantiles(keys, fractions, { method }) as Promise<KeyArray>,
            () => sorted.quantilesSync(keys, fractions, { method }) as KeyArray,
          );
          expect(listOf(found)).toEqual(expected);
          expect(found.constructor).toBe(isBig ? keys.constructor : Float64Array);
        }
      }
    });
  },
);

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
