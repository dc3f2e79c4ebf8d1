/** The sample of a hybrid sort: the map that it makes, and whether it says that the sort pays. */

import { sample as drawn } from '@keysweep/conformance/data';
import { CONSTANTS, LAYOUTS } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { strideOf } from '../twins/hybrid/bucket-rooms.js';
import { bucketOf, leadOf } from '../twins/hybrid/map.js';
import { SAMPLES, sampledWords } from '../twins/hybrid/sample.js';
import { bitsOf, type KeyOrder } from '../twins/order.js';
import { commandNumbers, runStage } from './gpu-stage.js';
import {
  binsIn,
  hybridWidths,
  interleaved,
  MAPPED,
  mapIn,
  type Planned,
  partsOf,
  planned,
  planOf,
  SAMPLED_AT,
  withKeys,
} from './hybrid-inputs.js';
import { constantsOf, orderOf, placed, ROUNDS, random, seed } from './inputs.js';
import { check, type Found } from './sample-checks.js';

const { RADIX, SAMPLE_GROUPS, HYBRID_MODE, BY_SWEEPS } = CONSTANTS;

/** So many that three workgroups see different ones. */
const COUNT = 3 * SAMPLES + 17;

/** Not below 2^32 / 8 and not over 7 times that: no float of such a word is a NaN. */
const BASE = 2n ** 29n;

