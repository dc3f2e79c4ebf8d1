/** The stages of a hybrid sort, each alone, against their twins. */

import { sample as drawn } from '@keysweep/conformance/data';
import {
  type BatchShape,
  batchAimOf,
  batchOf,
  CONSTANTS,
  LAYOUTS,
  maxPassesOf,
  SAMPLE_WORDS,
  type Widths,
} from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { batchSort } from '../../../../kernels/wgsl/twins/hybrid/batch-sort.js';
import { batchStarts } from '../../../../kernels/wgsl/twins/hybrid/batch-starts.js';
import {
  type Buckets,
  batchCount,
  bucketOf,
  bucketsOf,
  leadOf,
} from '../../../../kernels/wgsl/twins/hybrid/batches.js';
import { isEven } from '../../../../kernels/wgsl/twins/hybrid/decision.js';
import { sample } from '../../../../kernels/wgsl/twins/hybrid/sample.js';
import { clampWord, type Records, wordOf } from '../../../../kernels/wgsl/twins/order.js';
import { chain } from '../chained-devices.js';
import { commandNumbers, numbersFrom, planWords, runStage } from './gpu-stage.js';
import {
  constantsOf,
  type Input,
  orderOf,
  placed,
  ROUNDS,
  random,
  randomInput,
  seed,
  withValues,
} from './inputs.js';

const { RADIX, TILE_COUNTERS, BUCKETS, SAMPLE_CELLS } = CONSTANTS;

/** Records that may be sorted so. */
const WIDTHS: readonly Widths[] = [
  { keyWords: 1, valueWords: 0, approximate: false },
  { keyWords: 1, valueWords: 1, approximate: false },
  { keyWords: 1, valueWords: 2, approximate: false },
  { keyWords: 2, valueWords: 0, approximate: false },
];

const BATCH: BatchShape = { threads: 32, keys: 5, least: 2 };

