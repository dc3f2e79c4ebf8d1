/** What a hybrid sort finds out before its sweeps, each stage alone, against the twins. */

import { sample as drawn } from '@keysweep/conformance/data';
import { batchAimOf, CONSTANTS, LAYOUTS, maxPassesOf, SAMPLE_WORDS } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { digitStarts } from '../twins/chained-scan/digit-starts.js';
import { histogram, isSorted } from '../twins/chained-scan/histogram.js';
import { batchCount, bucketOf, bucketsOf, leadOf } from '../twins/hybrid/batches.js';
import { isCountedEven, wholeBuckets } from '../twins/hybrid/counted-decision.js';
import { isEven } from '../twins/hybrid/decision.js';
import { sample } from '../twins/hybrid/sample.js';
import { bitsOf, clampWord, type KeyOrder, wordOf } from '../twins/order.js';
import { commandNumbers, runStage } from './gpu-stage.js';
import { BATCH, HYBRID_WIDTHS, type Planned, partsOf, planned, planOf } from './hybrid-inputs.js';
import { constantsOf, orderOf, placed, ROUNDS, random, seed } from './inputs.js';

const { RADIX, TILE_COUNTERS } = CONSTANTS;

/** Declares the checks. */
export function describeHybridPlan(device: () => GPUDevice): void {
  describe.each(drawn(HYBRID_WIDTHS, 1, seed + 2))(
    'the plan of a hybrid sort, $keyWords words a key, $valueWords a value',
    (widths) => {
      const { keyWords } = widths;
      const maxPasses = maxPassesOf(keyWords);
      const parts = partsOf(widths);

      /** Takes the sample by `groups` workgroups. Resolves to whether it says hybrid. */
      async function runSample(
        { input, specialization }: Planned,
        groups: number,
      ): Promise<boolean> {
        const { order, records, count, offset, what } = input;
        const known = sample(records.keys, order, groups);
        const isHybrid = known.pays && isEven(known.counts, count, batchAimOf(BATCH));
        const uniform = orderOf(device(), input);
        const [[, plan, state] = []] = await runStage(
          device(),
          'sample',
          constantsOf(specialization, 'sample'),
          [
            { 0: uniform, 1: planOf(widths, input, undefined), 2: new Uint32Array(parts.statuses) },
            commandNumbers(count, offset),
            { 0: placed(records.keys, offset, keyWords) },
          ],
          groups,
        );
        uniform.destroy();
        const expected = planOf(widths, input, isHybrid ? known : undefined);
        // What the histogram writes.
        for (const field of ['count', 'offset', 'passesRun'] as const) {
          const at = LAYOUTS.Plan[field] / 4;
          expected[at] = (plan as Uint32Array)[at] as number;
        }
        expect([...(plan as Uint32Array)], what).toEqual([...expected]);
        expect((state as Uint32Array).slice(TILE_COUNTERS).every((word) => word === 0)).toBe(true);
        return isHybrid;
      }

      it('sample: whether a sort is hybrid, and its buckets', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          await runSample(planned(device(), widths, 9000), 1 + random.below(3));
        }
      });

      /** Random keys: even; or full of one digit; of one bucket; alike in some bytes. */
      function keysOf(kind: number, order: KeyOrder, count: number): bigint[] {
        const bits = BigInt(32 * keyWords);
        return Array.from({ length: count }, () => {
          let word: bigint;
          do {
            word = BigInt.asUintN(
              32 * keyWords,
              (BigInt(random.bits()) << 32n) | BigInt(random.bits()),
            );
            // Not the smallest digit or bucket, nor the largest: NaNs have these.
            if (kind === 1 && random.below(8) === 0)
              word = BigInt.asUintN(32 * keyWords - 8, word) | (99n << (bits - 8n));
            if (kind === 2 && random.below(40) === 0)
              word = BigInt.asUintN(32 * keyWords - 16, word) | (9999n << (bits - 16n));
            if (kind === 3) word &= keyWords === 1 ? ~0xffn : ~0xffffffn;
            // The digits of a bucket's number are the same: each of them is even.
            if (kind === 4)
              word =
                BigInt.asUintN(32 * keyWords - 8, word) |
                (((word >> (bits - 16n)) & 255n) << (bits - 8n));
          } while (clampWord(word, order) !== word);
          return bitsOf(word, order);
        });
      }

      it.each([
        ['even', 0],
        ['full of one digit', 1],
        ['full of one bucket', 2],
        ['alike in some bytes', 3],
      ] as const)('sample: where keys are %s', async (_, kind) => {
        const any = planned(device(), widths, 9000);
        const { order } = any.input;
        const count = 9000;
        const keys = keysOf(kind, order, count);
        const input = { ...any.input, count, records: { keys, values: keys.map(() => 0n) } };
        expect(await runSample({ ...any, input }, 3), input.what).toBe(kind === 0);
      });

      it.each([
        ['even', 0],
        ['full of one digit', 1],
        ['alike in some bytes', 3],
        ['alike in both digits', 4],
      ] as const)('histogram: whether a sort is hybrid, where keys are %s', async (_, kind) => {
        const { input: any, specialization, hasNanTies } = planned(device(), widths, 9000);
        const { order, offset, what } = any;
        const count = 70_000;
        const keys = keysOf(kind, order, count);
        const input = { ...any, count, records: { keys, values: keys.map(() => 0n) } };
        const counts = histogram(keys, order, hasNanTies);
        const isHybrid = isCountedEven(keys, counts, order, batchAimOf(BATCH), hasNanTies);
        // Digits of floats are not: NaNs have a word, and some words none.
        if (!input.keyType.startsWith('f')) expect(isHybrid, what).toBe(kind === 0);
        const batch = { ...BATCH, isSampled: false };
        const counted = { ...specialization, chained: { ...specialization.chained!, batch } };
        const uniform = orderOf(device(), input);
        const [[, plan, state] = []] = await runStage(
          device(),
          'histogram',
          constantsOf(counted, 'histogram'),
          [
            {
              0: uniform,
              1: planOf(widths, input, undefined),
              2: new Uint32Array(parts.statuses + RADIX * Math.ceil(count / 32)),
            },
            commandNumbers(count, offset),
            { 0: placed(keys, offset, keyWords) },
          ],
          1 + random.below(3),
        );
        uniform.destroy();
        const field = (name: 'isHybrid' | 'passesRun' | 'bucketShift'): number =>
          (plan as Uint32Array)[LAYOUTS.Plan[name] / 4] as number;
        expect(field('isHybrid'), what).toBe(isHybrid ? 1 : 0);
        const sorted = isSorted(keys, order, hasNanTies);
        const known = digitStarts(isHybrid ? counts.slice(-2) : counts, count, offset, sorted);
        expect(field('passesRun'), what).toBe(known.passes.length);
        if (isHybrid) expect(field('bucketShift'), what).toBe(wholeBuckets(order).bucketShift);
        // Counts, of cells too, are zero again.
        const expected = new Uint32Array(2 * RADIX * maxPasses + SAMPLE_WORDS);
        expected.set(known.starts.flat(), RADIX * maxPasses);
        const found = (state as Uint32Array).slice(TILE_COUNTERS, parts.statuses);
        expect([...found], what).toEqual([...expected]);
      });

      it('histogram: the two digits of a bucket, or no pass for keys in order', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const { input, specialization, hasNanTies, tile } = planned(device(), widths, 3000);
          const { order, count, offset, what } = input;
          const words = input.records.keys.map((key) => wordOf(key, order));
          if (round === 0) words.sort((a, b) => (a < b ? -1 : 1));
          const records = { ...input.records, keys: words.map((word) => bitsOf(word, order)) };
          const buckets = bucketsOf(
            words.slice(0, 9).map((word) => leadOf(word, order)),
            order,
          );
          const counts = new Array<number>(2 * RADIX).fill(0);
          for (const word of words) {
            const bucket = bucketOf(word, order, buckets, hasNanTies);
            for (const at of [bucket & 255, RADIX + (bucket >> 8)]) {
              counts[at] = (counts[at] as number) + 1;
            }
          }
          const uniform = orderOf(device(), input);
          const [[, plan, state] = []] = await runStage(
            device(),
            'histogram',
            constantsOf(specialization, 'histogram'),
            [
              {
                0: uniform,
                1: planOf(widths, input, buckets),
                2: new Uint32Array(parts.statuses + RADIX * 200),
              },
              commandNumbers(count, offset),
              { 0: placed(records.keys, offset, keyWords) },
            ],
            1 + random.below(3),
          );
          uniform.destroy();
          const expected = new Uint32Array(2 * RADIX * maxPasses);
          const sorted = isSorted(records.keys, order, hasNanTies);
          for (const digit of sorted ? [] : [0, RADIX]) {
            let sum = 0;
            for (let at = digit; at < digit + RADIX; at++) {
              // Behind the counts, which are zero again.
              expected[RADIX * maxPasses + at] = sum;
              sum += counts[at] as number;
            }
          }
          const found = (state as Uint32Array).slice(TILE_COUNTERS, parts.sample);
          expect([...found], what).toEqual([...expected]);
          const field = (name: 'isHybrid' | 'passesRun' | 'batchBuckets'): number =>
            (plan as Uint32Array)[LAYOUTS.Plan[name] / 4] as number;
          expect(field('isHybrid'), what).toBe(sorted ? 0 : 1);
          expect(field('passesRun'), what).toBe(sorted ? 0 : 2);
          // The statuses have room for the starts of the batches, and for their numbers.
          const batches = batchCount(field('batchBuckets'));
          expect(field('batchBuckets'), what).toBeGreaterThan(0);
          expect(2 * batches + 1, what).toBeLessThanOrEqual(RADIX * Math.ceil(count / tile));
        }
      });
    },
  );
}
