/** The splits of a hybrid sort by a map, and the counts before them, each stage alone. */

import { CONSTANTS, LAYOUTS, maxPassesOf } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { isSorted } from '../twins/chained-scan/histogram.js';
import { countedPlaces, roomsOf } from '../twins/hybrid/bucket-rooms.js';
import { startsOf, tilesOf } from '../twins/hybrid/bucket-starts.js';
import { bitsOf } from '../twins/order.js';
import {
  BATCHES_COUNTED_AT,
  mapWidths,
  planOf,
  SPILLED_AT,
  splitPasses,
  TILES_LISTED_AT,
  tilesIn,
  withKeys,
} from './hybrid-inputs.js';
import {
  anyMapped,
  BATCH,
  batchesIn,
  batchesOf,
  batchWords,
  binCounts,
  binNumbers,
  endsOf,
  inBuckets,
  inOrder,
  type Mapped,
  mapped,
} from './hybrid-records.js';
import { pick, random, seed } from './inputs.js';
import { binStarts, differenceOf, splitRuns } from './split-runs.js';

const { RADIX, TILE_COUNTERS, HYBRID_MODE, BY_SWEEPS, IN_ORDER } = CONSTANTS;

/** Declares the checks. */
export function describeHybridSplits(device: () => GPUDevice): void {
  describe.each(mapWidths(seed + 3))(
    'the splits of a hybrid sort, $keyWords words a key, $valueWords a value, $subgroups subgroups',
    (widths) => {
      const { keyWords, valueWords } = widths;
      const maxPasses = maxPassesOf(keyWords);
      const isAlone = widths.subgroups === 'without';
      const { inputs, run, runSplit, expectSplit } = splitRuns(device, widths);

      it('count of buckets: their starts, all else as a sort needs it', async () => {
        for (const any of inputs()) {
          const { input, map, buckets, state, parts, hasNanTies } = any;
          const { records, order, offset, what } = input;
          state.fill(3, 0, 13);
          state.fill(9, parts.bucketStarts, parts.bins);
          state.fill(9, parts.bins, parts.words);
          const plan = planOf(widths, input, { map });
          const [found, after] = await run('countBuckets', any, plan, state, 1 + random.below(3));
          const expected = state.slice();
          expected.fill(0, 0, TILE_COUNTERS);
          expected.set(startsOf(buckets), parts.starts);
          expected.set(startsOf(buckets), parts.bucketStarts);
          expected.fill(0, parts.ends, parts.ends + 2 * RADIX);
          expected.fill(0, parts.bins, parts.bins + RADIX ** 2);
          // Without values no split has statuses.
          if (valueWords > 0) expected.fill(0, parts.statuses, parts.tiles);
          expect(differenceOf(after, expected), what).toBeUndefined();
          const sorted = isSorted(records.keys, order, hasNanTies);
          const known = planOf(widths, input, {
            ...{ map, passes: splitPasses(offset) },
            mode: sorted ? IN_ORDER : HYBRID_MODE,
          });
          if (sorted) {
            known[LAYOUTS.Plan.passesRun / 4] = 0;
            known[LAYOUTS.Plan.passesSkipped / 4] = maxPasses;
          }
          expect([...found], what).toEqual([...known]);
        }
      });

      it('count of buckets: keys in order need no more; two that are not need all', async () => {
        const any = anyMapped(device(), widths, 900);
        const keys = inOrder(any.words).map((word) => bitsOf(word, any.input.order));
        const other = [...keys].reverse();
        for (const own of [keys, other]) {
          const sorted = mapped(withKeys(any, own), widths, any.map);
          const { input, state, hasNanTies } = sorted;
          const plan = planOf(widths, input, { map: any.map });
          const [found] = await run('countBuckets', sorted, plan, state, 1 + random.below(3));
          const isInOrder = isSorted(own, input.order, hasNanTies);
          expect(found[LAYOUTS.Plan.mode / 4]).toBe(isInOrder ? IN_ORDER : HYBRID_MODE);
          expect(found[LAYOUTS.Plan.passesRun / 4]).toBe(isInOrder ? 0 : 2);
        }
      });

      it('count of buckets: rooms by some of the keys, where that is planned', async () => {
        if (valueWords > 0) return;
        const longer = [anyMapped(device(), widths, 900), anyMapped(device(), widths, 9000)];
        for (const any of longer) {
          const { input, map, buckets, state, parts } = any;
          for (const stride of [2, 2 ** (1 + random.below(8)), 2 ** 20]) {
            const plan = planOf(widths, input, { map, stride });
            const [found, after] = await run('countBuckets', any, plan, state, 1 + random.below(3));
            const places = countedPlaces(input.count, stride, keyWords);
            const counted = places.map((at) => buckets[at] as number);
            const rooms = roomsOf(counted, stride, RADIX);
            const what = `one of ${stride} keys, ${input.what}`;
            const starts = [...after.slice(parts.bucketStarts, parts.ends)];
            expect(starts, what).toEqual(rooms);
            expect([...after.slice(parts.starts, parts.starts + RADIX)], what).toEqual(rooms);
            // Whether all keys are in order is not known.
            expect(found[LAYOUTS.Plan.mode / 4], what).toBe(HYBRID_MODE);
          }
        }
      });

      it('keys that find no room in their buckets are spilled, and find their bins', async () => {
        if (valueWords > 0) return;
        for (const any of [...inputs(), anyMapped(device(), widths, 9000)]) {
          const { input, map, words, buckets, bins, state, parts, tile } = any;
          const { count, what } = input;
          // Some rooms are too large, others too small, and some are not there.
          const ends = buckets.map(() => random.below(count + 1)).slice(0, RADIX - 1);
          const ups = Array.from({ length: RADIX - 1 }, (_, i) => ends[i] ?? count);
          const less = 1 + random.below(3);
          const rooms = pick([
            [0, ...ups.sort((a, b) => a - b)],
            startsOf(buckets).map((start) => Math.max(0, start - less)),
            startsOf(buckets).map(() => 0),
          ]);
          state.set(rooms, parts.starts);
          state.set(rooms, parts.bucketStarts);
          const first = await runSplit('splitBuckets', any, {});
          const roomEnd = (bucket: number): number => rooms[bucket + 1] ?? count;
          const found = inBuckets(any, widths);
          const counts = Array.from(
            { length: RADIX },
            (_, bucket) => buckets.filter((own) => own === bucket).length,
          );
          const kept = counts.map((own, bucket) =>
            Math.min(own, roomEnd(bucket) - (rooms[bucket] as number)),
          );
          const spilled = count - kept.reduce((sum, own) => sum + own, 0);
          expect(first.state[SPILLED_AT], what).toBe(spilled);
          const cursors = [...first.state.slice(parts.starts, parts.starts + RADIX)];
          expect(cursors, what).toEqual(rooms.map((room, i) => room + (counts[i] as number)));

          const moved = { ...any, state: first.state };
          const plan = planOf(widths, input, { map });
          const scratch = first.records.keys;
          const [, withBins] = await run('countBins', moved, plan, first.state, 3, scratch);
          expect(
            differenceOf(withBins.slice(parts.bins, parts.bins + RADIX ** 2), binCounts(any)),
            what,
          ).toBeUndefined();
          for (const [bucket, own] of endsOf(any).entries()) {
            if (own === undefined) continue;
            // Leads that the map has for the bucket need no note.
            const { least, most } = bins[bucket]!;
            const [lowest, highest] = [0, RADIX].map((at) => withBins[parts.ends + at + bucket]);
            expect(Math.min(least, ~(lowest as number) >>> 0), what).toBe(Math.min(least, own[0]));
            expect(Math.max(most, highest as number), what).toBe(Math.max(most, own[1]));
          }

          const [, cut] = await run('cutBatches', moved, plan, withBins, RADIX);
          expect(
            differenceOf(cut.slice(parts.bins, parts.bins + RADIX ** 2), binStarts(found)),
            what,
          ).toBeUndefined();
          const tiles = kept.flatMap((own, bucket) =>
            Array.from({ length: Math.ceil(own / tile) }, (_, i) => ({
              first: (rooms[bucket] as number) + i * tile,
              keys: Math.min(tile, own - i * tile),
              bucket,
            })),
          );
          expect(tilesIn(cut, parts, cut[TILES_LISTED_AT] as number), what).toEqual(
            tiles.sort((a, b) => a.first - b.first || a.bucket - b.bucket),
          );

          const source = { ...input, records: { keys: scratch, values: [] } };
          const second = { ...any, input: source, state: cut };
          const { records } = await runSplit('splitBins', second, {});
          expectSplit(records, { keys: [...words], values: [] }, binNumbers(any), what);
        }
      });

      it('a sort is given up where spilled keys find no room: sweeps go on', async () => {
        if (valueWords > 0) return;
        const any = inBuckets(anyMapped(device(), widths, 900), widths);
        const { input, map, state, parts, words } = any;
        const room = Math.floor((parts.tiles - parts.statuses) / keyWords);
        const plan = planOf(widths, input, { map });
        for (const [spilled, isGivenUp] of [
          [room, false],
          [room + 1, true],
        ] as const) {
          state[TILE_COUNTERS - 1] = 0;
          state[SPILLED_AT] = spilled;
          for (const kernel of isGivenUp ? (['countBins', 'cutBatches'] as const) : []) {
            const [found, after] = await run(kernel, any, plan, state, RADIX, words);
            const known = plan.slice();
            if (kernel === 'cutBatches') known[LAYOUTS.Plan.isGivenUp / 4] = 1;
            expect([...found], kernel).toEqual([...known]);
            expect(differenceOf(after, state), kernel).toBeUndefined();
          }
          // Without subgroups other kernels go on: reduce-then-scan.
          if (isAlone) continue;
          const [found, after] = await run('histogram', any, plan, state, 2, words);
          expect(found[LAYOUTS.Plan.mode / 4]).toBe(isGivenUp ? BY_SWEEPS : HYBRID_MODE);
          expect(after[SPILLED_AT]).toBe(isGivenUp ? 0 : spilled);
        }
        state[SPILLED_AT] = room + 1;
        const { records } = await runSplit('splitBins', any, {});
        expect(records.keys).toEqual(words.map(() => 0n));
      });

      it('each kernel does nothing where the sort is of another kind', async () => {
        const any = inBuckets(anyMapped(device(), widths, 900), widths);
        const { input, map, state, words } = any;
        state[TILE_COUNTERS - 1] = 0;
        for (const kernel of ['countBuckets', 'histogram', 'countBins', 'cutBatches'] as const) {
          if (isAlone && kernel === 'histogram') continue;
          const modes = kernel === 'histogram' ? [HYBRID_MODE, IN_ORDER] : [BY_SWEEPS, IN_ORDER];
          for (const mode of modes) {
            const plan = planOf(widths, input, { map, mode });
            const [found, after] = await run(kernel, any, plan, state, 2, words);
            expect([...found], kernel).toEqual([...plan]);
            expect(differenceOf(after, state), kernel).toBeUndefined();
          }
        }
        for (const kernel of ['sweep', 'splitBuckets', 'splitBins'] as const) {
          if (isAlone && kernel === 'sweep') continue;
          const modes = kernel === 'sweep' ? [HYBRID_MODE, IN_ORDER] : [BY_SWEEPS, IN_ORDER];
          for (const mode of modes) {
            const { records } = await runSplit(kernel, any, { mode });
            const none = words.map(() => 0n);
            const expected = { keys: none, values: valueWords > 0 ? none : [] };
            expect(records, kernel).toEqual(expected);
          }
        }
      });

      /** A tile that never publishes its counts, or none. */
      const stalled = (): number | undefined =>
        valueWords > 0 ? pick([undefined, 0, 1]) : undefined;

      it('first split: the records in their buckets', async () => {
        const stalledTile = stalled();
        for (const any of inputs()) {
          const { input, words, buckets, state, parts } = any;
          state.set(startsOf(buckets), parts.starts);
          state.set(startsOf(buckets), parts.bucketStarts);
          const { records } = await runSplit('splitBuckets', any, {}, stalledTile);
          const { values } = input.records;
          expectSplit(records, { keys: [...words], values }, buckets, input.what);
        }
      });

      it('count of bins: the keys of each, and the leads that each bucket has', async () => {
        const longer = [anyMapped(device(), widths, 9000), anyMapped(device(), widths, 9000)];
        for (const any of [...inputs(), ...longer].map((own) => inBuckets(own, widths))) {
          const { input, map, words, state, parts } = any;
          const plan = planOf(widths, input, { map });
          const workgroups = 1 + random.below(5);
          const [, after] = await run('countBins', any, plan, state, workgroups, words);
          const expected = state.slice();
          expected.set(binCounts(any), parts.bins);
          for (const [bucket, ends] of endsOf(any).entries()) {
            if (ends === undefined) continue;
            expected[parts.ends + bucket] = ~ends[0];
            expected[parts.ends + RADIX + bucket] = ends[1];
          }
          const what = `${workgroups} workgroups, ${input.what}`;
          expect(differenceOf(after, expected), what).toBeUndefined();
        }
      });

      /** The state after the count of bins. */
      function counted(any: Mapped): void {
        const { state, parts } = any;
        state.set(binCounts(any), parts.bins);
        for (const [bucket, ends] of endsOf(any).entries()) {
          if (ends === undefined) continue;
          state[parts.ends + bucket] = ~ends[0];
          state[parts.ends + RADIX + bucket] = ends[1];
        }
      }

      /** Keys of which `full` fill a batch exactly, or go one beyond it. */
      const filled = (any: Mapped, full: number): Mapped => {
        const [one = 0n, other = 0n] = any.words;
        const words = Array.from({ length: 3 * BATCH }, (_, i) => (i < full ? one : other));
        const keys = words.map((word) => bitsOf(word, any.input.order));
        return mapped(withKeys(any, keys), widths, any.map);
      };

      it('batches: neighbouring bins of a bucket that fit, or one bin', async () => {
        const any = anyMapped(device(), widths, 900);
        const full = [BATCH - 1, BATCH, BATCH + 1, 2 * BATCH].map((own) => filled(any, own));
        for (const own of [...inputs(), ...full].map((one) => inBuckets(one, widths))) {
          const { input, map, buckets, state, parts, tile } = own;
          counted(own);
          const plan = planOf(widths, input, { map });
          const [, after] = await run('cutBatches', own, plan, state, RADIX);
          const batches = batchesOf(own, widths).map((batch) => batchWords(batch, own));
          expect(after[BATCHES_COUNTED_AT], input.what).toBe(batches.length);
          expect(batchesIn(after, parts, batches.length), input.what).toEqual(batches);
          const bins = after.slice(parts.bins, parts.bins + RADIX ** 2);
          expect(differenceOf(bins, binStarts(own)), input.what).toBeUndefined();
          const tiles = tilesOf(buckets, tile);
          expect(after[TILES_LISTED_AT], input.what).toBe(tiles.length);
          expect(tilesIn(after, parts, tiles.length), input.what).toEqual(tiles);
        }
      });

      it('second split: the records in their bins', async () => {
        const stalledTile = stalled();
        for (const any of [...inputs()].map((own) => inBuckets(own, widths))) {
          const { input, words, buckets, state, parts, tile } = any;
          const tiles = tilesOf(buckets, tile);
          state.set(binStarts(any), parts.bins);
          const list = tiles.flatMap(({ first, keys, bucket }) => [first, keys * RADIX + bucket]);
          state.set(list, parts.tiles);
          state[TILES_LISTED_AT] = tiles.length;
          const { records } = await runSplit('splitBins', any, {}, stalledTile);
          const { values } = input.records;
          expectSplit(records, { keys: [...words], values }, binNumbers(any), input.what);
        }
      });
    },
  );
}
