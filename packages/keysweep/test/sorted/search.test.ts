/** searchSorted of very many values, or of few, beside a binary search. */

import { ARRAY_CLASSES, fillSpecial } from '@keysweep/conformance/data';
import type { KeyArray } from '@keysweep/core';
import { compareKeys } from '@keysweep/core/oracle';
import { sort } from 'keysweep';
import * as sorted from 'keysweep/sorted';
import { expect, it } from 'vitest';
import { oneOf, random, SEED } from '../draws.js';
import { ORDERS } from './sorted-oracle.js';

/** The places of values, each by a binary search. */
function placesOf(
  keys: KeyArray,
  values: KeyArray,
  side: 'left' | 'right',
  order: 'ascending' | 'descending',
): Uint32Array {
  const sign = order === 'ascending' ? 1 : -1;
  const most = side === 'left' ? -1 : 0;
  return Uint32Array.from(values as Float64Array, (value) => {
    let [low, high] = [0, keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const isBefore = sign * compareKeys(keys[middle] as number, value) <= most;
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}

it(`finds many values among keys of any distribution (KEYSWEEP_SEED=${SEED})`, async () => {
  const length = 2 ** 13 + 5;
  const special = [Number.NaN, -0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const number = (): number => oneOf([...special, random.below(1000) - 500, random.unit()]);
  const sign = (): number => random.below(2) * 2 - 1;
  const kinds: KeyArray[] = [
    Float64Array.from({ length }, number),
    Float32Array.from({ length }, number),
    Float64Array.from({ length }, () => -Math.log(1 - random.unit())),
    // From one end of the range to the other, most of them near to zero: distances overflow.
    Float64Array.from({ length }, () => sign() * Number.MAX_VALUE * random.unit() ** 200),
    // So near to each other that cells a unit overflow.
    Float64Array.from({ length }, () => random.below(3000) * Number.MIN_VALUE),
    // Most of them tie.
    Uint16Array.from({ length }, () => random.below(90)),
    random.fill(new Uint32Array(length)),
    // Most of them lie in one cell.
    Uint32Array.from({ length }, () => random.below(2 ** random.below(33))),
    new BigInt64Array(random.fill(new Uint32Array(2 * length)).buffer),
    BigInt64Array.from(
      { length },
      () => (BigInt(random.below(2 ** 32)) ** 2n) >> BigInt(random.below(64)),
    ),
  ];
  for (const values of kinds) {
    for (const order of ORDERS) {
      // One stretch of keys, or several whose last one is short.
      const keys = await sort(values.slice(0, oneOf([300, 5000, length])), {
        order,
      });
      const side = oneOf(['left', 'right'] as const);
      const expected = placesOf(keys, values, side, order);
      const places = await sorted.searchSorted(keys, values, { side, order });
      const wrong = places.findIndex((place, i) => place !== expected[i]);
      const { length: count } = keys;
      expect({ count, side, order, wrong }).toEqual({ count, side, order, wrong: -1 });
    }
  }
});

it('tells integers apart where doubles do not, from the first distance on that is rounded', () => {
  // The distance of the largest key from the least: the last that is exact, and those after it.
  const spans = [2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 54n + 2n, 2n ** 63n - 9n];
  for (const span of spans) {
    for (const [least, Keys] of [
      [3n, BigUint64Array],
      [2n ** 63n + 3n, BigUint64Array],
      [-(2n ** 62n), BigInt64Array],
      [-3n, BigInt64Array],
    ] as const) {
      const most = least + span;
      const limit = Keys === BigInt64Array ? 2n ** 63n : 2n ** 64n;
      if (most + 3n >= limit) continue;
      const near = (value: bigint): bigint[] => [-2n, -1n, 0n, 0n, 1n, 2n].map((by) => value + by);
      const keys = Keys.from([least, least, least + span / 2n, most - 1n, most, most]);
      const values = Keys.from([least, least + span / 2n, most].flatMap(near));
      for (const side of ['left', 'right'] as const) {
        for (const order of ORDERS) {
          const own = order === 'ascending' ? keys : keys.toReversed();
          const found = sorted.searchSortedSync(own, values, { side, order });
          expect([...found], `${least} to ${most}, ${side}`).toEqual([
            ...placesOf(own, values, side, order),
          ]);
        }
      }
    }
  }
});

it('finds values as they were when it was called: zeros, infinities and NaNs, too', async () => {
  const special = [Number.NaN, -0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1];
  const values = Float64Array.from({ length: 600 }, (_, i) => special[(7 * i) % 6] as number);
  const keys = values.slice().sort();
  for (const side of ['left', 'right'] as const) {
    const [ownKeys, ownValues] = [keys.slice(), values.slice()];
    const found = sorted.searchSorted(ownKeys, ownValues, { side });
    ownKeys.fill(7);
    ownValues.reverse();
    expect(await found).toEqual(placesOf(keys, values, side, 'ascending'));
  }
});

it.each(['left', 'right'] as const)('leaves what it searches as it was, %s of ties', (side) => {
  for (const Keys of [Float64Array, Float32Array, Uint32Array, BigInt64Array]) {
    const numbers = Keys === BigInt64Array ? [3n, 1n, 2n, 1n] : [3, 1, 2, 1];
    const values = (Keys as Float64ArrayConstructor).from(
      { length: 2 ** 13 },
      (_, i) => numbers[i % 4] as number,
    );
    const keys = values.toSorted();
    const given = [keys.slice(), values.slice()];
    sorted.searchSortedSync(keys, values, { side });
    expect([keys, values]).toEqual(given);
  }
});

it(`finds a few values among many keys of every type (KEYSWEEP_SEED=${SEED})`, async () => {
  for (const { create } of ARRAY_CLASSES) {
    const keys = create(1000);
    // Few of them, so that values tie; and NaNs and zeros where there are such.
    fillSpecial(keys, random);
    for (let i = 0; i < 500; i++) keys[i] = keys[i % 20] as never;
    for (const order of ORDERS) {
      await sort(keys, { order });
      const values = keys.filter((_: unknown, i: number) => i % 70 === 3) as KeyArray;
      for (const side of ['left', 'right'] as const) {
        const expected = placesOf(keys, values, side, order);
        expect(sorted.searchSortedSync(keys, values, { side, order })).toEqual(expected);
        expect(await sorted.searchSorted(keys, values, { side, order })).toEqual(expected);
      }
    }
  }
});
