/** The batch sort of a hybrid sort by a map, alone, against its twin. */

import { BATCH_MARGIN, CONSTANTS } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { batchSort } from '../twins/hybrid/batch-sort.js';
import type { BatchRecord } from '../twins/hybrid/cut-batches.js';
import { bitsOf, clampWord, keyOrder, type Records } from '../twins/order.js';
import { runStage } from './gpu-stage.js';
import {
  BATCHES_COUNTED_AT,
  MAP_KINDS,
  MAPPED,
  mapFor,
  mapWidths,
  planned,
  planOf,
  withKeys,
} from './hybrid-inputs.js';
import {
  anyMapped,
  BATCH,
  batchesOf,
  batchWords,
  exchangedIn,
  exchangeOf,
  inBins,
  type Mapped,
  mapped,
} from './hybrid-records.js';
import { constantsOf, orderOf, ROUNDS, random, seed, withValues } from './inputs.js';

const { BATCH_WORDS, BY_SWEEPS, IN_ORDER, MAX_IN_CELL } = CONSTANTS;

/** Declares the checks. */
export function describeHybridBatches(device: () => GPUDevice): void {
  describe.each(mapWidths(seed + 4))(
    'batches of a hybrid sort, $keyWords words a key, $valueWords a value, $subgroups subgroups',
    (widths) => {
      const { keyWords, valueWords } = widths;

      /** A number of workgroups, and all batches noted in any order. */
      async function runBatches(any: Mapped, mode?: number) {
        const { input, specialization, map, state, parts } = any;
        const batches = batchesOf(any, widths);
        const noted = [...batches].sort(() => random.below(3) - 1);
        state[BATCHES_COUNTED_AT] = batches.length;
        for (const [i, batch] of noted.entries()) {
          state.set(batchWords(batch, any), parts.batches + i * BATCH_WORDS);
        }
        const longAt = parts.longBatches(batches.length);
        state.fill(~0, longAt);
        const plan = planOf(widths, input, { map, ...(mode !== undefined && { mode }) });
        const uniform = orderOf(device(), input);
        const results = await runStage(
          device(),
          'batchSort',
          constantsOf(specialization, 'batchSort'),
          [{ 0: uniform, 1: plan, 2: state }, {}, exchangeOf(widths, input)],
          1 + random.below(3),
        );
        uniform.destroy();
        const long = [...(results[0]?.[2] ?? []).slice(longAt)]
          .filter((word) => word !== ~0 >>> 0)
          .map((i) => noted[i] as BatchRecord);
        return { records: exchangedIn(widths, results[2], input), long, batches };
      }

      /** Records as they are when all batches are sorted. */
      function after({ input, hasNanTies }: Mapped, batches: readonly BatchRecord[]): Records {
        const { order, records } = input;
        const parts = batches.map(({ first, keys }) => {
          const own = {
            keys: records.keys.slice(first, first + keys),
            values: records.values.slice(first, first + keys),
          };
          return batchSort(own, order, hasNanTies);
        });
        return withValues(widths, {
          keys: parts.flatMap(({ keys }) => keys),
          values: parts.flatMap(({ values }) => values),
        });
      }

      /** Sorts the batches of `any`, which is in the order of its bins. Resolves to long ones. */
      async function check(any: Mapped): Promise<BatchRecord[]> {
        const { input, hasNanTies } = any;
        const { records, long, batches } = await runBatches(any);
        expect(records, input.what).toEqual(after(any, batches));
        // What fits is no long batch, unless it is crowded, or has ties, or an item has no room.
        for (const { first, keys } of batches.filter((batch) => !long.includes(batch))) {
          expect(keys, `batch at ${first}, ${input.what}`).toBeLessThanOrEqual(BATCH);
        }
        for (const { first, keys } of long) {
          const own = input.records.keys.slice(first, first + keys);
          const isCrowded = new Set(own).size < own.length || own.length > 8;
          const hasTies = hasNanTies && own.some((word) => clampWord(word, input.order) !== word);
          expect(isCrowded || hasTies || valueWords > 0, `batch at ${first}`).toBe(true);
        }
        return long;
      }

      it('batch sort: batches of any keys in order', async () => {
        for (const kind of MAP_KINDS) {
          for (let round = 0; round < Math.ceil(ROUNDS / 2); round++) {
            await check(inBins(anyMapped(device(), widths, 900, kind), widths));
          }
        }
      });

      it('batch sort: nothing where the sort is of another kind', async () => {
        for (const mode of [BY_SWEEPS, IN_ORDER]) {
          const any = inBins(anyMapped(device(), widths, 900), widths);
          const { records } = await runBatches(any, mode);
          expect(records, any.input.what).toEqual(withValues(widths, any.input.records));
        }
      });

      /** Integers of these words, and a map of those that a sample has seen: all in one bucket. */
      function ofWords(words: readonly bigint[], seen: readonly bigint[] = words): Mapped {
        const any = planned(device(), widths, 900);
        const { bits } = any.input.order;
        const keyType = bits === 32 ? 'u32' : 'u64';
        const { direction } = any.input;
        const order = keyOrder(keyType, direction);
        const what = `${keyType} keys, ${direction}, seed ${seed}`;
        const own = {
          ...any,
          hasNanTies: false,
          input: { ...any.input, keyType, order, what } as const,
        };
        const keys = words.map((word) => bitsOf(word, order));
        const map = mapFor(seen, order, 'any');
        const full = { ...map, cells: map.cells.map(() => [0, 0] as const), isLinear: 0 };
        return inBins(mapped(withKeys(own, keys), widths, full), widths);
      }

      const wide = BigInt(32 * (keyWords - 1));
      /** Words that are `count` neighbouring numbers, in any order. */
      const neighbours = (first: bigint, count: number): bigint[] =>
        Array.from({ length: count }, (_, i) => first + BigInt((i * 89) % count));

      it.each([1, 2, BATCH - 1, BATCH])(
        'batch sort: no long batch where %i neighbouring numbers fit',
        async (count) => {
          expect(await check(ofWords(neighbours(7n << wide, count)))).toEqual([]);
        },
      );

      it('batch sort: a long batch of one value, or of neighbouring numbers', async () => {
        const one = Array.from({ length: BATCH + 1 }, () => 9n << wide);
        expect(await check(ofWords(one))).toHaveLength(1);
        // So many that one bin has all of them.
        const many = neighbours(0n, 3 * BATCH).map((word) => word >> 1n);
        const { length } = await check(ofWords([...many, 1n << (wide + 31n)]));
        expect(length).toBe(1);
      });

      it.each([MAX_IN_CELL, MAX_IN_CELL + 1])(
        'batch sort: a cell of %i keys is sorted in the batch, or a long one',
        async (count) => {
          const crowd = Array.from(
            { length: count },
            (_, i) => (5n << wide) + BigInt((i * 7) % count),
          );
          const rest = neighbours(1n, 20).map((word) => word << (wide + 26n));
          const any = ofWords([...crowd, ...rest]);
          const batches = batchesOf(any, widths);
          if (valueWords === 0) expect(batches).toHaveLength(1);
          const long = await check(any);
          if (valueWords === 0) expect(long).toHaveLength(count > MAX_IN_CELL ? 1 : 0);
        },
      );

      it.each([BATCH_MARGIN, BATCH_MARGIN + 1, 3 * BATCH_MARGIN])(
        'batch sort: a cell of %i keys in reverse order, wherever it lies',
        async (count) => {
          for (let before = 0; before < 2 * MAPPED.keys; before++) {
            const crowd = Array.from(
              { length: count },
              (_, i) => (BigInt(before + 1) << (wide + 20n)) - BigInt(i + 1),
            );
            const below = Array.from({ length: before }, (_, i) => BigInt(i) << (wide + 20n));
            const above = neighbours(BigInt(before + 1), 20).map((word) => word << (wide + 20n));
            await check(ofWords([...below, ...crowd, ...above]));
          }
        },
      );

      if (keyWords === 2) {
        it('batch sort: keys far below or above those of the map', async () => {
          const last = (1n << 64n) - 1n;
          // Their distance to the least word of the batch is nearly 2^64, and so small a number.
          for (const [near, far] of [
            [last - 0xffff_ffffn, 5n],
            [0n, last - 3n],
          ] as const) {
            const seen = neighbours(near, 100);
            await check(ofWords([...seen, far, far + 1n], seen));
          }
        });
      }
    },
  );
}
