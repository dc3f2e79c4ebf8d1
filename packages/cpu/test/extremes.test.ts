/** One key far from all others, at each place that a survey of several keys at a time has. */

import { makeRequest } from '@keysweep/conformance/suite';
import type { KeyArray } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { afterAll, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';

const LENGTH = 3001;
/** A round of the survey has at most eight keys; the last ones are looked at one by one. */
const PLACES = Array.from({ length: 8 }, (_, i) => [800 + i, LENGTH - 1 - i]).flat();

const random = testRandom();
const backend = cpu({ threads: 1 });
afterAll(() => backend.close());

const near = (): number => 5000 + random.below(1000);
const numbers = { length: LENGTH };
const ofBothSigns = (): number => (random.below(2) === 0 ? near() : -near());

/** Numbers of one sign, and a NaN with the sign bit set. */
function besideNan(sign: number): Float32Array {
  const keys = Float32Array.from(numbers, () => sign * near());
  new Uint32Array(keys.buffer).fill(0xffc0_0001, 405, 406);
  return keys;
}

const INPUTS: ReadonlyArray<readonly [string, () => KeyArray, readonly unknown[]]> = [
  ['Uint32Array', () => Uint32Array.from(numbers, near), [3, 2 ** 31]],
  [
    'Uint32Array of high bits',
    () => Uint32Array.from(numbers, () => 2 ** 31 + near()),
    [2 ** 32 - 1],
  ],
  ['Int32Array', () => Int32Array.from(numbers, near), [-(2 ** 31), 2 ** 30]],
  ['Float32Array', () => Float32Array.from(numbers, near), [-1e30, 1e-30, 1e30]],
  ['Int32Array of both signs', () => Int32Array.from(numbers, ofBothSigns), [-(2 ** 31), 2 ** 30]],
  [
    'Float32Array of both signs',
    () => Float32Array.from(numbers, ofBothSigns),
    [-1e30, -1e-30, 1e-30, 1e30],
  ],
  ['Float32Array of positive numbers and a NaN', () => besideNan(1), [-1e30, 1e-30, 1e30]],
  ['Float32Array of negative numbers and a NaN', () => besideNan(-1), [-1e30, -1e-30, 1e30]],
  ['BigUint64Array', () => BigUint64Array.from(numbers, () => BigInt(near())), [3n, 2n ** 62n]],
  [
    'BigInt64Array',
    () => BigInt64Array.from(numbers, () => BigInt(near())),
    [-(2n ** 62n), 1n << 60n],
  ],
  ['Float64Array', () => Float64Array.from(numbers, near), [-1e300, 1e-300, 1e300]],
];

const cases = INPUTS.flatMap(([name, make, extremes]) =>
  extremes.map((extreme) => [name, extreme, make] as const),
);

it.each(cases)(
  `%s: %s among keys near each other (seed ${random.seed})`,
  async (_, extreme, make) => {
    for (const place of PLACES) {
      const keys = make();
      keys[place] = extreme as never;
      const sorted = keys.slice().sort();
      await backend.sort(makeRequest('sort', [keys]));
      expect(keys, `at place ${place}`).toEqual(sorted);
    }
  },
);