/** Declares the checks of a hybrid sort, by its stages. */
export function describeHybrid(device: () => GPUDevice): void {
  describe.each(drawn(WIDTHS, 1, seed + 2))(
    'a hybrid sort, $keyWords words a key, $valueWords a value',
    (widths) => {
      const { keyWords, valueWords } = widths;
      const maxPasses = maxPassesOf(keyWords);
      const sampleAt = TILE_COUNTERS + 2 * RADIX * maxPasses;
      const statusesAt = sampleAt + SAMPLE_WORDS;

      /** An input without key bits, which is never sorted so, and what is compiled. */
      function planned(maxCount: number) {
        let input = randomInput(widths, maxCount);
        while (input.keyBits !== undefined || input.count < 2)
          input = randomInput(widths, maxCount);
        const shape = chain(device()).chained![keyWords].many;
        const hasNanTies = valueWords > 0 && input.keyType.startsWith('f');
        const waits = { lookLimit: 16, stalledTile: undefined };
        const chained = { ...shape, ...waits, hasNanTies, batch: BATCH };
        const tile = shape.threads * shape.keys;
        return { input, hasNanTies, specialization: { ...widths, chained }, tile };
      }

      /** The plan of a hybrid sort. */
      function planOf(
        { count, offset }: Input,
        buckets: Buckets | undefined,
        batchBuckets = 0,
      ): Uint32Array {
        const none = { tilesPerBlock: 0, blocks: 0, spineLanes: 0 };
        const plan = { count, offset, ...none, passesSkipped: 0, passes: [] };
        const words = planWords(plan, maxPasses, false);
        words[LAYOUTS.Plan.isHybrid / 4] = buckets === undefined ? 0 : 1;
        words.set(buckets?.bounds ?? [0, 0xffffffff], LAYOUTS.Plan.bounds / 4);
        words[LAYOUTS.Plan.bucketShift / 4] = buckets?.bucketShift ?? 0;
        words[LAYOUTS.Plan.batchBuckets / 4] = batchBuckets;
        return words;
      }

      it('sample: buckets, and the counts of some keys', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const { input, specialization } = planned(9000);
          const { order, records, count, offset, what } = input;
          const groups = 1 + random.below(3);
          const known = sample(records.keys, order, groups);
          const uniform = orderOf(device(), input);
          const [[, plan, state] = []] = await runStage(
            device(),
            'sample',
            constantsOf(specialization, 'sample'),
            [
              { 0: uniform, 1: planOf(input, undefined), 2: new Uint32Array(statusesAt) },
              commandNumbers(count, offset),
              { 0: placed(records.keys, offset, keyWords) },
            ],
            groups,
          );
          uniform.destroy();
          expect([...(state as Uint32Array).slice(sampleAt)], what).toEqual(known.counts);
          const found = planOf(input, known);
          found[LAYOUTS.Plan.isHybrid / 4] = known.pays ? 1 : 0;
          for (const field of [0, LAYOUTS.Plan.count / 4, LAYOUTS.Plan.offset / 4]) {
            (plan as Uint32Array)[field] = found[field] as number;
          }
          expect([...(plan as Uint32Array)], what).toEqual([...found]);
        }
      });

      it.each([
        ['even', 0],
        ['full of one digit', 1],
        ['full of one bucket', 2],
      ] as const)('decision: where a sample is %s', async (_, kind) => {
        const { input, specialization } = planned(9000);
        const counts = Array.from({ length: RADIX + SAMPLE_CELLS }, (_, at) =>
          at < RADIX ? 32 + random.below(9) : 8 + random.below(9),
        );
        if (kind === 1) counts[random.below(RADIX)] = 300;
        if (kind === 2) counts[RADIX + random.below(SAMPLE_CELLS)] = 60;
        const state = new Uint32Array(statusesAt);
        state.set(counts, sampleAt);
        const buckets = bucketsOf([0, 0xffffffff], input.order);
        const uniform = orderOf(device(), input);
        // Nothing is read at an offset.
        const { 4: _offset, ...numbers } = commandNumbers(input.count, 0) as Record<number, never>;
        const [[, plan, after] = []] = await runStage(
          device(),
          'decision',
          constantsOf(specialization, 'decision'),
          [{ 0: uniform, 1: planOf(input, buckets), 2: state }, numbers],
          1,
        );
        uniform.destroy();
        const isHybrid = isEven(counts, input.count, batchAimOf(BATCH));
        expect(isHybrid).toBe(kind === 0);
        expect([...(plan as Uint32Array)]).toEqual([
          ...planOf(input, isHybrid ? buckets : undefined),
        ]);
        expect((after as Uint32Array).every((word) => word === 0)).toBe(true);
      });

      it('histogram and digit starts: the two digits of a bucket', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const { input, specialization, hasNanTies } = planned(3000);
          const { order, records, count, offset, what } = input;
          const words = records.keys.map((key) => wordOf(key, order));
          const buckets = bucketsOf(
            words.slice(0, 9).map((word) => leadOf(word, order)),
            order,
          );
          const counts = new Array<number>(RADIX * maxPasses).fill(0);
          for (const word of words) {
            const bucket = bucketOf(word, order, buckets, hasNanTies);
            for (const at of [bucket & 255, RADIX + (bucket >> 8)]) {
              counts[at] = (counts[at] as number) + 1;
            }
          }
          const uniform = orderOf(device(), input);
          const state = new Uint32Array(statusesAt + RADIX * 200);
          const [[, , counted] = []] = await runStage(
            device(),
            'histogram',
            constantsOf(specialization, 'histogram'),
            [
              { 0: uniform, 1: planOf(input, buckets), 2: state },
              commandNumbers(count, offset),
              { 0: placed(records.keys, offset, keyWords) },
            ],
            1 + random.below(3),
          );
          const found = (counted as Uint32Array).slice(
            TILE_COUNTERS,
            TILE_COUNTERS + RADIX * maxPasses,
          );
          expect([...found], what).toEqual(counts);
          const [[, plan, started] = []] = await runStage(
            device(),
            'digitStarts',
            constantsOf(specialization, 'digitStarts'),
            [
              { 0: uniform, 1: planOf(input, buckets), 2: counted as Uint32Array },
              commandNumbers(count, offset),
            ],
            1,
          );
          uniform.destroy();
          const startsAt = TILE_COUNTERS + RADIX * maxPasses;
          const starts = (started as Uint32Array).slice(startsAt, startsAt + 2 * RADIX);
          const expected = [0, RADIX].flatMap((digit) => {
            let sum = 0;
            return counts.slice(digit, digit + RADIX).map((own) => {
              sum += own;
              return sum - own;
            });
          });
          expect([...starts], what).toEqual(expected);
          const field = (name: 'passesRun' | 'batchBuckets'): number =>
            (plan as Uint32Array)[LAYOUTS.Plan[name] / 4] as number;
          expect(field('passesRun'), what).toBe(2);
          // The statuses have room for the starts of the batches, and for their numbers.
          const tiles = Math.ceil(
            count / (specialization.chained.threads * specialization.chained.keys),
          );
          expect(field('batchBuckets'), what).toBeGreaterThan(0);
          expect(2 * batchCount(field('batchBuckets')) + 1, what).toBeLessThanOrEqual(
            RADIX * tiles,
          );
        }
      });

      /** Records of which most batches fit a workgroup, in the order of their buckets. */
      function grouped() {
        const { input: any, specialization, hasNanTies } = planned(900);
        const { order } = any;
        const words = any.records.keys.map((key) => wordOf(key, order));
        // As a sample may show: some words are beyond the buckets, and count for the nearest one.
        const buckets = bucketsOf(
          words.slice(0, 1 + random.below(9)).map((word) => leadOf(word, order)),
          order,
        );
        const bucketAt = (row: number): number =>
          bucketOf(words[row] as bigint, order, buckets, hasNanTies);
        const rows = words.map((_, row) => row).sort((a, b) => bucketAt(a) - bucketAt(b) || a - b);
        const records = {
          keys: rows.map((row) => words[row] as bigint),
          values: rows.map((row) => any.records.values[row] as bigint),
        };
        // Of keys that are evenly spread, half of what fits.
        const fitting = Math.ceil((BUCKETS * batchOf(BATCH)) / (2 * any.count));
        const batchBuckets = Math.min(BUCKETS, fitting);
        const starts = batchStarts(records.keys, order, buckets, batchBuckets, hasNanTies);
        const input = { ...any, records };
        return { input, specialization, hasNanTies, buckets, batchBuckets, starts };
      }

      /** Keys and values behind `offset` others. */
      const buffersOf = ({ records, offset }: Input): Record<number, Uint32Array> =>
        valueWords === 0
          ? { 0: placed(records.keys, offset, keyWords) }
          : {
              0: placed(records.keys, offset, keyWords),
              1: placed(records.values, offset, valueWords),
            };

      it('batch starts: the first key of each batch', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const { input, specialization, hasNanTies, buckets, batchBuckets, starts } = grouped();
          const { order, records, offset, what } = input;
          const state = new Uint32Array(statusesAt + starts.length);
          const digits = records.keys.map(
            (word) => bucketOf(word, order, buckets, hasNanTies) >> 8,
          );
          for (let digit = 0; digit < RADIX; digit++) {
            const at = sampleAt - RADIX * (maxPasses - 1) + digit;
            state[at] = digits.filter((own) => own < digit).length;
          }
          const uniform = orderOf(device(), input);
          const plan = planOf(input, buckets, batchBuckets);
          const [found = []] = await runStage(
            device(),
            'batchStarts',
            constantsOf(specialization, 'batchStarts'),
            [{ 0: uniform, 1: plan, 2: state }, {}, { 0: placed(records.keys, offset, keyWords) }],
            1 + random.below(3),
          );
          uniform.destroy();
          expect([...(found[2] as Uint32Array).slice(statusesAt)], what).toEqual(starts);
        }
      });

      /** Records as they are after the batches of `sorted` were sorted. */
      function after(
        { order, records }: Input,
        starts: readonly number[],
        hasNanTies: boolean,
        isSorted: (batch: number) => boolean,
      ): Records {
        const parts = starts.slice(0, -1).map((start, batch): Records => {
          const end = starts[batch + 1];
          const own = {
            keys: records.keys.slice(start, end),
            values: records.values.slice(start, end),
          };
          return isSorted(batch) ? batchSort(own, order, hasNanTies) : own;
        });
        return withValues(widths, {
          keys: parts.flatMap(({ keys }) => keys),
          values: parts.flatMap(({ values }) => values),
        });
      }

      const recordsIn = (
        group: readonly Uint32Array[] | undefined,
        values: Uint32Array | undefined,
        { offset, count }: Input,
      ): Records => ({
        keys: numbersFrom(group?.[0] ?? new Uint32Array(), keyWords).slice(offset, offset + count),
        values:
          values === undefined ? [] : numbersFrom(values, valueWords).slice(offset, offset + count),
      });

      it('batch sort: each batch in order, or left as it is and noted', async () => {
        for (let round = 0; round < 3 * ROUNDS; round++) {
          const { input, specialization, hasNanTies, buckets, batchBuckets, starts } = grouped();
          const { order, records, what } = input;
          const batches = batchCount(batchBuckets);
          const state = new Uint32Array(statusesAt + 2 * batches + 1);
          state.set(starts, statusesAt);
          const uniform = orderOf(device(), input);
          const results = await runStage(
            device(),
            'batchSort',
            constantsOf(specialization, 'batchSort'),
            [
              { 0: uniform, 1: planOf(input, buckets, batchBuckets), 2: state },
              {},
              buffersOf(input),
            ],
            1 + random.below(batches),
          );
          uniform.destroy();
          const found = results[0]?.[2] as Uint32Array;
          const listAt = statusesAt + batches + 1;
          const left = [...found.slice(listAt, listAt + (found[TILE_COUNTERS - 1] as number))];
          const expected = after(input, starts, hasNanTies, (batch) => !left.includes(batch));
          expect(recordsIn(results[2], results[2]?.[1], input), what).toEqual(expected);
          // Only batches that are long, or have NaNs or crowded cells, are left.
          for (const batch of left) {
            const own = records.keys.slice(starts[batch], starts[batch + 1]);
            const isCrowded = new Set(own).size < own.length || own.length > 12;
            const hasTies = hasNanTies && own.some((word) => clampWord(word, order) !== word);
            expect(isCrowded || hasTies || valueWords > 0, `batch ${batch}, ${what}`).toBe(true);
          }
        }
      });

      it.each([
        ['no batch of random keys that fits', 0],
        ['no other than pairs beyond the buckets', 3],
      ])('batch sort: leaves %s', async (_, beyond) => {
        const { specialization, input } = planned(900);
        const count = 800;
        const shiftOfLead = 32n * BigInt(keyWords - 1);
        const keys = Array.from({ length: count }, (_, i) => {
          const lead = BigInt(i < beyond ? 0xf0000000 + i : random.below(2 ** 28));
          return (lead << shiftOfLead) | (keyWords === 1 ? 0n : BigInt(random.bits()));
        });
        const all = { ...input, count, offset: 3 };
        const { order } = all;
        const buckets = bucketsOf([0, 0x0fffffff], order);
        // Places take 8 bits of an item with values.
        const batchBuckets = valueWords > 0 ? 256 : 8192;
        const words = keys
          .map((key) => (valueWords > 0 ? clampWord(key, order) : key))
          .sort((a, b) => (a < b ? -1 : 1));
        for (let at = 0; at + 1 < count; at += 2) {
          const [one, other] = [words[at] as bigint, words[at + 1] as bigint];
          const isOne =
            bucketOf(one, order, buckets, true) === bucketOf(other, order, buckets, true);
          if (isOne) [words[at], words[at + 1]] = [other, one];
        }
        const records = { keys: words, values: words.map((_, row) => BigInt(row)) };
        const starts = batchStarts(words, order, buckets, batchBuckets, true);
        const state = new Uint32Array(statusesAt + 2 * starts.length);
        state.set(starts, statusesAt);
        const uniform = orderOf(device(), all);
        const results = await runStage(
          device(),
          'batchSort',
          constantsOf(specialization, 'batchSort'),
          [
            { 0: uniform, 1: planOf(all, buckets, batchBuckets), 2: state },
            {},
            buffersOf({ ...all, records }),
          ],
          7,
        );
        uniform.destroy();
        const found = results[0]?.[2] as Uint32Array;
        const listAt = statusesAt + starts.length;
        const left = [...found.slice(listAt, listAt + (found[TILE_COUNTERS - 1] as number))];
        // They count for the last bucket. Keys without values are sorted wherever they lie.
        expect(left).toEqual(beyond > 0 && valueWords > 0 ? [starts.length - 2] : []);
        const isSorted = (batch: number): boolean => !left.includes(batch);
        const expected = after({ ...all, records }, starts, valueWords > 0, isSorted);
        expect(recordsIn(results[2], results[2]?.[1], all), all.what).toEqual(expected);
      });

      it('long batch sort: batches of any keys, and otherwise the way home', async () => {
        for (let round = 0; round < 2 * ROUNDS; round++) {
          const { input, specialization, hasNanTies, buckets, batchBuckets, starts } = grouped();
          const { offset, count, what } = input;
          const batches = batchCount(batchBuckets);
          const left = starts
            .slice(1)
            .flatMap((_, batch) => (random.below(2) === 0 ? [batch] : []));
          const state = new Uint32Array(statusesAt + 2 * batches + 1);
          state.set(starts, statusesAt);
          state.set(left, statusesAt + batches + 1);
          state[TILE_COUNTERS - 1] = left.length;
          const isHybrid = round % 4 < 3;
          const plan = planOf(input, isHybrid ? buckets : undefined, batchBuckets);
          if (!isHybrid) plan[LAYOUTS.Plan.passesRun / 4] = 3;
          const own = buffersOf(input);
          // What is to come home, behind no offset; else nothing of worth.
          const scratch = buffersOf({ ...input, offset: 0 });
          const caller = isHybrid
            ? own
            : buffersOf({ ...input, records: { keys: [], values: [] } });
          const room = (words: Uint32Array | undefined, length: number): Uint32Array => {
            const wide = new Uint32Array(Math.max(length, words?.length ?? 0));
            wide.set(words ?? []);
            return wide;
          };
          const buffers: Record<number, Uint32Array> = {
            0: room(caller[0], (offset + count) * keyWords),
            1: scratch[0] as Uint32Array,
          };
          if (valueWords > 0) {
            buffers[2] = room(caller[1], (offset + count) * valueWords);
            buffers[3] = scratch[1] as Uint32Array;
          }
          const uniform = orderOf(device(), input);
          const results = await runStage(
            device(),
            'longBatchSort',
            constantsOf(specialization, 'longBatchSort'),
            [{ 0: uniform, 1: plan, 2: state }, {}, buffers],
            1 + random.below(3),
          );
          uniform.destroy();
          const expected = after(
            input,
            starts,
            hasNanTies,
            (batch) => isHybrid && left.includes(batch),
          );
          expect(recordsIn(results[2], results[2]?.[2], input), what).toEqual(expected);
        }
      });
    },
  );
}
