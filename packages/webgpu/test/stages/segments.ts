/** The stages of a sort of segments on devices with subgroups, each alone, against their twins. */

import { sample } from '@keysweep/conformance/data';
import { CONSTANTS, hasNarrow, type Kernel } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { type Records, wordOf } from '../twins/order.js';
import {
  longHistogram,
  longStarts,
  longSweep,
  longTiles,
} from '../twins/segments/long-segments.js';
import type { Segment } from '../twins/segments/marks.js';
import { type Window, windows } from '../twins/segments/windows.js';
import { commandNumbers, numbersFrom, runStage } from './gpu-stage.js';
import { orderOf, pingPong, ROUNDS, random, seed, WIDTHS, withValues } from './inputs.js';
import {
  bytesOf,
  inPlace,
  listOf,
  type SegmentInput,
  segmentInput,
  sortedIn,
} from './segment-inputs.js';

const { RADIX, STATE_WORDS, EVEN_AT, SINGLES_AT } = CONSTANTS;

/** Words of fragments/segment-state.wgsl that have no name on the host. */
const [FIRST_AT, END_AT, FEWER_AT, MORE_AT, LONGS_AT, TILES_AT, DIGITS_AT, MIXED_AT] = [
  ...[0, 1, 2, 3, 4, 5, 6, 8],
] as [number, number, number, number, number, number, number, number];

/** Kernels that do not look at keys. */
const WITHOUT_ORDER: ReadonlySet<Kernel> = new Set(['clearMarks', 'findWindows', 'cutLong']);

/** The words of `count` structs of `size` words each, from struct `first` on. */
const structsIn = (
  words: Uint32Array | undefined,
  size: number,
  first: number,
  count: number,
): number[][] =>
  Array.from({ length: count }, (_, i) => [
    ...(words as Uint32Array).subarray(size * (first + i), size * (first + i + 1)),
  ]);

const byFirst = (rows: number[][]): number[][] => rows.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));

/** The state of segments that are known. */
function stateOf({ known }: SegmentInput, more: Readonly<Record<number, number>>): Uint32Array {
  const state = new Uint32Array(STATE_WORDS);
  state[FIRST_AT] = known.first;
  state[END_AT] = known.end;
  for (const [at, number] of Object.entries(more)) state[Number(at)] = number;
  return state;
}

/** The bits of marks, counted from the first key. */
function markWords({ known, input }: SegmentInput): Uint32Array {
  const words = new Uint32Array(Math.floor(input.count / 32) + 1);
  for (const start of known.starts) {
    const at = start - known.first;
    words[at >> 5] = (words[at >> 5] as number) | (1 << (at & 31));
  }
  return words;
}

/** The group of a list of windows; `refused` of kernels that refuse some. */
const listGroup = (
  given: SegmentInput,
  counts: Readonly<Record<number, number>>,
  list: Uint32Array,
  refused: Uint32Array | undefined,
): Uint32Array[] => [
  stateOf(given, counts),
  markWords(given),
  list,
  ...(refused === undefined ? [] : [refused]),
];

/** Declares the checks. */
export function describeSegments(device: () => GPUDevice): void {
  describe.each(sample(WIDTHS, 1, seed + 2))(
    'segments, $keyWords words a key, $valueWords a value',
    (widths) => {
      const isNarrow = hasNarrow(widths.keyWords);
      const run = async (
        given: SegmentInput,
        kernel: Kernel,
        groups: Parameters<typeof runStage>[3],
        workgroups = 1 + random.below(5),
      ): Promise<Uint32Array[][]> => {
        const uniform = orderOf(device(), given.input);
        const order = WITHOUT_ORDER.has(kernel) ? {} : { 0: uniform };
        const all = [{ ...groups[0], ...order }, ...groups.slice(1)];
        const results = await runStage(
          device(),
          kernel,
          given.constantsOf(kernel),
          all,
          workgroups,
        );
        uniform.destroy();
        return results;
      };
      const recordsIn = (group: readonly Uint32Array[] | undefined, count: number): Records => {
        const from = (words: Uint32Array | undefined, wordsPer: number): bigint[] =>
          numbersFrom(words ?? new Uint32Array(), wordsPer).slice(0, count);
        return {
          keys: from(group?.[0], widths.keyWords),
          values: widths.valueWords === 0 ? [] : from(group?.[1], widths.valueWords),
        };
      };
      const each = async (check: (given: SegmentInput, what: string) => unknown): Promise<void> => {
        for (let round = 0; round < ROUNDS; round++) {
          const given = segmentInput(device(), widths);
          await check(given, `${given.places.length - 1} segments, ${given.input.what}`);
        }
      };

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

      it.runIf(isNarrow)('the same of segments that a subgroup sorts by itself', () =>
        each(async (given, what) => {
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
        }),
      );

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

      /** Long segments as kernels have them: the tiles of each follow those of the one before. */
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

      it.each(sweeps as ('longSweep' | 'longFirstSweep')[])(
        '%s: long segments by a digit',
        (kernel) =>
          each(async (given, what) => {
            const { input, known, passes, hasNanTies } = given;
            const { order } = input;
            const { table } = longOf(given);
            const counts = longHistogram(
              input.records.keys,
              known.longs,
              order,
              passes,
              hasNanTies,
            );
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
    },
  );
}
