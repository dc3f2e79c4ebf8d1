/** A hybrid sort that the counts of its digits decide, each stage alone, against the twins. */

import { batchAimOf, batchOf, CONSTANTS, LAYOUTS } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { digitStarts } from '../twins/chained-scan/digit-starts.js';
import { histogram, isSorted } from '../twins/chained-scan/histogram.js';
import { batchSort } from '../twins/hybrid/batch-sort.js';
import { batchStarts } from '../twins/hybrid/batch-starts.js';
import { batchCount, bucketOf } from '../twins/hybrid/batches.js';
import { isCountedEven } from '../twins/hybrid/counted-decision.js';
import { split } from '../twins/hybrid/split.js';
import { bitsOf, clampWord, type KeyOrder, type Records, wordOf } from '../twins/order.js';
import { commandNumbers, runStage } from './gpu-stage.js';
import { COUNTED, hybridWidths, partsOf, planned, planOf, withKeys } from './hybrid-inputs.js';
import { exchangedIn, exchangeOf } from './hybrid-records.js';
import {
  constantsOf,
  type Input,
  orderOf,
  pingPong,
  placed,
  ROUNDS,
  random,
  seed,
  withValues,
} from './inputs.js';

const { RADIX, BUCKETS, HYBRID_PASSES, TILE_COUNTERS, HYBRID_MODE, BY_SWEEPS } = CONSTANTS;

