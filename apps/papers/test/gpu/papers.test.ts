/**
 * The papers' sorts on a software GPU: the conformance suite's checks of the order, for u32 keys,
 * and for pairs where the sort is stable.
 */

import '../../../../packages/webgpu/test/software-gpu.js';
import {
  DISTRIBUTIONS,
  type Distribution,
  draw,
  isThorough,
  runSeed,
  sample,
} from '@keysweep/conformance/data';
import { checkOf, runCheck } from '@keysweep/conformance/gpu';
import { ALGORITHMS, type Algorithm, PaperSorter, TILE } from '@keysweep/papers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  sharedWatchedDevice,
  type WatchedDevice,
} from '../../../../packages/webgpu/test/watched-device.js';
import { testRandom } from '../../../../tools/test/random.js';
import { subjectOf } from '../../src/bench/subject.js';

const seed = runSeed();
const random = testRandom();
console.log(`seed ${seed} (KEYSWEEP_SEED repeats it)`);

/** The longest input that tests sort. */
const LONGEST = isThorough ? 2 ** 16 : 12 * TILE;

const RANDOM = DISTRIBUTIONS.find(({ name }) => name === 'random bits') as Distribution;

let watched: WatchedDevice;

beforeAll(async () => {
  watched = await sharedWatchedDevice();
});

afterAll(async () => {
  await watched.assertClean();
  watched.device.destroy();
});

/** None, few, around whole tiles and workgroups, and many of no particular number. */
function lengthsOf({ maxLength }: Algorithm): number[] {
  const most = Math.min(maxLength, LONGEST);
  const fixed = [0, 1, 2, 3, 255, 257, TILE - 1, TILE, TILE + 1, 2 * TILE + 1, 5 * TILE];
  const long = isThorough ? [2 ** 14, 2 ** 16] : [];
  const fitting = [...fixed, ...long].filter((length) => length <= most);
  const few = isThorough ? fitting : sample(fitting, 2);
  return [...few, 1 + random.below(most)];
}

/** Each of their kernels is compared with its twin in every run: see stages.test.ts. */
describe.each(sample(ALGORITHMS, 3, seed))('$name', (algorithm) => {
  const kinds = [
    ...(algorithm.isForPairs ? [] : [undefined]),
    ...(algorithm.isStable ? ['u32' as const] : []),
  ];

  it.each(kinds)('sorts any length and distribution, values: %s', async (valueType) => {
    const ties = DISTRIBUTIONS.filter(({ name }) => name === '16 distinct');
    const distributions = isThorough ? DISTRIBUTIONS : [...ties, ...sample(DISTRIBUTIONS, 1)];
    for (const count of lengthsOf(algorithm)) {
      // Where a check takes seconds, one distribution.
      const some = count > 2 ** 13 ? draw(DISTRIBUTIONS, 1, random) : distributions;
      for (const distribution of some) {
        const sort = {
          keyType: 'u32',
          valueType,
          order: 'ascending',
          count,
          distribution,
        } as const;
        await runCheck(
          checkOf(sort),
          subjectOf(watched.device, algorithm, random, isThorough),
          seed,
        );
      }
    }
  });

  it('sorts 2^22 keys, or as many as it takes', async ({ skip }) => {
    skip(!isThorough, 'thorough runs sort so many');
    const { isForPairs = false, maxLength } = algorithm;
    const distributions = [RANDOM, ...draw(DISTRIBUTIONS, 1, random)];
    for (const distribution of distributions) {
      const sort = {
        keyType: 'u32',
        valueType: isForPairs ? 'u32' : undefined,
        order: 'ascending',
        count: Math.min(maxLength, 2 ** 22),
        distribution,
      } as const;
      await runCheck(checkOf(sort), subjectOf(watched.device, algorithm, random, isThorough), seed);
    }
  });

  it('says what it does not sort', () => {
    const create = (count: number, hasValues: boolean) => () =>
      PaperSorter.create(watched.device, algorithm, { count, hasValues });
    const { isForPairs = false, isStable, maxLength } = algorithm;
    expect(create(maxLength + 1, isForPairs)).toThrow(/keys at most/);
    if (!isStable) expect(create(2, true)).toThrow(/moves no values/);
    if (isForPairs) expect(create(2, false)).toThrow(/with values alone/);
  });
});
