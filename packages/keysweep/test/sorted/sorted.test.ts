/** keysweep/sorted, beside loops of ten lines that compare keys one by one. */

import { ARRAY_CLASSES } from '@keysweep/conformance/data';
import type { KeyArray } from '@keysweep/core';
import * as sorted from 'keysweep/sorted';
import { describe, expect, it } from 'vitest';
import { chance, oneOf, random, SEED } from '../draws.js';
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
  METHODS,
  ORDERS,
  orderOf,
  picked,
  quantileOf,
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
