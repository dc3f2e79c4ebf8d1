/** Heavy values, which sweeps leave out: each stage that knows of them, one after the other. */

import {
  CONSTANTS,
  LAYOUTS,
  maxPassesOf,
  type SweepShape,
  sweepTileOf,
  type Widths,
} from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { alignedDigit } from '../twins/chained-scan/aligned-digit.js';
import { bitsOf, wordOf } from '../twins/order.js';
import { commandNumbers, numbersFrom, runStage } from './gpu-stage.js';
import { MAPPED, partsOf, planned, planOf, withKeys } from './hybrid-inputs.js';
import { constantsOf, orderOf, pick, placed, random } from './inputs.js';

const { RADIX, HEAVY_SLOTS, HEAVY_BITS, BY_SWEEPS, RADIX_BITS } = CONSTANTS;

/** Equal keys without values are the same. */
const WIDTHS: Widths = { keyWords: 1, valueWords: 0, approximate: false };

/** The slot of a word: kernels/wgsl/fragments/heavy-values.wgsl. */
const slotOf = (word: bigint): number => {
  const low = Number(word);
  return Math.imul(low ^ (low >>> 15), 0x9e3779b1) >>> (32 - HEAVY_BITS);
};

/** Between this and seven times that no word is a float's that is a NaN. */
const BASE = 2n ** 29n;

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Declares the checks. */
export function describeHeavyValues(device: () => GPUDevice): void {
  describe('heavy values', () => {
    it('from sample to batch sort: copies are left out, and written at last', async () => {
      // Most keys are among a few dozen values, the least word and the greatest among them.
      const bits = pick([24, 32]);
      const range = bits === 24 ? 1n << 24n : 6n * BASE;
      const word = (): bigint => BASE + (BigInt(random.bits()) % range);
      const ends = [BASE, BASE + range - 1n];
      const frequent = [...ends, ...Array.from({ length: 4 + random.below(40) }, word)];
      const any = planned(device(), WIDTHS, 2000);
      const { order } = any.input;
      const own = Array.from({ length: 4000 + random.below(999) }, () =>
        bitsOf(random.below(4) === 0 ? word() : pick(frequent), order),
      );
      const { input, specialization, tile } = withKeys(any, own);
      const { count, offset, records, what } = input;
      const stages = pick([1, 2]);
      const shape = specialization.chained as SweepShape;
      const { threads, keys } = shape;
      const chained = { ...shape, sweeps: { threads, keys: keys * stages, stages } };
      const constantsFor = (kernel: Parameters<typeof constantsOf>[1]) =>
        constantsOf({ ...specialization, chained }, kernel);
      const parts = partsOf(WIDTHS, MAPPED, tile, count, sweepTileOf(chained));
      const uniform = orderOf(device(), input, { minHybrid: 2, countedKeys: 1 });
      let plan = planOf(WIDTHS, input);
      let state: Uint32Array = new Uint32Array(parts.words);
      /** Runs a stage with what the ones before have left; resolves to its buffers of keys. */
      const run = async (
        kernel: Parameters<typeof constantsOf>[1],
        numbers: Parameters<typeof runStage>[3][number],
        buffers: readonly Uint32Array[],
      ): Promise<Uint32Array[]> => {
        const results = await runStage(
          device(),
          kernel,
          constantsFor(kernel),
          [{ 0: uniform, 1: plan, 2: state }, numbers, { ...buffers }],
          kernel === 'sample' ? 1 : 1 + random.below(4),
        );
        plan = results[0]?.[1] ?? plan;
        state = results[0]?.[2] ?? state;
        return results[2] as Uint32Array[];
      };
      const caller = placed(records.keys, offset, 1);
      const words = records.keys.map((key) => wordOf(key, order));
      const counts = new Map<bigint, number>();
      for (const one of words) counts.set(one, (counts.get(one) ?? 0) + 1);

      // The sample: which values are heavy.
      await run('sample', commandNumbers(count, offset), [caller]);
      const heavyAt = (LAYOUTS.Plan.size + maxPassesOf(1) * LAYOUTS.Pass.scale) / 4;
      const found = plan[heavyAt] as number;
      const part = (from: number, length: number): number[] => [
        ...plan.slice(heavyAt + from, heavyAt + from + length),
      ];
      const heavy = part(2 + HEAVY_SLOTS, found).map(BigInt);
      expect(plan[LAYOUTS.Plan.mode / 4], what).toBe(BY_SWEEPS);
      expect(found, what).toBeGreaterThan(4);
      expect(heavy, what).toEqual([...new Set(heavy)].sort(ascending));
      expect(
        heavy.filter((value) => !counts.has(value)),
        what,
      ).toEqual([]);
      const table = part(2, HEAVY_SLOTS).map(BigInt);
      const inSlots = table.filter((value, slot) => slotOf(value) === slot);
      expect(inSlots.sort(ascending), what).toEqual(heavy);

      // The histogram: the places of one key of each, and of the keys that are not heavy.
      const copies = heavy.map((value) => (counts.get(value) as number) - 1);
      const swept = [...words.filter((one) => !heavy.includes(one)), ...heavy];
      await run('histogram', commandNumbers(count, offset), [caller]);
      const sums = copies.map((_, i) => copies.slice(0, i).reduce((all, one) => all + one, 0));
      expect(part(1, 1), what).toEqual([swept.length]);
      expect(part(2 + 2 * HEAVY_SLOTS, found), what).toEqual(sums);
      const passes = plan[LAYOUTS.Plan.passesRun / 4] as number;
      expect(passes, what).toBe(bits / RADIX_BITS);
      for (let slot = 0; slot < passes; slot++) {
        const digits = swept.map((one) => alignedDigit(one, order, RADIX_BITS * slot, false));
        const from = parts.starts + slot * RADIX;
        expect([...state.slice(from, from + RADIX)], what).toEqual(
          Array.from({ length: RADIX }, (_, d) => digits.filter((digit) => digit < d).length),
        );
      }

      // The sweeps: all of these keys, with room for the copies.
      const buffers = [caller, new Uint32Array(count)];
      for (let slot = 0; slot < passes; slot++) {
        const [source, target] = slot % 2 === 0 ? buffers : [...buffers].reverse();
        const kernel = slot === 0 ? 'firstSweep' : 'sweep';
        const group = [source as Uint32Array, target as Uint32Array];
        const [, moved] = await run(kernel, { 0: Uint32Array.of(slot) }, group);
        buffers[(slot + 1) % 2] = moved as Uint32Array;
        if (slot > 0) continue;
        const first = numbersFrom((moved as Uint32Array).slice(0, swept.length), 1);
        const digits = first.map((one) => alignedDigit(one, order, 0, false));
        expect(digits, what).toEqual([...digits].sort((a, b) => a - b));
        expect(first.sort(ascending), what).toEqual([...swept].sort(ascending));
      }
      if (passes % 2 === 1) {
        const group = [buffers[1], buffers[0]] as Uint32Array[];
        const [, home] = await run('sweep', { 0: Uint32Array.of(passes) }, group);
        buffers[0] = home as Uint32Array;
      }
      const sorted = words.sort(ascending).map((one) => bitsOf(one, order));
      const isCopy = words.map((one, i) => one === words[i - 1] && heavy.includes(one));
      const after = (): bigint[] => numbersFrom((buffers[0] as Uint32Array).slice(offset), 1);
      expect(
        after().filter((_, i) => !isCopy[i]),
        what,
      ).toEqual(sorted.filter((_, i) => !isCopy[i]));

      // The batch sort: the copies.
      [buffers[0]] = (await run('batchSort', {}, buffers)) as [Uint32Array];
      expect(after(), what).toEqual(sorted);
      uniform.destroy();
    });
  });
}
