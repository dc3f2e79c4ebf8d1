/** The stages of the long segments of a sort, each alone, against their twins. */

import { CONSTANTS, type Widths } from '@keysweep/kernels/wgsl';
import { expect, it } from 'vitest';
import { type Records, wordOf } from '../twins/order.js';
import {
  longHistogram,
  longStarts,
  longSweep,
  longTiles,
} from '../twins/segments/long-segments.js';
import { numbersFrom } from './gpu-stage.js';
import { pingPong, random, withValues } from './inputs.js';
import { inPlace, listOf, type SegmentInput } from './segment-inputs.js';
import { DIGITS_AT, LONGS_AT, segmentRuns, stateOf, structsIn, TILES_AT } from './segment-runs.js';

const { RADIX, STATE_WORDS } = CONSTANTS;

/** Declares the checks of long segments. */
export function describeLongSegments(device: () => GPUDevice, widths: Widths): void {
  const { run, each } = segmentRuns(device, widths);

  /** Long segments as kernels have them: the tiles of one segment follow the tiles of another. */
  const longOf = ({ known, kinds }: SegmentInput) => {
    const tiles = longTiles(known.longs, kinds.tile);
    const rows = known.longs.map(({ first, count }, segment) => [
      ...[first, count, tiles.findIndex((tile) => tile.segment === segment)],
    ]);
    const table = tiles.map(({ first, valid, segment, index }) => [
      ...[first, valid, segment, index],
    ]);
    return { tiles, table, longs: Uint32Array.from(listOf(rows, 3)) };
  };
  const longNumbers = (given: SegmentInput): Record<number, number> => ({
    [LONGS_AT]: given.known.longs.length,
    [TILES_AT]: longOf(given).tiles.length,
  });

  it('long tiles: the tiles of long segments, and zeroes', () =>
    each(async (given, what) => {
      const { known, passes } = given;
      const { table, longs } = longOf(given);
      const state = [
        ...stateOf(given, longNumbers(given)),
        ...new Array(RADIX * table.length).fill(7),
      ];
      const [, [after, , tiles, counts] = []] = await run(given, 'cutLong', [
        {},
        [
          Uint32Array.from(state),
          longs,
          new Uint32Array(4 * Math.max(1, table.length)),
          new Uint32Array(Math.max(1, passes * RADIX * known.longs.length)).fill(7),
        ],
      ]);
      expect(structsIn(tiles, 4, 0, table.length), what).toEqual(table);
      const zeroes = [...(after as Uint32Array).subarray(STATE_WORDS)];
      if (known.longs.length > 0) zeroes.push(...(counts as Uint32Array));
      expect(new Set(zeroes), what).toEqual(new Set(zeroes.length > 0 ? [0] : []));
    }));

  it('long histogram, long starts: where digits begin in each segment', () =>
    each(async (given, what) => {
      const { input, known, passes, hasNanTies } = given;
      const { table, longs } = longOf(given);
      const { keys } = input.records;
      const counts = longHistogram(keys, known.longs, input.order, passes, hasNanTies);
      const size = Math.max(1, passes * RADIX * known.longs.length);
      const [, [, , found] = []] = await run(given, 'countLong', [
        {},
        [
          stateOf(given, longNumbers(given)),
          Uint32Array.from(listOf(table, 4)),
          new Uint32Array(size),
        ],
        { 0: inPlace(widths, input.records)[0] as Uint32Array },
      ]);
      const expected = listOf(counts.flat());
      expect([...(found as Uint32Array)], `counts, ${what}`).toEqual(expected);

      const { starts, digits } = longStarts(counts);
      const [, [state, , places] = []] = await run(given, 'startLong', [
        {},
        [stateOf(given, longNumbers(given)), longs, found as Uint32Array],
      ]);
      expect([...(places as Uint32Array)], `starts, ${what}`).toEqual(listOf(starts.flat()));
      const bits = digits.reduce((sum, digit) => sum | (1 << digit), 0);
      expect((state as Uint32Array)[DIGITS_AT], what).toBe(bits);
    }));

  const sweeps = widths.valueWords === 0 ? ['longSweep', 'longFirstSweep'] : ['longSweep'];

  it.each(sweeps as ('longSweep' | 'longFirstSweep')[])('%s: long segments by a digit', (kernel) =>
    each(async (given, what) => {
      const { input, known, passes, hasNanTies } = given;
      const { order } = input;
      const { table } = longOf(given);
      const counts = longHistogram(input.records.keys, known.longs, order, passes, hasNanTies);
      const { starts, digits } = longStarts(counts);
      // One slot beyond the last: the way home, or nothing.
      const slot = kernel === 'longFirstSweep' ? 0 : random.below(digits.length + 2);
      if (kernel === 'longFirstSweep' && (digits.length === 0 || given.isPlaced)) return;
      const passAt = (i: number): Parameters<typeof longSweep>[3] => ({
        digit: digits[i] as number,
        isFirst: i === 0,
        isLast: i === digits.length - 1,
      });
      const swept = (from: Records, i: number): Records =>
        longSweep(from, known.longs, order, passAt(i), starts, hasNanTies);
      let records = input.records;
      for (let i = 0; i < Math.min(slot, digits.length); i++) records = swept(records, i);
      const inScratch = slot % 2 === 1;
      // Scratch begins with the first of all segments.
      const shifted = <T>(items: readonly T[]): T[] => items.slice(known.first);
      const source = inScratch
        ? { keys: shifted(records.keys), values: shifted(records.values) }
        : records;
      const state = [
        ...stateOf(given, {
          ...longNumbers(given),
          [DIGITS_AT]: digits.reduce((sum, digit) => sum | (1 << digit), 0),
        }),
        ...new Array(Math.max(1, RADIX * table.length)).fill(0),
      ];
      const results = await run(given, kernel, [
        {
          1: Uint32Array.from(state),
          2: Uint32Array.from(listOf(table, 4)),
          3: Uint32Array.from(listOf(starts.flat())),
        },
        { 0: Uint32Array.of(slot) },
        pingPong(widths, source, 0, inScratch ? known.first : 0),
      ]);
      const isHome = slot === digits.length && inScratch;
      const result = slot < digits.length ? swept(records, slot) : records;
      const isWritten = slot < digits.length || isHome;
      const targetShift = inScratch ? 0 : known.first;
      // The caller's buffer has other records first.
      const others = new Array<bigint>(inScratch ? known.first : 0).fill(7n);
      const length = others.length + source.keys.length;
      const written = (numbers: readonly bigint[]): bigint[] => {
        const target = [...others, ...source.keys.map(() => 0n)];
        for (const { first, count: own } of isWritten ? known.longs : []) {
          for (let i = first; i < first + own; i++) {
            const at = i - targetShift;
            if (at < length) target[at] = numbers[i] as bigint;
          }
        }
        return target;
      };
      const expected = withValues(widths, {
        keys: written(result.keys),
        values: written(result.values),
      });
      const found = {
        keys: numbersFrom(results[2]?.[1] as Uint32Array, widths.keyWords).slice(0, length),
        values:
          widths.valueWords === 0
            ? []
            : numbersFrom(results[2]?.[3] as Uint32Array, widths.valueWords).slice(0, length),
      };
      const context = `slot ${slot} of ${digits.length}, ${what}`;
      if (kernel === 'longSweep') expect(found, context).toEqual(expected);
      else {
        // Equal digits come in any order, the same ones in each segment.
        const { digit, isLast } = passAt(0);
        const digitOf = (key: bigint): bigint =>
          ((isLast ? wordOf(key, order) : key) >> BigInt(8 * digit)) & 255n;
        const inOrder = ({ keys }: Records): unknown =>
          known.longs.map(({ first, count: own }) => {
            const part = keys.slice(first - targetShift, first - targetShift + own);
            return [part.map(digitOf), part.sort((a, b) => (a < b ? -1 : 1))];
          });
        expect(inOrder(found), context).toEqual(inOrder(expected));
      }
    }),
  );
}
