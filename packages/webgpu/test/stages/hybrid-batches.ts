/** The batches of a hybrid sort, each stage alone, against the twins. */

import { sample as drawn } from '@keysweep/conformance/data';
import { batchOf, CONSTANTS } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { batchSort } from '../twins/hybrid/batch-sort.js';
import { batchStarts } from '../twins/hybrid/batch-starts.js';
import { bucketOf, bucketsOf, leadOf } from '../twins/hybrid/batches.js';
import { clampWord, type Records, wordOf } from '../twins/order.js';
import { numbersFrom, runStage } from './gpu-stage.js';
import { BATCH, HYBRID_WIDTHS, partsOf, planned, planOf } from './hybrid-inputs.js';
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

const { RADIX, BUCKETS, HYBRID_PASSES } = CONSTANTS;

/** Declares the checks. */
export function describeHybridBatches(device: () => GPUDevice): void {
  describe.each(drawn(HYBRID_WIDTHS, 1, seed + 3))(
    'the batches of a hybrid sort, $keyWords words a key, $valueWords a value',
    (widths) => {
      const { keyWords, valueWords } = widths;
      const { starts: startsAt, statuses: statusesAt } = partsOf(widths);

      /**
       * Records in the order of their buckets. A batch has `share` of what fits a workgroup, as far
       * as they are evenly spread.
       */
      function grouped(share = 0.5) {
        const { input: any, specialization, hasNanTies } = planned(device(), widths, 900);
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
        const fitting = Math.ceil((share * BUCKETS * batchOf(BATCH)) / any.count);
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

      it('third sweep: the first key of each batch', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const { input, specialization, hasNanTies, buckets, batchBuckets, starts } = grouped();
          const { order, records, offset, what } = input;
          const state = new Uint32Array(statusesAt + starts.length);
          const digits = records.keys.map(
            (word) => bucketOf(word, order, buckets, hasNanTies) >> 8,
          );
          for (let digit = 0; digit < RADIX; digit++) {
            state[startsAt + RADIX + digit] = digits.filter((own) => own < digit).length;
          }
          const uniform = orderOf(device(), input);
          const plan = planOf(widths, input, buckets, batchBuckets);
          const [found = []] = await runStage(
            device(),
            'sweep',
            constantsOf(specialization, 'sweep'),
            [
              { 0: uniform, 1: plan, 2: state },
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

      const recordsIn = (
        group: readonly Uint32Array[] | undefined,
        values: Uint32Array | undefined,
        { offset, count }: Input,
      ): Records => ({
        keys: numbersFrom(group?.[0] ?? new Uint32Array(), keyWords).slice(offset, offset + count),
        values:
          values === undefined ? [] : numbersFrom(values, valueWords).slice(offset, offset + count),
      });

      /** The state of which the batch sort reads the starts; no long batch is noted. */
      function stateOf(starts: readonly number[]): Uint32Array {
        const state = new Uint32Array(statusesAt + 2 * starts.length).fill(~0);
        state.set(starts, statusesAt);
        return state;
      }

      /** The long batches that are noted in `state`. */
      const noted = (state: Uint32Array | undefined, starts: readonly number[]): number[] => [
        ...(state ?? []).slice(statusesAt + starts.length).filter((word) => word !== ~0 >>> 0),
      ];

      /** The records of `input`, with room behind them, beside scratch of as many. */
      function exchangeOf(input: Input): Record<number, Uint32Array> {
        const { offset, count } = input;
        const caller = buffersOf(input);
        // Nothing of worth.
        const scratch = buffersOf({ ...input, offset: 0 });
        const room = (words: Uint32Array | undefined, length: number): Uint32Array => {
          const wide = new Uint32Array(Math.max(length, words?.length ?? 0));
          wide.set(words ?? []);
          return wide;
        };
        const keys = {
          0: room(caller[0], (offset + count) * keyWords),
          1: scratch[0] as Uint32Array,
        };
        if (valueWords === 0) return keys;
        const values = room(caller[1], (offset + count) * valueWords);
        return { ...keys, 2: values, 3: scratch[1] as Uint32Array };
      }

      it.each([
        ['that fit', 0.5],
        ['that are long', 1.25],
      ])('batch sort: batches %s in order', async (_, share) => {
        for (let round = 0; round < 2 * ROUNDS; round++) {
          const { input, specialization, hasNanTies, buckets, batchBuckets, starts } =
            grouped(share);
          const { records, what } = input;
          const isHybrid = round % 4 < 3;
          const plan = planOf(widths, input, isHybrid ? buckets : undefined, batchBuckets);
          const uniform = orderOf(device(), input);
          const results = await runStage(
            device(),
            'batchSort',
            constantsOf(specialization, 'batchSort'),
            [{ 0: uniform, 1: plan, 2: stateOf(starts) }, {}, exchangeOf(input)],
            1 + random.below(3),
          );
          uniform.destroy();
          const expected = isHybrid
            ? after(input, starts, hasNanTies)
            : withValues(widths, records);
          expect(recordsIn(results[2], results[2]?.[2], input), what).toEqual(expected);
          // Only batches that are long, or have NaNs or crowded cells.
          for (const batch of noted(results[0]?.[2], starts)) {
            const own = records.keys.slice(starts[batch], starts[batch + 1]);
            const isCrowded = new Set(own).size < own.length || own.length > 12;
            const hasTies = hasNanTies && own.some((word) => clampWord(word, input.order) !== word);
            expect(isCrowded || hasTies || valueWords > 0, `batch ${batch}, ${what}`).toBe(true);
          }
        }
      });

      it.each([
        ['no batch of random keys that fits', 0],
        ['no other than pairs beyond the buckets', 3],
      ])('batch sort: long are %s', async (_, beyond) => {
        const { specialization, input } = planned(device(), widths, 900);
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
        const uniform = orderOf(device(), all);
        const results = await runStage(
          device(),
          'batchSort',
          constantsOf(specialization, 'batchSort'),
          [
            { 0: uniform, 1: planOf(widths, all, buckets, batchBuckets), 2: stateOf(starts) },
            {},
            exchangeOf({ ...all, records }),
          ],
          7,
        );
        uniform.destroy();
        // They count for the last bucket. Keys without values fit wherever they lie.
        const isLong = beyond > 0 && valueWords > 0;
        expect(noted(results[0]?.[2], starts)).toEqual(isLong ? [starts.length - 2] : []);
        const expected = after({ ...all, records }, starts, valueWords > 0);
        expect(recordsIn(results[2], results[2]?.[2], all), all.what).toEqual(expected);
      });
    },
  );
}
