/** searchSorted of so many values that threads sort them, beside a binary search. */

import type { KeyArray } from '@keysweep/core';
import { compareKeys } from '@keysweep/core/oracle';
import { sort } from 'keysweep';
import * as sorted from 'keysweep/sorted';
import { expect, it } from 'vitest';
import { oneOf, random, SEED } from './draws.js';
import { ORDERS } from './sorted-oracle.js';

it(`finds values that are many enough to be sorted (KEYSWEEP_SEED=${SEED})`, async () => {
  const length = 2 ** 18 + 5;
  const special = [Number.NaN, -0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const number = (): number => oneOf([...special, random.below(1000) - 500, random.unit()]);
  const kinds: KeyArray[] = [
    Float64Array.from({ length }, number),
    Float32Array.from({ length }, number),
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
      const sign = order === 'ascending' ? 1 : -1;
      const keys = await sort(values.slice(0, oneOf([300, 100_000])), { order });
      const side = oneOf(['left', 'right'] as const);
      const most = side === 'left' ? -1 : 0;
      const expected = Uint32Array.from(values as Float64Array, (value) => {
        let [low, high] = [0, keys.length];
        while (low < high) {
          const middle = (low + high) >>> 1;
          const isBefore = sign * compareKeys(keys[middle] as number, value) <= most;
          if (isBefore) low = middle + 1;
          else high = middle;
        }
        return low;
      });
      const places = await sorted.searchSorted(keys, values, { side, order });
      const wrong = places.findIndex((place, i) => place !== expected[i]);
      expect({ side, order, wrong }).toEqual({ side, order, wrong: -1 });
    }
  }
});
