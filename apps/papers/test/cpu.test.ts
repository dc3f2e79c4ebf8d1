/** The papers' sorts on the CPU. */

import { DISTRIBUTIONS, isThorough, LENGTHS, runSeed, sample } from '@keysweep/conformance/data';
import { faultOfKeys } from '@keysweep/conformance/verify';
import { CPU_SORTS } from '@keysweep/papers';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';

const seed = runSeed();
const random = testRandom();

/** Around a block of the merge sort, and several. */
const LONG = [2 ** 14 - 3, 2 ** 14, 2 ** 14 + 1, 100_003, ...(isThorough ? [2 ** 22] : [])];

describe.each(Object.entries(CPU_SORTS))('%s', (name, sort) => {
  it.each(DISTRIBUTIONS)('sorts: $name', ({ name: distribution, fill }) => {
    const lengths = isThorough
      ? [...LENGTHS, ...LONG]
      : [...sample(LENGTHS, 6), ...sample(LONG, 1)];
    for (const length of lengths) {
      const keys = new Uint32Array(length);
      fill(keys, random);
      const before = keys.slice();
      sort(keys);
      const what = `${name}, ${length} keys, ${distribution}, seed ${seed}`;
      expect([what, faultOfKeys(keys, before)]).toEqual([what, undefined]);
    }
  });

  it('leaves what lies around a view alone', () => {
    const all = new Uint32Array(1000);
    random.fill(all);
    const [before, inside] = [all.slice(), all.subarray(100, 900)];
    sort(inside);
    expect(faultOfKeys(inside, before.subarray(100, 900))).toBeUndefined();
    expect(all.subarray(0, 100)).toEqual(before.subarray(0, 100));
    expect(all.subarray(900)).toEqual(before.subarray(900));
  });
});
