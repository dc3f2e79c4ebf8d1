/** The stages of a sort of segments on devices with subgroups, each alone, against their twins. */

import { sample } from '@keysweep/conformance/data';
import { CONSTANTS, hasNarrow } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../twins/segments/marks.js';
import { type Window, windows } from '../twins/segments/windows.js';
import { commandNumbers } from './gpu-stage.js';
import { random, seed, WIDTHS, withValues } from './inputs.js';
import { bytesOf, inPlace, listOf, type SegmentInput, sortedIn } from './segment-inputs.js';
import {
  byFirst,
  END_AT,
  FEWER_AT,
  FIRST_AT,
  LONGS_AT,
  listGroup,
  MIXED_AT,
  MORE_AT,
  markWords,
  segmentRuns,
  stateOf,
  structsIn,
  TILES_AT,
} from './segment-runs.js';
import { describeLongSegments } from './segments-long.js';

const { STATE_WORDS, EVEN_AT, SINGLES_AT } = CONSTANTS;

/** Declares the checks. */
export function describeSegments(device: () => GPUDevice): void {
  describe.each(sample(WIDTHS, 1, seed + 2))(
    'segments, $keyWords words a key, $valueWords a value',
    (widths) => {
      const isNarrow = hasNarrow(widths.keyWords);
      const { run, recordsIn, each } = segmentRuns(device, widths);
      it('clear: the marks, and the numbers of the state', () =>
        each(async (given, what) => {
          const filled = (length: number): Uint32Array => new Uint32Array(length).fill(7);
          const [, [state, marks] = []] = await run(given, 'clearMarks', [
            {},
            { 0: filled(STATE_WORDS + 9), 1: filled(700) },
          ]);
          expect([...(marks as Uint32Array)], what).toEqual(new Array(700).fill(0));
          const numbers = [...new Array(STATE_WORDS).fill(0), ...new Array(9).fill(7)];
          expect([...(state as Uint32Array)], what).toEqual(numbers);
        }));

      it('marks: where segments begin, and lists of those that are not short', () =>
        each(async (given, what) => {
          const { input, places, known, kinds } = given;
          const skipped = random.below(64);
          const segments = places.length - 1;
          const words = [...new Array(skipped).fill(5), ...places, 3];
          const [, , group = []] = await run(given, 'markSegments', [
            {},
            commandNumbers(segments, skipped),
            [
              Uint32Array.from(words),
              new Uint32Array(STATE_WORDS),
              new Uint32Array(Math.floor(input.count / 32) + 1),
              ...[3, 3, 4].map((size) => new Uint32Array(size * Math.max(1, segments))),
              ...bytesOf(input.count),
            ],
          ]);
          const [, state, marks, pieces, longs, singles] = group as Uint32Array[];
          expect([...(marks as Uint32Array)], what).toEqual([...markWords(given)]);
          const at = (number: number): number => (state as Uint32Array)[number] as number;
          expect([at(FIRST_AT), at(END_AT)], what).toEqual([known.first, known.end]);
          const rows = (list: readonly Segment[]): number[][] =>
            list.map(({ first, count }) => [first, count]);
          const found = (from: number, count: number): number[][] =>
            byFirst(structsIn(pieces, 3, from, count).map((row) => row.slice(0, 2)));
          expect(found(0, at(FEWER_AT)), what).toEqual(rows(known.fewer));
          const more = at(MORE_AT);
          expect(found(Math.max(1, segments) - more, more), what).toEqual(rows(known.more));
          expect(byFirst(structsIn(singles, 4, 0, at(SINGLES_AT))), what).toEqual(
            known.singles.map(({ first, count }) => [first - known.first, count, 1, kinds.single]),
          );
          const long = byFirst(structsIn(longs, 3, 0, at(LONGS_AT)));
          expect(
            long.map((row) => row.slice(0, 2)),
            what,
          ).toEqual(rows(known.longs));
          // Each has tiles of its own.
          const tiles = long.flatMap(([, count = 0, tile = 0]) =>
            Array.from({ length: Math.ceil(count / kinds.tile) }, (_, i) => tile + i),
          );
          const all = Array.from({ length: at(TILES_AT) }, (_, i) => i);
          expect(
            tiles.sort((a, b) => a - b),
            what,
          ).toEqual(all);
        }));

      /** The windows of `given`, by its twin. */
      const windowsOf = ({ known, kinds, window }: SegmentInput): ReturnType<typeof windows> => {
        const starts = known.starts.map((start) => start - known.first);
        return windows(starts, known.end - known.first, kinds.short, window, isNarrow);
      };
      const rowOf = ({ first, count, segments, slots }: Window): number[] => [
        ...[first, count, segments, slots],
      ];

      it('windows: short segments, even and mixed ones', () =>
        each(async (given, what) => {
          const { known, window } = given;
          const count = Math.max(1, Math.ceil((known.end - known.first) / window));
          const [, [state, , list] = []] = await run(
            given,
            'findWindows',
            [
              {},
              [
                stateOf(given, {}),
                markWords(given),
                new Uint32Array(12 * count),
                Uint32Array.of(5, 5),
              ],
            ],
            Math.ceil(count / 256),
          );
          const { even, mixed } = windowsOf(given);
          const at = (number: number): number => (state as Uint32Array)[number] as number;
          expect(byFirst(structsIn(list, 4, 0, at(EVEN_AT))), what).toEqual(
            byFirst(even.map(rowOf)),
          );
          const found = structsIn(list, 4, 3 * count - at(MIXED_AT), at(MIXED_AT));
          expect(byFirst(found), what).toEqual(byFirst(mixed.map(rowOf)));
        }));

      it('even sort and short sort: each segment of the windows', () =>
        each(async (given, what) => {
          const { input, known } = given;
          const { even, mixed } = windowsOf(given);
          // A mixed window has all of its slots.
          const free = new Array(2).fill([0, 0, 0, 0]);
          const list = Uint32Array.from(
            [...even.map(rowOf), ...free, ...mixed.map(rowOf).reverse()].flat(),
          );
          const counts = { [EVEN_AT]: even.length, [MIXED_AT]: mixed.length };
          const segmentsIn = (some: readonly Window[]): Segment[] => {
            const ends = [...known.starts.slice(1), known.end];
            return known.starts.flatMap((first, i) => {
              const own = some.find((one) => {
                const from = one.first + known.first;
                return first >= from && first < from + one.count;
              });
              return own ? [{ first, count: (ends[i] as number) - first }] : [];
            });
          };
          let refused = new Uint32Array(even.length + 3);
          let { records } = input;
          records = withValues(widths, records);
          if (isNarrow) {
            const [, lists = [], group] = await run(given, 'evenSort', [
              {},
              listGroup(given, counts, list, given.isPlaced ? refused : undefined),
              inPlace(widths, records),
            ]);
            refused = (lists[3] ?? refused) as Uint32Array<ArrayBuffer>;
            const numbers = [...refused.subarray(2, 2 + (refused[0] as number))];
            if (!given.isPlaced) expect(numbers, what).toEqual([]);
            const done = even.filter((_, i) => !numbers.includes(i));
            const expected = sortedIn(records, segmentsIn(done), given);
            records = recordsIn(group, input.count);
            expect(records, `even, ${what}`).toEqual(withValues(widths, expected));
          }
          const [, , group] = await run(given, 'shortSort', [
            {},
            listGroup(given, counts, list, refused),
            inPlace(widths, records),
          ]);
          const all = sortedIn(input.records, segmentsIn([...even, ...mixed]), given);
          expect(recordsIn(group, input.count), `short, ${what}`).toEqual(withValues(widths, all));
        }));

      it('the same of segments that a subgroup sorts by itself', ({ skip }) => {
        skip(!isNarrow, 'only keys of one word have such segments');
        return each(async (given, what) => {
          const { input, known, kinds } = given;
          const rows = known.singles.map(({ first, count }) => [
            ...[first - known.first, count, 1, kinds.single],
          ]);
          const list = Uint32Array.from(listOf(rows, 4));
          const counts = { [SINGLES_AT]: rows.length };
          let refused = new Uint32Array(rows.length + 3);
          let records = withValues(widths, input.records);
          for (const kernel of ['evenSingles', 'shortSingles'] as const) {
            if (kernel === 'shortSingles' && !given.isPlaced) break;
            const [, lists = [], group] = await run(given, kernel, [
              {},
              listGroup(given, counts, list, given.isPlaced ? refused : undefined),
              inPlace(widths, records),
            ]);
            refused = (lists[3] ?? refused) as Uint32Array<ArrayBuffer>;
            records = recordsIn(group, input.count);
          }
          const expected = sortedIn(input.records, known.singles, given);
          expect(records, what).toEqual(withValues(widths, expected));
        });
      });

      it.each(['fewerSort', 'middleSort'] as const)('%s: middle segments', (kernel) =>
        each(async (given, what) => {
          const { input, known } = given;
          const { fewer, more } = known;
          const pieces = [...fewer, { first: 0, count: 0 }, ...[...more].reverse()];
          const [, , group] = await run(given, kernel, [
            {},
            [
              stateOf(given, { [FEWER_AT]: fewer.length, [MORE_AT]: more.length }),
              Uint32Array.from(pieces.flatMap(({ first, count }) => [first, count, 0])),
            ],
            inPlace(widths, input.records),
          ]);
          const sorted = sortedIn(input.records, kernel === 'fewerSort' ? fewer : more, given);
          expect(recordsIn(group, input.count), what).toEqual(withValues(widths, sorted));
        }),
      );

      describeLongSegments(device, widths);
    },
  );
}
