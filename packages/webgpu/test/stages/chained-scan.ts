/** The stages of a chained scan, each alone, against their twins. */

import { sample } from '@keysweep/conformance/data';
import { CONSTANTS, LAYOUTS, maxPassesOf, sweepTileOf } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { chain } from '../chained-devices.js';
import { alignedDigit } from '../twins/chained-scan/aligned-digit.js';
import { digitStarts } from '../twins/chained-scan/digit-starts.js';
import { histogram, isSorted } from '../twins/chained-scan/histogram.js';
import { sweep } from '../twins/chained-scan/sweep.js';
import { bitsOf, clampWord, type Records, wordOf } from '../twins/order.js';
import { commandNumbers, planWords, runStage } from './gpu-stage.js';
import {
  constantsOf,
  type Input,
  movedBy,
  orderOf,
  pick,
  pingPong,
  placed,
  ROUNDS,
  random,
  randomInput,
  seed,
  WIDTHS,
  withValues,
} from './inputs.js';

const { RADIX, TILE_COUNTERS, STATUS_BITS } = CONSTANTS;

/** Times that a lookback reads a status: few, so that it often counts a tile itself. */
const LOOK_LIMIT = 16;

/** Declares the checks of a chained scan, by its stages. */
export function describeChainedScan(device: () => GPUDevice): void {
  describe.each(sample(WIDTHS, 1, seed + 1))(
    'a chained scan, $keyWords words a key, $valueWords a value',
    (widths) => {
      const maxPasses = maxPassesOf(widths.keyWords);
      const isBare = widths.keyWords + widths.valueWords === 1;
      // Of 32-bit keys, a tile may go through workgroup storage in parts.
      const stages = isBare ? pick([1, 2, 3]) : 1;

      /** A random input, and what the twins of histogram and digit starts say of it. */
      function planned() {
        const tuning = chain(device());
        const shape = tuning.chained![widths.keyWords].few;
        const keys = shape.keys * stages;
        const sweeps = { threads: shape.threads, keys, stages };
        const tile = sweepTileOf({ ...shape, sweeps });
        const input = randomInput(widths, 6 * tile);
        const { order, records, count, offset } = input;
        const mayTie = widths.valueWords > 0 || input.keyBits !== undefined;
        const hasNanTies = mayTie && input.keyType.startsWith('f');
        const wait = { lookLimit: LOOK_LIMIT, stalledTile: undefined };
        const chained = { ...shape, sweeps, ...wait, hasNanTies };
        const counts = histogram(records.keys, order, hasNanTies);
        const sorted = isSorted(records.keys, order, hasNanTies);
        const known = digitStarts(counts, count, offset, sorted);
        const tiles = Math.ceil(count / tile);
        const scanState = new Uint32Array(TILE_COUNTERS + RADIX * (2 * maxPasses + tiles));
        const specialization = { ...widths, chained };
        return { input, specialization, counts, known, tile, tiles, scanState, hasNanTies };
      }

      const startsAt = TILE_COUNTERS + RADIX * maxPasses;
      const statusesAt = startsAt + RADIX * maxPasses;
      const words = (
        known: ReturnType<typeof digitStarts>,
        { count, offset }: Input,
      ): Uint32Array => {
        const { passes, passesSkipped } = known;
        const none = { tilesPerBlock: 0, blocks: 0, spineLanes: 0 };
        return planWords({ count, offset, ...none, passesSkipped, passes }, maxPasses, false);
      };

      /** Runs the stage, and compares it with its twin. */
      async function runHistogram({
        input,
        specialization,
        scanState,
        hasNanTies,
      }: ReturnType<typeof planned>): Promise<void> {
        const { order, count, offset, records, what } = input;
        const { keys } = records;
        const sorted = isSorted(keys, order, hasNanTies);
        const known = digitStarts(histogram(keys, order, hasNanTies), count, offset, sorted);
        scanState.fill(3, 0, maxPasses);
        scanState.fill(5, statusesAt);
        const expected = words(known, input);
        const uniform = orderOf(device(), input);
        const [[, plan, state] = []] = await runStage(
          device(),
          'histogram',
          constantsOf(specialization, 'histogram'),
          [
            { 0: uniform, 1: new Uint32Array(expected.length), 2: scanState },
            commandNumbers(count, offset),
            { 0: placed(records.keys, offset, widths.keyWords) },
          ],
          1 + random.below(3),
        );
        uniform.destroy();
        expect([...(plan as Uint32Array)], what).toEqual([...expected]);
        // Counters, digit counts and statuses are zero for the next sort.
        const after = new Uint32Array(scanState.length);
        after.set(known.starts.flat(), startsAt);
        expect([...(state as Uint32Array)], what).toEqual([...after]);
      }

      it('histogram: where digits begin in each pass that is run, and clear statuses', async () => {
        for (let round = 0; round < ROUNDS; round++) await runHistogram(planned());
      });

      it('histogram: no pass for keys in order, all of them where two are not', async () => {
        for (const swapped of [0, 1, 2, 3]) {
          const any = planned();
          const { order, count } = any.input;
          const keys = [...any.input.records.keys].sort((a, b) => {
            const [one, other] = [a, b].map(
              (key) => clampWord(wordOf(key, order), order) & order.mask,
            );
            return (one as bigint) < (other as bigint) ? -1 : 1;
          });
          // The first two, the last two, or two in the middle: neighbours of several workgroups.
          const at = [0, count - 2, random.below(Math.max(1, count - 1))][swapped - 1];
          if (at !== undefined && count > 1) {
            [keys[at], keys[at + 1]] = [keys[at + 1] as bigint, keys[at] as bigint];
          }
          const records = { keys, values: keys.map(() => 0n) };
          await runHistogram({ ...any, input: { ...any.input, records } });
        }
      });

      it('histogram: a pass for a digit that all keys but one share', async () => {
        let any = planned();
        while (any.input.keyBits !== undefined || any.input.count === 0) any = planned();
        const { order, count } = any.input;
        const mask = BigInt.asUintN(8 * maxPasses, ~0n);
        const shared = mask & 0x0707_0707_0707_0707n;
        // Of one key every other digit is 5.
        const other = mask & 0x0705_0705_0705_0705n;
        const odd = random.below(count);
        const keys = Array.from({ length: count }, (_, i) =>
          bitsOf(i === odd ? other : shared, order),
        );
        const records = { keys, values: keys.map(() => 0n) };
        await runHistogram({ ...any, input: { ...any.input, records } });
      });

      const kernels =
        widths.valueWords === 0 ? (['sweep', 'firstSweep'] as const) : (['sweep'] as const);

      /**
       * Statuses as a lookback of pass `slot` may find them, of tiles that have these counts:
       * nothing, of the tile alone, or of all tiles up to it.
       */
      function statuses(slot: number, counts: readonly (readonly number[])[]): number[] {
        const pair = 1 + 2 * (slot % 3);
        const sums = new Array<number>(RADIX).fill(0);
        return counts.flatMap((tile) => {
          for (const [digit, count] of tile.entries())
            sums[digit] = (sums[digit] as number) + count;
          return tile.map((count, digit) =>
            pick([
              // What an earlier pass has left.
              (random.below(999) << STATUS_BITS) | (1 + 2 * ((slot + 2) % 3)),
              (count << STATUS_BITS) | pair,
              ((sums[digit] as number) << STATUS_BITS) | (pair + 1),
            ]),
          );
        });
      }

      it.each(kernels)('%s: the records by the digit of a pass', async (kernel) => {
        for (let round = 0; round < 2 * ROUNDS; round++) {
          const { input, specialization, known, tile, tiles, scanState, hasNanTies } = planned();
          const { order, count, what } = input;
          if (known.passes.length === 0) continue;
          const slot = kernel === 'firstSweep' ? 0 : random.below(known.passes.length);
          let { records } = input;
          for (const [i, pass] of known.passes.slice(0, slot).entries()) {
            records = sweep(records, order, pass, known.starts[i]!, hasNanTies);
          }
          const pass = known.passes[slot]!;
          const starts = known.starts[slot]!;
          // Tiles before this one have been taken, and their keys are not written.
          const first = random.below(tiles);
          const digitsOf = (keys: bigint[]): number[] =>
            keys.map((key) => {
              const word = pass.isFirst ? wordOf(key, order) : key;
              return alignedDigit(word, order, pass.shift, hasNanTies);
            });
          const countsOf = (keys: bigint[]): number[] => {
            const counts = new Array<number>(RADIX).fill(0);
            for (const digit of digitsOf(keys)) counts[digit] = (counts[digit] as number) + 1;
            return counts;
          };
          const taken = Array.from({ length: first }, (_, i) =>
            countsOf(records.keys.slice(i * tile, (i + 1) * tile)),
          );
          scanState[slot] = first;
          scanState.set(known.starts.flat(), startsAt);
          scanState.set(statuses(slot, taken), statusesAt);
          // Without order among tiles, those that were taken have moved the starts on.
          for (const counts of kernel === 'firstSweep' ? taken : []) {
            for (const [digit, own] of counts.entries()) {
              const at = startsAt + slot * RADIX + digit;
              scanState[at] = (scanState[at] as number) + own;
            }
          }
          const uniform = orderOf(device(), input);
          const results = await runStage(
            device(),
            kernel,
            constantsOf(specialization, kernel),
            [
              { 0: uniform, 1: words(known, input), 2: scanState },
              { 0: Uint32Array.of(slot) },
              pingPong(widths, records, pass.sourceOffset, pass.targetOffset),
            ],
            1 + random.below(tiles),
          );
          uniform.destroy();
          const found = movedBy(widths, results[2], pass.targetOffset, count);
          const all = sweep(records, order, pass, starts, hasNanTies);
          const rows = records.keys.map((_, row) => BigInt(row));
          const from = sweep({ keys: records.keys, values: rows }, order, pass, starts, hasNanTies);
          const written = (numbers: bigint[]): bigint[] =>
            numbers.map((number, i) => ((from.values[i] as bigint) < first * tile ? 0n : number));
          const expected = withValues(widths, {
            keys: written(all.keys),
            values: written(all.values),
          });
          const context = `pass ${slot}, tiles from ${first} of ${tiles}, ${what}`;
          if (kernel === 'sweep') expect(found, context).toEqual(expected);
          else {
            // Equal digits of a tile come in any order.
            const digits = ({ keys }: Records): number[] =>
              digitsOf(keys.map((key) => (pass.isLast ? key : bitsOf(key, order))));
            expect(digits(found), context).toEqual(digits(expected));
            const inOrder = (keys: bigint[]): bigint[] => keys.sort((a, b) => (a < b ? -1 : 1));
            expect(inOrder(found.keys), context).toEqual(inOrder(expected.keys));
          }
        }
      });

      it.each([0, 1, 2, 3])(
        'sweep: the way home, or nothing, after %i passes',
        async (passesRun) => {
          const { input, specialization, scanState, tiles } = planned();
          const { count, offset, records, what } = input;
          const plan = words({ passesSkipped: 0, passes: [], starts: [] }, input);
          plan[LAYOUTS.Plan.passesRun / 4] = passesRun;
          for (const slot of [passesRun, passesRun + 1]) {
            const uniform = orderOf(device(), input);
            const results = await runStage(
              device(),
              'sweep',
              constantsOf(specialization, 'sweep'),
              [
                { 0: uniform, 1: plan, 2: scanState },
                { 0: Uint32Array.of(slot) },
                pingPong(widths, records, 0, offset),
              ],
              1 + random.below(tiles + 1),
            );
            uniform.destroy();
            const none = { keys: records.keys.map(() => 0n), values: records.keys.map(() => 0n) };
            const isHome = passesRun % 2 === 1 && slot === passesRun;
            const expected = withValues(widths, isHome ? records : none);
            const context = `slot ${slot}, ${what}`;
            expect(movedBy(widths, results[2], offset, count), context).toEqual(expected);
          }
        },
      );
    },
  );
}