/** Declares the checks. */
export function describeHybridSample(device: () => GPUDevice): void {
  describe.each(hybridWidths(seed + 2))(
    'the sample of a hybrid sort, $keyWords words a key, $valueWords a value',
    (widths) => {
      const { keyWords } = widths;
      const wordBits = 32 * keyWords;
      const randomBits = (): bigint => (BigInt(random.bits()) << 32n) | BigInt(random.bits());
      const below = (count: bigint): bigint => ((randomBits() << 64n) | randomBits()) % count;

      /** Takes a sample by `groups` workgroups, and looks that nothing else was changed. */
      async function run(
        any: Planned,
        groups: number,
        minHybrid: number | undefined = 2,
      ): Promise<Found> {
        const { input, specialization, tile } = any;
        const { order, records, count, offset, what } = input;
        const parts = partsOf(widths, MAPPED, tile, 1);
        // Counts are zero, and what an earlier sort has left is of no use.
        const before = new Uint32Array(parts.statuses);
        before.fill(0x12345678, parts.map, parts.bins);
        const countedKeys = 1 + random.below(2 * Math.max(1, count));
        const uniform = orderOf(device(), input, { minHybrid, countedKeys });
        const [[, plan, state] = []] = (await runStage(
          device(),
          'sample',
          constantsOf(specialization, 'sample'),
          [
            { 0: uniform, 1: planOf(widths, input, { mode: 7 }), 2: before },
            commandNumbers(count, offset),
            { 0: placed(records.keys, offset, keyWords) },
          ],
          groups,
        )) as [[Uint32Array, Uint32Array, Uint32Array]];
        uniform.destroy();
        const [found, kept] = [plan as Uint32Array, state as Uint32Array];
        expect(kept[SAMPLED_AT], what).toBe(0);
        const untouched = [...kept.slice(0, parts.map), ...kept.slice(parts.bins)];
        expect(
          untouched.every((word) => word === 0),
          what,
        ).toBe(true);
        const mode = found[LAYOUTS.Plan.mode / 4] as number;
        const map = mapIn(found, kept, parts);
        const words = count < 2 ? [] : sampledWords(records.keys, order, groups);
        const stride = found[LAYOUTS.Plan.stride / 4] as number;
        const guessed = strideOf(count, countedKeys);
        return { map, bins: binsIn(kept, parts), mode, planned: any, words, stride, guessed };
      }

      it('sample: a monotone map of any keys', async () => {
        for (let round = 0; round < 2 * ROUNDS; round++) {
          const any = planned(device(), widths, 9000);
          const found = await run(any, 1);
          check(found);
        }
      });

      /** Keys whose words `make` makes. */
      const keysOf = (order: KeyOrder, make: (i: number) => bigint, count = COUNT): bigint[] =>
        Array.from({ length: count }, (_, i) => bitsOf(make(i), order));

      /** By bits of a whole word: those of floats, too, are none of NaNs. */
      const base = BASE << BigInt(wordBits - 32);
      const unit = (bits: number): bigint => below(1n << BigInt(bits));
      const sum = (bits: number): bigint => unit(bits) + unit(bits) + unit(bits) + unit(bits);

      const EVEN: readonly (readonly [string, () => () => bigint])[] = [
        ['uniform', () => () => base + 5n * unit(wordBits - 3)],
        ['ids', () => () => base + 12_345n + below(100_000n)],
        ['normal', () => () => base + sum(wordBits - 3)],
        [
          'of a range that is no power of two',
          () => () => base + below(3n << BigInt(wordBits - 9)),
        ],
        [
          'of two ranges with a gap',
          () => () =>
            random.below(3) > 0 ? base + unit(wordBits - 14) : base * 6n + unit(wordBits - 12),
        ],
        [
          'of two ranges with a gap, of which one grows thin towards it',
          () => () => {
            const thin = Math.min(...Array.from({ length: 8 }, () => random.below(2 ** 20)));
            return random.below(3) > 0
              ? base + (BigInt(thin) << BigInt(wordBits - 32))
              : base * 6n + unit(wordBits - 12);
          },
        ],
        [
          'of ranges with one key above the gap',
          () => {
            let i = 0;
            return () => (i++ === 0 ? base * 6n : base + unit(wordBits - 8));
          },
        ],
      ];

      it.each(EVEN)('sample: even buckets of keys that are %s', async (_, makerOf) => {
        for (const groups of [1, 2 + random.below(2)]) {
          const any = planned(device(), widths, 9000);
          const make = makerOf();
          const found = await run(withKeys(any, keysOf(any.input.order, make)), groups);
          const { map, mode, words, planned: own } = found;
          check(found);
          expect(mode, own.input.what).toBe(HYBRID_MODE);
          const buckets = words.flat().map((word) => bucketOf(leadOf(word, map), map));
          const counts = new Array<number>(RADIX).fill(0);
          for (const bucket of buckets) counts[bucket]!++;
          const mean = buckets.length / RADIX;
          expect(Math.max(...counts), own.input.what).toBeLessThan(4 * mean);
          expect(counts.filter((count) => count > mean / 4).length).toBeGreaterThan(0.9 * RADIX);
        }
      });

      it('sample: by as many workgroups as a sort has, of words that each sees', async () => {
        const any = planned(device(), widths, 9000);
        const count = SAMPLE_GROUPS * SAMPLES;
        // One key of the first workgroup, and one of the last one, are the ends.
        const make = (i: number): bigint =>
          i === 0 ? base : i === count - 1 ? 7n * base : 2n * base + below(4n * base);
        const keys = keysOf(any.input.order, make, count);
        const found = await run(withKeys(any, keys), SAMPLE_GROUPS);
        check(found);
        expect(found.mode, any.input.what).toBe(HYBRID_MODE);
      });

      if (keyWords === 2) {
        it.each([...drawn([0, 1, 31, 32], 2, seed), 1 + random.below(31)])(
          'sample: the lead of words whose bits differ up to bit 32 + %i',
          async (tail) => {
            const any = planned(device(), widths, 9000);
            const spread = tail === 32 ? 62n : BigInt(32 + tail);
            // All bits in front of those that differ are the same, and some are set.
            const front =
              tail === 32 ? base : ((base * 3n + (randomBits() % base)) >> spread) << spread;
            const make = (i: number): bigint =>
              front + (i < 2 ? BigInt(i) * ((1n << spread) - 1n) : below(1n << spread));
            const found = await run(withKeys(any, keysOf(any.input.order, make)), 1);
            check(found);
            expect(found.mode).toBe(HYBRID_MODE);
            expect(Math.abs(found.map.tail - tail)).toBeLessThanOrEqual(tail === 32 ? 1 : 0);
          },
        );
      }

      const bell = (): number => (2000 * (random.below(1000) + random.below(1000))) / 1000 / 2;

      const UNEVEN: readonly (readonly [string, () => () => bigint])[] = [
        ['few', () => () => base + BigInt(random.below(40)) * (base >> 6n)],
        ['one value', () => () => base],
        // Ids by their frequency, scattered: some are a tenth of all.
        [
          'by Zipf',
          () => () => {
            const id = Math.floor(Math.exp(Math.log(1e6) * (random.bits() / 2 ** 32)));
            return base + BigInt(Math.imul(id, 2654435761) >>> 4);
          },
        ],
        // Points near a line, along a curve that fills the plane: most of it is empty.
        [
          'Morton codes',
          () => () => {
            const x = Math.floor(bell());
            return base + interleaved(x, x + random.below(8));
          },
        ],
        // They are even within that bucket, but it has a tenth of all.
        [
          'in one bucket too often',
          () => () =>
            random.below(8) === 0
              ? base * 3n + unit(wordBits - 11)
              : base + 4n * unit(wordBits - 3),
        ],
        ['spread over orders of magnitude', () => () => base + unit(8 + random.below(20))],
      ];

      it.each(UNEVEN)('sample: no hybrid sort of keys that are %s', async (_, makerOf) => {
        const any = planned(device(), widths, 9000);
        const make = makerOf();
        const keys = keysOf(any.input.order, make);
        const found = await run(withKeys(any, keys), 1);
        check(found);
        expect(found.mode, any.input.what).toBe(BY_SWEEPS);
        // Where every sort is hybrid, the map is made all the same.
        const forced = await run(withKeys(any, keys), 1, 0);
        check({ ...forced, mode: found.mode });
        expect(forced.mode, any.input.what).toBe(HYBRID_MODE);
      });

      it('sample: no hybrid sort of fewer keys than pay', async () => {
        const any = planned(device(), widths, 9000);
        const found = withKeys(
          any,
          keysOf(any.input.order, () => base + unit(wordBits - 3)),
        );
        expect((await run(found, 1, COUNT)).mode).toBe(HYBRID_MODE);
        expect((await run(found, 2, COUNT + 1)).mode).toBe(BY_SWEEPS);
        for (const count of [0, 1]) {
          const few = withKeys(any, found.input.records.keys.slice(0, count));
          expect((await run(few, 1, 0)).mode, `${count} keys`).toBe(BY_SWEEPS);
        }
      });
    },
  );
}