/** Declares the checks. */
export function describeHybridCounted(device: () => GPUDevice): void {
  describe.each(hybridWidths(seed + 5))(
    'a hybrid sort by counts, $keyWords words a key, $valueWords a value',
    (widths) => {
      const { keyWords, valueWords } = widths;
      const { starts: startsAt, statuses: statusesAt } = partsOf(widths, COUNTED, 1, 1);

      /** Random keys: even; or full of one digit; alike in some bytes, or in both digits. */
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
        ['alike in some bytes', 3],
        ['alike in both digits', 4],
      ] as const)('histogram: whether a sort is hybrid, where keys are %s', async (_, kind) => {
        const any = planned(device(), widths, 9000, COUNTED);
        const { input, specialization, hasNanTies, tile } = withKeys(
          any,
          keysOf(kind, any.input.order, 70_000),
        );
        const { order, offset, count, records, what } = input;
        const { keys } = records;
        const counts = histogram(keys, order, hasNanTies);
        const isHybrid = isCountedEven(keys, counts, order, batchAimOf(COUNTED), hasNanTies);
        // Digits of floats are not: NaNs have a word, and some words none.
        if (!input.keyType.startsWith('f')) expect(isHybrid, what).toBe(kind === 0);
        const uniform = orderOf(device(), input);
        const [[, plan, state] = []] = await runStage(
          device(),
          'histogram',
          constantsOf(specialization, 'histogram'),
          [
            {
              0: uniform,
              1: planOf(widths, input),
              2: new Uint32Array(statusesAt + RADIX * Math.ceil(count / tile)),
            },
            commandNumbers(count, offset),
            { 0: placed(keys, offset, keyWords) },
          ],
          1 + random.below(3),
        );
        uniform.destroy();
        const field = (name: 'mode' | 'passesRun' | 'batchBuckets'): number =>
          (plan as Uint32Array)[LAYOUTS.Plan[name] / 4] as number;
        expect(field('mode'), what).toBe(isHybrid ? HYBRID_MODE : BY_SWEEPS);
        const sorted = isSorted(keys, order, hasNanTies);
        const known = digitStarts(isHybrid ? counts.slice(-2) : counts, count, offset, sorted);
        expect(field('passesRun'), what).toBe(known.passes.length);
        // The statuses have room for the starts of the batches, and for their numbers.
        const batches = batchCount(field('batchBuckets'));
        expect(field('batchBuckets'), what).toBeGreaterThan(0);
        expect(2 * batches + 1, what).toBeLessThanOrEqual(RADIX * Math.ceil(count / tile));
        // Counts, of cells too, are zero again.
        const expected = new Uint32Array(statusesAt);
        expected.set(known.starts.flat(), startsAt);
        const found = (state as Uint32Array).slice(TILE_COUNTERS, statusesAt);
        expect([...found], what).toEqual([...expected.slice(TILE_COUNTERS)]);
      });

      it('histogram: keys in order are of no kind', async () => {
        const any = planned(device(), widths, 9000, COUNTED);
        const { order, offset } = any.input;
        const words = keysOf(0, order, 70_000).map((key) => wordOf(key, order));
        words.sort((a, b) => (a < b ? -1 : 1));
        const { input, specialization, tile } = withKeys(
          any,
          words.map((word) => bitsOf(word, order)),
        );
        const state = new Uint32Array(statusesAt + RADIX * Math.ceil(input.count / tile));
        const uniform = orderOf(device(), input);
        const [[, plan] = []] = await runStage(
          device(),
          'histogram',
          constantsOf(specialization, 'histogram'),
          [
            { 0: uniform, 1: planOf(widths, input), 2: state },
            commandNumbers(input.count, offset),
            { 0: placed(input.records.keys, offset, keyWords) },
          ],
          1 + random.below(3),
        );
        uniform.destroy();
        expect((plan as Uint32Array)[LAYOUTS.Plan.mode / 4], input.what).toBe(BY_SWEEPS);
        expect((plan as Uint32Array)[LAYOUTS.Plan.passesRun / 4], input.what).toBe(0);
      });

      /**
       * Records in the order of their buckets. A batch has `share` of what fits a workgroup, as far
       * as they are evenly spread.
       */
      function grouped(share = 0.5) {
        const any = planned(device(), widths, 900, COUNTED);
        const { order, records: raw, count } = any.input;
        const { hasNanTies, specialization, words } = any;
        const buckets = words.map((word) => bucketOf(word, order, hasNanTies));
        const records = split({ keys: [...words], values: raw.values }, buckets);
        const fitting = Math.ceil((share * BUCKETS * batchOf(COUNTED)) / count);
        const batchBuckets = Math.min(BUCKETS, fitting);
        const starts = batchStarts(records.keys, order, batchBuckets, hasNanTies);
        const input = { ...any.input, records };
        return { input, specialization, hasNanTies, batchBuckets, starts };
      }

      it('third sweep: the first key of each batch', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const { input, specialization, hasNanTies, batchBuckets, starts } = grouped();
          const { order, records, offset, what } = input;
          const state = new Uint32Array(statusesAt + starts.length);
          const digits = records.keys.map((word) => bucketOf(word, order, hasNanTies) >> 8);
          for (let digit = 0; digit < RADIX; digit++) {
            state[startsAt + RADIX + digit] = digits.filter((own) => own < digit).length;
          }
          const uniform = orderOf(device(), input);
          const [found = []] = await runStage(
            device(),
            'sweep',
            constantsOf(specialization, 'sweep'),
            [
              { 0: uniform, 1: planOf(widths, input, { batchBuckets }), 2: state },
              { 0: Uint32Array.of(HYBRID_PASSES) },
              pingPong(widths, records, offset, 0),
            ],
            1 + random.below(3),
          );
          uniform.destroy();
          expect([...(found[2] as Uint32Array).slice(statusesAt)], what).toEqual(starts);
        }
      });

      /** Records as they are when all batches are sorted. */
      function after({ order, records }: Input, starts: readonly number[], hasNanTies: boolean) {
        const parts = starts.slice(0, -1).map((start, batch): Records => {
          const end = starts[batch + 1];
          const own = {
            keys: records.keys.slice(start, end),
            values: records.values.slice(start, end),
          };
          return batchSort(own, order, hasNanTies);
        });
        return withValues(widths, {
          keys: parts.flatMap(({ keys }) => keys),
          values: parts.flatMap(({ values }) => values),
        });
      }

      it.each([
        ['that fit', 0.5],
        ['that are long', 1.25],
      ])('batch sort: batches %s in order', async (_, share) => {
        for (let round = 0; round < 2 * ROUNDS; round++) {
          const { input, specialization, hasNanTies, batchBuckets, starts } = grouped(share);
          const { records, what } = input;
          const isHybrid = round % 4 < 3;
          const mode = isHybrid ? HYBRID_MODE : BY_SWEEPS;
          const state = new Uint32Array(statusesAt + 2 * starts.length).fill(~0);
          state.set(starts, statusesAt);
          const uniform = orderOf(device(), input);
          const results = await runStage(
            device(),
            'batchSort',
            constantsOf(specialization, 'batchSort'),
            [
              { 0: uniform, 1: planOf(widths, input, { batchBuckets, mode }), 2: state },
              {},
              exchangeOf(widths, input),
            ],
            1 + random.below(3),
          );
          uniform.destroy();
          const expected = isHybrid
            ? after(input, starts, hasNanTies)
            : withValues(widths, records);
          expect(exchangedIn(widths, results[2], input), what).toEqual(expected);
          // Only batches that are long, or have NaNs or crowded cells.
          const noted = [...(results[0]?.[2] ?? []).slice(statusesAt + starts.length)];
          for (const batch of noted.filter((word) => word !== ~0 >>> 0)) {
            const own = records.keys.slice(starts[batch], starts[batch + 1]);
            const isCrowded = new Set(own).size < own.length || own.length > 12;
            const hasTies = hasNanTies && own.some((word) => clampWord(word, input.order) !== word);
            expect(isCrowded || hasTies || valueWords > 0, `batch ${batch}, ${what}`).toBe(true);
          }
        }
      });

      it('batch sort: no long batch of random keys that fits', async () => {
        const any = planned(device(), widths, 900, COUNTED);
        const { order } = any.input;
        const count = 800;
        // With values, places take 8 bits of an item, and buckets the highest 16 of a word.
        const batchBuckets = valueWords > 0 ? 256 : 8192;
        const words = keysOf(0, order, count).map((key) => wordOf(key, order));
        const spread = valueWords > 0 ? 256n : 1n;
        const near = words.map((word) => (valueWords > 0 ? word / spread : word));
        const keys = near
          .filter((word) => clampWord(word, order) === word)
          .map((word) => bitsOf(word, order));
        const own = withKeys(any, keys);
        const buckets = own.words.map((word) => bucketOf(word, order, false));
        const { values } = own.input.records;
        const records = split({ keys: [...own.words], values }, buckets);
        const input = { ...own.input, records };
        const starts = batchStarts(records.keys, order, batchBuckets, false);
        const fitting = starts.slice(1).every((end, i) => end - (starts[i] as number) <= 160);
        const state = new Uint32Array(statusesAt + 2 * starts.length).fill(~0);
        state.set(starts, statusesAt);
        const uniform = orderOf(device(), input);
        const results = await runStage(
          device(),
          'batchSort',
          constantsOf(own.specialization, 'batchSort'),
          [
            { 0: uniform, 1: planOf(widths, input, { batchBuckets }), 2: state },
            {},
            exchangeOf(widths, input),
          ],
          7,
        );
        uniform.destroy();
        const noted = [...(results[0]?.[2] ?? []).slice(statusesAt + starts.length)];
        if (fitting) expect(noted.filter((word) => word !== ~0 >>> 0)).toEqual([]);
        expect(exchangedIn(widths, results[2], input)).toEqual(after(input, starts, false));
      });
    },
  );
}
