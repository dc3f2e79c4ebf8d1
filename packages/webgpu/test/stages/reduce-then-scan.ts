/** The stages of reduce-then-scan, each alone, against their twins. */

import { sample } from '@keysweep/conformance/data';
import { CONSTANTS, LAYOUTS, maxPassesOf, THREADS, type Widths } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../twins/order.js';
import { downsweep } from '../twins/reduce-then-scan/downsweep.js';
import { plan } from '../twins/reduce-then-scan/plan.js';
import { spine } from '../twins/reduce-then-scan/spine.js';
import { survey } from '../twins/reduce-then-scan/survey.js';
import { upsweep } from '../twins/reduce-then-scan/upsweep.js';
import { commandNumbers, numbersFrom, planWords, runStage, wordsFrom } from './gpu-stage.js';
import {
  APPROXIMATE,
  constantsOf,
  type Input,
  movedBy,
  orderOf,
  pingPong,
  placed,
  ROUNDS,
  random,
  randomInput,
  seed,
  WIDTHS,
  withValues,
} from './inputs.js';

const { RADIX, SURVEY_KEYS } = CONSTANTS;
const { HYBRID_MODE, IN_ORDER, BY_SWEEPS } = CONSTANTS;

/** Declares the checks of reduce-then-scan, by its stages. */
export function describeReduceThenScan(device: () => GPUDevice): void {
  describe.each([...sample(WIDTHS, 1, seed), APPROXIMATE])(
    'reduce-then-scan, $keyWords words a key, $valueWords a value, by codes: $approximate',
    (widths) => {
      const isApproximate = widths.approximate;
      const maxPasses = maxPassesOf(widths.keyWords);
      const tile = constantsOf(widths, 'downsweep').TILE as number;

      /** A random input, its order's buffer, and what the twins of survey and plan say of it. */
      function planned() {
        const input = randomInput(widths, 5 * tile);
        const { order, records, count, offset } = input;
        const groups = 1 + random.below(3);
        const chunk = THREADS * SURVEY_KEYS;
        const ranges = survey(records.keys, order, { groups, chunk, isApproximate });
        const limits = { maxBlocks: 1 + random.below(40), minTiles: 1 + random.below(2) };
        const division = { count, offset, tile, ...limits, isApproximate };
        const known = plan(ranges, order, division);
        const uniform = orderOf(device(), input, { ...limits, surveyGroups: groups });
        return { input, groups, ranges, ...limits, known, uniform };
      }

      const rangeNumbers = (ranges: ReturnType<typeof survey>): bigint[] =>
        ranges.flatMap(({ smallest, largest, anyBits, allBits }) => [
          ...[smallest, largest, anyBits, allBits],
        ]);

      /** Records as the pass that is number `slot` finds them. */
      function before(slot: number, { passes }: Plan, { order, records }: Input, tiles: number) {
        let now = records;
        for (const pass of passes.slice(0, slot)) {
          const rows = upsweep(now.keys, order, { blocks: 99 } as Plan, pass, tiles * tile);
          now = downsweep(now, order, spine(rows), pass, tiles * tile);
        }
        return now;
      }

      it('survey: the range of the keys of each workgroup', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const { input, groups, ranges, uniform } = planned();
          const { records, count, offset, what } = input;
          const found = new Uint32Array(4 * widths.keyWords * groups);
          const [[, , results] = []] = await runStage(
            device(),
            'survey',
            constantsOf(widths, 'survey'),
            [
              { 0: uniform, 2: found },
              commandNumbers(count, offset),
              { 0: placed(records.keys, offset, widths.keyWords) },
            ],
            groups,
          );
          expect(numbersFrom(results as Uint32Array, widths.keyWords), what).toEqual(
            rangeNumbers(ranges),
          );
          uniform.destroy();
        }
      });

      it('plan: the passes, and the blocks', async () => {
        for (let round = 0; round < 2 * ROUNDS; round++) {
          const { input, ranges, known, uniform } = planned();
          const { count, offset, what } = input;
          const expected = planWords(known, maxPasses, isApproximate);
          const [[, , planned_] = []] = await runStage(
            device(),
            'plan',
            constantsOf(widths, 'plan'),
            [
              {
                0: uniform,
                1: wordsFrom(rangeNumbers(ranges), widths.keyWords),
                2: new Uint32Array(expected.length),
              },
              commandNumbers(count, offset),
            ],
            1,
          );
          const found = planned_ as Uint32Array;
          // Passes that are not run may say anything, and so may the scale then.
          const passWords = (expected.length - LAYOUTS.Plan.size / 4) / maxPasses;
          const used = LAYOUTS.Plan.size / 4 + known.passes.length * passWords;
          if (known.passes.length === 0)
            found.fill(0, LAYOUTS.Plan.scale / 4, LAYOUTS.Plan.scale / 4 + 2);
          expect([...found.subarray(0, used)], what).toEqual([...expected.subarray(0, used)]);
          uniform.destroy();
        }
      });

      it('survey and plan: nothing after a sort by a map, unless it was given up', async () => {
        if (isApproximate) return;
        const fields = LAYOUTS.Plan;
        const specialization = { ...widths, isAfterMap: true };
        for (const mode of [HYBRID_MODE, IN_ORDER, BY_SWEEPS]) {
          for (const isGivenUp of mode === HYBRID_MODE ? [0, 1] : [0]) {
            const { input, groups, ranges, known, uniform } = planned();
            const { records, count, offset, what } = input;
            const plan = new Uint32Array(planWords(known, maxPasses, false).length);
            plan[fields.mode / 4] = mode;
            plan[fields.blocks / 4] = 99;
            plan[fields.isGivenUp / 4] = isGivenUp;
            const isDone = mode !== BY_SWEEPS && isGivenUp === 0;
            const numbers = commandNumbers(count, offset);
            const [[, , found] = []] = await runStage(
              device(),
              'survey',
              constantsOf(specialization, 'survey'),
              [
                { 0: uniform, 1: plan, 2: new Uint32Array(4 * widths.keyWords * groups) },
                numbers,
                { 0: placed(records.keys, offset, widths.keyWords) },
              ],
              groups,
            );
            const surveyed = isDone ? new Array(4 * groups).fill(0n) : rangeNumbers(ranges);
            expect(numbersFrom(found as Uint32Array, widths.keyWords), what).toEqual(surveyed);
            const [[, , after] = []] = await runStage(
              device(),
              'plan',
              constantsOf(specialization, 'plan'),
              [
                {
                  0: uniform,
                  1: wordsFrom(rangeNumbers(ranges), widths.keyWords),
                  2: plan,
                },
                numbers,
              ],
              1,
            );
            const blocks = isDone ? 0 : known.blocks;
            expect(after?.[fields.blocks / 4], what).toBe(blocks);
            plan[fields.blocks / 4] = 0;
            if (isDone) expect(after, what).toEqual(plan);
            else expect(after?.[fields.passesRun / 4], what).toBe(known.passes.length);
            uniform.destroy();
          }
        }
      });

      it('upsweep: the digit counts of each block', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const { input, known, maxBlocks, uniform } = planned();
          const { order, what } = input;
          if (known.passes.length === 0) continue;
          const slot = random.below(known.passes.length);
          const pass = known.passes[slot]!;
          const { keys } = before(slot, known, input, known.tilesPerBlock);
          const [[, , counts] = []] = await runStage(
            device(),
            'upsweep',
            constantsOf(widths, 'upsweep'),
            [
              {
                0: uniform,
                1: planWords(known, maxPasses, isApproximate),
                2: new Uint32Array(RADIX * (maxBlocks + 1)),
              },
              { 0: Uint32Array.of(slot) },
              { 0: placed(keys, pass.sourceOffset, widths.keyWords) },
            ],
            // Others than those of blocks return.
            known.blocks + random.below(3),
          );
          const rows = upsweep(keys, order, known, pass, known.tilesPerBlock * tile);
          expect(rowsOf(counts as Uint32Array, maxBlocks, known.blocks), what).toEqual(rows);
          uniform.destroy();
        }
      });

      it('upsweep, spine and downsweep: nothing in a pass that is not run', async () => {
        const { input, known, maxBlocks, uniform } = planned();
        const { records } = input;
        for (const { slot, blocks } of [
          { slot: known.passes.length, blocks: 3 },
          { slot: 0, blocks: 0 },
        ]) {
          const plan = planWords({ ...known, blocks }, maxPasses, isApproximate);
          const counts = new Uint32Array(RADIX * (maxBlocks + 1)).fill(7);
          for (const kernel of ['upsweep', 'spine', 'downsweep'] as const) {
            const keys = pingPong(widths, records, 0, 0);
            const own = { upsweep: [{ 0: keys[0] as Uint32Array }], spine: [], downsweep: [keys] };
            const state = { 0: uniform, 1: plan, 2: counts };
            const groups = [state, { 0: Uint32Array.of(slot) }, ...own[kernel]];
            const results = await runStage(
              device(),
              kernel,
              constantsOf(widths, kernel),
              groups,
              2,
            );
            expect(results[0]?.[2], kernel).toEqual(counts);
            if (kernel === 'downsweep') expect(results[2]?.[1]).toEqual(keys[1]);
          }
        }
        uniform.destroy();
      });

      it('downsweep: the records by the digit of a pass', async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const { input, known, maxBlocks, uniform } = planned();
          const { order, what, count } = input;
          if (known.passes.length === 0) continue;
          const slot = random.below(known.passes.length);
          const pass = known.passes[slot]!;
          const records = before(slot, known, input, known.tilesPerBlock);
          const blockKeys = known.tilesPerBlock * tile;
          const scanned = spine(upsweep(records.keys, order, known, pass, blockKeys));
          const spineWords = new Uint32Array(RADIX * (maxBlocks + 1));
          for (const [digit, row] of scanned.rows.entries()) spineWords.set(row, digit * maxBlocks);
          spineWords.set(scanned.totals, RADIX * maxBlocks);
          const results = await runStage(
            device(),
            'downsweep',
            constantsOf(widths, 'downsweep'),
            [
              { 0: uniform, 1: planWords(known, maxPasses, isApproximate), 2: spineWords },
              { 0: Uint32Array.of(slot) },
              pingPong(widths, records, pass.sourceOffset, pass.targetOffset),
            ],
            known.blocks + random.below(3),
          );
          expect(
            movedBy(widths, results[2], pass.targetOffset, count),
            `pass ${slot}, ${what}`,
          ).toEqual(withValues(widths, downsweep(records, order, scanned, pass, blockKeys)));
          uniform.destroy();
        }
      });
    },
  );

  describe('reduce-then-scan, whatever the keys', () => {
    const widths: Widths = { keyWords: 1, valueWords: 1, approximate: false };

    it('spine: prefix sums of each row, and its sum', async () => {
      const input = randomInput(widths, 9);
      for (const [blocks, spineLanes] of [
        [1, 1],
        [16, 1],
        [17 + random.below(100), 8],
        [129 + random.below(900), 64],
        // More counts than a row's threads take at a time.
        [17 + random.below(60), 1],
        [129 + random.below(300), 8],
        [1025 + random.below(1100), 64],
      ] as const) {
        const maxBlocks = blocks + random.below(4);
        const rows = Array.from({ length: RADIX }, () =>
          Array.from({ length: blocks }, () => random.below(9999)),
        );
        const words = new Uint32Array(RADIX * (maxBlocks + 1));
        for (const [digit, row] of rows.entries()) words.set(row, digit * maxBlocks);
        const { count, offset } = input;
        const none = { bias: 0n, shift: 0, width: 8, isFirst: true, isLast: true };
        const passes = [{ ...none, sourceOffset: 0, targetOffset: 0 }];
        const known = { count, offset, tilesPerBlock: 1, blocks, spineLanes, passesSkipped: 3 };
        const [[, , found] = []] = await runStage(
          device(),
          'spine',
          constantsOf(widths, 'spine'),
          [
            {
              0: orderOf(device(), input, { maxBlocks, minTiles: 1, surveyGroups: 1 }),
              1: planWords({ ...known, passes }, 4, false),
              2: words,
            },
            { 0: Uint32Array.of(0) },
          ],
          (RADIX * spineLanes) / THREADS + random.below(3),
        );
        const expected = spine(rows);
        const what = `${blocks} blocks, seed ${seed}`;
        expect(rowsOf(found as Uint32Array, maxBlocks, blocks), what).toEqual(expected.rows);
        expect([...(found as Uint32Array).subarray(RADIX * maxBlocks)], what).toEqual(
          expected.totals,
        );
      }
    });
  });
}

/** The first `blocks` counts of each row of a spine. */
const rowsOf = (words: Uint32Array, maxBlocks: number, blocks: number): number[][] =>
  Array.from({ length: RADIX }, (_, digit) => [
    ...words.subarray(digit * maxBlocks, digit * maxBlocks + blocks),
  ]);
