/** The sample of a hybrid sort: the map that it makes, and whether it says that the sort pays. */

import { sample as drawn } from '@keysweep/conformance/data';
import { CONSTANTS, LAYOUTS, THREADS } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { strideOf } from '../twins/hybrid/bucket-rooms.js';
import {
  type Bins,
  bucketAt,
  bucketOf,
  firstPositions,
  type KeyMap,
  leadOf,
  positionOf,
  scaleOf,
} from '../twins/hybrid/map.js';
import { isEven, isLong, SAMPLES, sampledWords } from '../twins/hybrid/sample.js';
import { bitLength, bitsOf, type KeyOrder } from '../twins/order.js';
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

const { RADIX, MAP_CELLS, CELL_SHARE, SAMPLE_GROUPS, HYBRID_MODE, BY_SWEEPS } = CONSTANTS;

/** So many that three workgroups see different ones. */
const COUNT = 3 * SAMPLES + 17;

/** Not below 2^32 / 8 and not over 7 times that: no float of such a word is a NaN. */
const BASE = 2n ** 29n;

/** What a sample has found out. */
interface Found {
  readonly map: KeyMap;
  readonly bins: readonly Bins[];
  readonly mode: number;
  readonly planned: Planned;
  readonly words: readonly (readonly bigint[])[];
  /** One key in how many the count of buckets is to count; and where not all have to be. */
  readonly stride: number;
  readonly guessed: number;
}

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

      /** The range, the gap and the table are what the words of the sample ask for. */
      function checkMap({ map, words, planned: { input } }: Found): void {
        const { order, what } = input;
        const all = words.flat().sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        const [lowest, highest] = [all[0] as bigint, all.at(-1) as bigint];
        const tail = order.bits === 32 ? 0 : bitLength((lowest ^ highest) >> 32n);
        expect(map.tail, what).toBe(tail);
        // The lead begins at the highest bit that differs: no other bit is in front of it.
        expect(BigInt(map.prefix), what).toBe(highest >> BigInt(32 + tail));
        expect([map.least, map.most], what).toEqual(
          [lowest, highest].map((word) => leadOf(word, map)),
        );
        if (words.length > 1) return;
        const leads = [...new Set(all.map((word) => leadOf(word, map)))];
        // A gap is looked for in 2^8 parts of a power of two.
        const range = map.most - map.least;
        const part = 2 ** (Math.max(bitLength(BigInt(range)), 1) - 8);
        const parts = Math.floor(range / part) + 1;
        const widest = Math.max(0, ...leads.slice(1).map((lead, i) => lead - (leads[i] as number)));
        const hasGap = map.below < map.most;
        if (range > 255 && 2 * (Math.floor(widest / part) - 1) > parts) {
          expect(hasGap, what).toBe(true);
        }
        if (2 * (Math.ceil(widest / part) - 1) <= parts) {
          expect([map.below, map.above], what).toEqual([map.most, map.most]);
        }
        expect(
          leads.filter((lead) => map.below < lead && lead < map.above),
          `in the gap, ${what}`,
        ).toEqual([]);
        if (hasGap) {
          expect(positionOf(map.most, map) - 2, what).toBeLessThan(0.7 * range);
          checkMargins(map, words[0] as readonly bigint[], what);
        }
        // So few positions do not fill the cells.
        if (positionOf(map.most, map) > 2 ** 12)
          checkShares(map, words[0] as readonly bigint[], what);
      }

      /** The map goes on into the gap, and less far beyond many keys. */
      function checkMargins(map: KeyMap, words: readonly bigint[], what: string): void {
        const leads = words.map((word) => leadOf(word, map));
        const highest = Math.max(...leads.filter((lead) => lead <= map.below));
        const lowest = Math.min(...leads.filter((lead) => lead >= map.above));
        const margin = Math.floor((highest - map.least + map.most - lowest) / 8);
        const shareOf = (near: number): number => (near > 64 ? Math.floor(margin / 16) : margin);
        const near = leads.filter((lead) => lead <= highest && highest - lead <= margin).length;
        const end = highest + shareOf(near);
        // Up to the end of a cell.
        const cell = (Math.floor(2 ** 27 / map.factor) + 2) * 2 ** map.shift;
        expect(map.below, what).toBeGreaterThanOrEqual(end);
        expect(map.below, what).toBeLessThanOrEqual(end + cell);
        const after = leads.filter((lead) => lead >= lowest && lead - lowest <= margin).length;
        expect(lowest - map.above, what).toBe(shareOf(after));
      }

      /** Cells have buckets by the keys that the sample shows, on either side of the gap. */
      function checkShares(map: KeyMap, words: readonly bigint[], what: string): void {
        const fractionOf = (lead: number): number =>
          Math.floor(positionOf(lead, map) / 2 ** map.shift) * map.factor;
        const cellOf = (lead: number): number => Math.floor(fractionOf(lead) / 2 ** 27);
        const counts = new Array<number>(MAP_CELLS).fill(0);
        for (const word of words) counts[cellOf(leadOf(word, map))]!++;
        const mean = SAMPLES / MAP_CELLS;
        const hasGap = map.below < map.most;
        const isUneven = counts.some((own) => Math.abs(own - mean) > 4 * Math.sqrt(mean));
        expect(map.isLinear, what).toBe(hasGap || isUneven ? 0 : 1);
        const cells = cellOf(map.most) + 1;
        const border = hasGap ? cellOf(map.above) : cells;
        // Positions above the gap begin with a cell of their own.
        const highest = words.map((word) => leadOf(word, map)).filter((lead) => lead <= map.below);
        if (hasGap) expect(cellOf(Math.max(...highest)), what).toBeLessThan(border);
        for (const [from, to] of [
          [0, border],
          [border, cells],
        ] as const) {
          const shares = counts.slice(from, to).map((own) => own + CELL_SHARE);
          const sum = shares.reduce((all, own) => all + own, 0);
          const widths_ = map.cells.slice(from, to).map(([, width]) => width);
          const width = widths_.reduce((all, own) => all + own, 0);
          for (const [i, own] of widths_.entries()) {
            const fair = (width * (shares[i] as number)) / sum;
            expect(Math.abs(own - fair), `cell ${from + i}, ${what}`).toBeLessThan(3);
          }
        }
        const shareOf = (to: number): number =>
          counts.slice(0, to).reduce((all, own) => all + own + CELL_SHARE, 0) /
          (SAMPLES + CELL_SHARE * cells);
        // No bucket has positions on both sides: the border is a whole bucket.
        if (hasGap) {
          const middle = (map.cells[border] as readonly [number, number])[0] / 256;
          expect(Number.isInteger(middle), what).toBe(true);
          expect(Math.abs(middle - RADIX * shareOf(border)), what).toBeLessThanOrEqual(1);
        } else {
          expect(map.cells[0]![0], what).toBe(0);
          const [first, width] = map.cells[cells - 1] as readonly [number, number];
          expect(first + width, what).toBe(0xffff);
        }
      }

      /** Of a larger lead no smaller bucket, all of them from 0 to 255. */
      function checkMonotone({ map, words, planned: { input } }: Found): void {
        const marks = [map.least, map.below, map.above, map.most, 0, 0xffffffff];
        const seen = words.flat().map((word) => leadOf(word, map));
        const probes = [...marks, ...seen, ...Array.from({ length: 500 }, () => random.bits())]
          .flatMap((lead) => [lead - 1, lead, lead + 1])
          .filter((lead) => 0 <= lead && lead <= 0xffffffff)
          .sort((a, b) => a - b);
        let before = 0;
        for (const lead of probes) {
          const bucket = bucketOf(lead, map);
          if (bucket < before || bucket >= RADIX) {
            throw new Error(`lead ${lead} is of bucket ${bucket}, after ${before}; ${input.what}`);
          }
          before = bucket;
        }
        // Keys that the sample has not seen.
        expect(bucketOf(0, map), input.what).toBe(0);
        expect(bucketOf(0xffffffff, map), input.what).toBe(bucketOf(map.most, map));
      }

      /** The leads of each bucket, and that its bins cover them. */
      function checkBins({ map, bins, planned: { input } }: Found): void {
        const firsts = firstPositions(map);
        const last = positionOf(map.most, map);
        for (const [bucket, own] of bins.entries()) {
          const what = `bucket ${bucket}, ${input.what}`;
          const first = firsts[bucket] as number;
          expect({ shift: own.shift, factor: own.factor }, what).toEqual(
            scaleOf(own.most - own.least),
          );
          expect(positionOf(own.least, map), what).toBe(first);
          if (bucketAt(first, map) !== bucket) {
            expect(own.most, what).toBe(own.least);
            continue;
          }
          const end = bucket + 1 < RADIX ? (firsts[bucket + 1] as number) - 1 : last;
          expect(positionOf(own.most, map), what).toBe(Math.max(first, end));
        }
      }

      function checkMode({ map, bins, mode, words, planned: { input } }: Found): void {
        const modes = words.map((own) =>
          isLong(map, input.order) && isEven(own, map, bins, input.order) ? HYBRID_MODE : BY_SWEEPS,
        );
        expect(modes, input.what).toContain(mode);
      }

      /** Where values tell equal keys apart, or keys may be in order, all are counted. */
      function checkStride({ map, words, stride, guessed, planned: { input } }: Found): void {
        if (words.length !== 1) return;
        const [own = []] = words;
        const leads = own.map((word) => leadOf(word, map));
        const isAscending = leads.every((lead, i) => i < THREADS || lead >= leads[i - THREADS]!);
        const isWhole = widths.valueWords > 0 || isAscending;
        expect(stride, input.what).toBe(isWhole ? 1 : guessed);
      }

      function check(found: Found): void {
        checkMap(found);
        checkStride(found);
        checkMonotone(found);
        checkBins(found);
        checkMode(found);
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
