/** The stages of a sort by regular sampling, each alone, against their twins. */

import { sample } from '@keysweep/conformance/data';
import { LAYOUTS, maxSampled, sampledGroups } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { chain, SOFTWARE_SAMPLING } from '../chained-devices.js';
import { sortBuckets } from '../twins/regular-sampling/sort-buckets.js';
import { sortRuns } from '../twins/regular-sampling/sort-runs.js';
import { commandNumbers, runStage } from './gpu-stage.js';
import {
  constantsOf,
  movedBy,
  orderOf,
  pingPong,
  ROUNDS,
  random,
  randomInput,
  seed,
  WIDTHS,
  withValues,
} from './inputs.js';

/** Words of a plan, at least. */
const PLAN_WORDS = 256;

/** Declares the checks of a sort by regular sampling, by its stages. */
export function describeRegularSampling(device: () => GPUDevice): void {
  describe.each(sample(WIDTHS, 1, seed + 4))(
    'regular sampling, $keyWords words a key, $valueWords a value',
    (widths) => {
      const sampling = SOFTWARE_SAMPLING;
      const run = sampling.run.threads * sampling.run.keys;

      /** A random input, and its runs. */
      function given() {
        const shape = chain(device()).chained![widths.keyWords].few;
        const input = randomInput(widths, maxSampled(sampling));
        const { keyType, keyBits, records, order } = input;
        // Without values keys of which only some bits decide are sorted in another way.
        if (widths.valueWords === 0 && keyBits !== undefined) return undefined;
        const hasNanTies = widths.valueWords > 0 && keyType.startsWith('f');
        // Without values NaNs are in the order of their words, too.
        const strict = hasNanTies ? order : { ...order, lowest: 0n, highest: 2n ** 64n };
        const wait = { lookLimit: 0, stalledTile: undefined };
        const specialization = { ...widths, chained: { ...shape, ...wait, hasNanTies, sampling } };
        return { input, order: strict, specialization, runs: sortRuns(records, strict, run) };
      }

      it('sort runs: each run in order', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const made = given();
          if (made === undefined) continue;
          const { input, specialization, runs } = made;
          const { count, offset, records, what } = input;
          const uniform = orderOf(device(), input);
          const results = await runStage(
            device(),
            'sortRuns',
            constantsOf(specialization, 'sortRuns'),
            [{ 0: uniform }, commandNumbers(count, offset), pingPong(widths, records, offset, 0)],
            Math.ceil(count / run) + random.below(2),
          );
          uniform.destroy();
          expect(movedBy(widths, results[2], 0, count), what).toEqual(withValues(widths, runs));
        }
      });

      it('sort buckets: all runs in one order', async () => {
        for (let round = 0; round < 2 * ROUNDS; round++) {
          const made = given();
          if (made === undefined) continue;
          const { input, order, specialization, runs } = made;
          const { count, offset, what } = input;
          const uniform = orderOf(device(), input);
          const results = await runStage(
            device(),
            'sortBuckets',
            constantsOf(specialization, 'sortBuckets'),
            [
              { 0: uniform, 1: new Uint32Array(PLAN_WORDS) },
              commandNumbers(count, offset),
              pingPong(widths, runs, 0, offset),
            ],
            sampledGroups(sampling, count).buckets + random.below(2),
          );
          uniform.destroy();
          const expected = withValues(widths, sortBuckets(runs, order));
          expect(movedBy(widths, results[2], offset, count), what).toEqual(expected);
          if (count > 0) expect(results[0]?.[1]?.[LAYOUTS.Plan.passesRun / 4]).toBe(2);
        }
      });
    },
  );
}
