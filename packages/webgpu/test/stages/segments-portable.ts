/**
 * The stages of a sort of segments without subgroups, and of the first keys of segments, each
 * alone, against their twins.
 */

import { sample } from '@keysweep/conformance/data';
import {
  type Constants,
  constantsFor,
  type Kernel,
  THREADS,
  type Widths,
} from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import type { Records } from '../twins/order.js';
import { cutRows, firstKeys } from '../twins/segments/first-keys.js';
import { bounds, groups, longOffsets, longPlaces, takeKeys } from '../twins/segments/portable.js';
import { commandNumbers, numbersFrom, runStage, wordsFrom } from './gpu-stage.js';
import {
  constantsOf,
  type Input,
  orderOf,
  pick,
  placed,
  ROUNDS,
  random,
  randomInput,
  seed,
  WIDTHS,
  withValues,
} from './inputs.js';
import { bytesOf, inPlace, listOf, randomPlaces } from './segment-inputs.js';

/** Keys of a workgroup, and of a window. */
const TILE = 768;
const WINDOW = 576;

interface Given {
  readonly input: Input;
  readonly places: readonly number[];
  readonly known: readonly number[];
  readonly what: string;
}

function givenFor(widths: Widths): Given {
  let input = randomInput(widths, 5 * TILE);
  while (input.count < 2) input = randomInput(widths, 5 * TILE);
  const { count } = input;
  const places = randomPlaces(count, [TILE - 1, TILE, TILE + 1, 2 * TILE + 9]);
  const lines = places.length + random.below(300);
  const known = bounds(places, count, count, lines);
  return { input, places, known, what: `${places.length - 1} segments, ${input.what}` };
}

/** Records that a kernel has left in the buffers of a group. */
const recordsOf = (
  { keyWords, valueWords }: Widths,
  [keys, values]: readonly (Uint32Array | undefined)[],
  count: number,
): Records => ({
  keys: numbersFrom(keys as Uint32Array, keyWords).slice(0, count),
  values: valueWords === 0 ? [] : numbersFrom(values as Uint32Array, valueWords).slice(0, count),
});

/** Declares the checks. */
export function describePortableSegments(device: () => GPUDevice): void {
  describe.each(sample(WIDTHS, 1, seed + 3))(
    'segments by portable kernels, $keyWords words a key, $valueWords a value',
    (widths) => {
      const { keyWords } = widths;
      const run = async (
        { input }: Given,
        kernel: Kernel,
        own: Parameters<typeof runStage>[3],
        workgroups = 1 + random.below(4),
        hasOrder = true,
      ): Promise<Uint32Array[][]> => {
        const constants: Constants = { ...constantsOf(widths, kernel), TILE, WINDOW };
        const uniform = orderOf(device(), input);
        const all = [hasOrder ? { 0: uniform } : {}, ...own];
        const results = await runStage(device(), kernel, constants, all, workgroups);
        uniform.destroy();
        return results;
      };
      const each = async (check: (given: Given) => Promise<void>): Promise<void> => {
        for (let round = 0; round < ROUNDS; round++) await check(givenFor(widths));
      };

      it('bounds, long offsets: where segments begin, and keys of long ones before', () =>
        each(async (given) => {
          const { input, places, known, what } = given;
          const skipped = random.below(64);
          const words = [...new Array(skipped).fill(5), ...places, 3];
          const workgroups = 1 + random.below(4);
          const own = [
            commandNumbers(places.length - 1, skipped),
            [
              Uint32Array.from(words),
              new Uint32Array(known.length),
              new Uint32Array(workgroups),
              ...bytesOf(input.count),
            ],
          ];
          const [, , [, found, sums] = []] = await run(given, 'segmentBounds', own, workgroups);
          expect([...(found as Uint32Array)], what).toEqual(known);
          const tables = [found, sums, new Uint32Array(known.length)] as Uint32Array[];
          const [, [, , offsets] = []] = await run(
            given,
            'longOffsets',
            [tables],
            workgroups,
            false,
          );
          expect([...(offsets as Uint32Array)], what).toEqual(longOffsets(known, TILE));
        }));

      it('groups: segments that share a workgroup', async () => {
        const check = async (given: Given): Promise<void> => {
          const { input, known, what } = given;
          const windows = Math.ceil(Math.max(input.count, known.at(-1) as number) / WINDOW);
          const [, [, found] = []] = await run(
            given,
            'segmentGroups',
            [[Uint32Array.from(known), new Uint32Array(8 * windows)]],
            Math.ceil(windows / THREADS),
            false,
          );
          const expected = groups(known, TILE, WINDOW, windows).flat();
          expect([...(found as Uint32Array)], what).toEqual(expected);
        };
        await each(check);
        // One that is a tile, two that are, one that is a key more, and a tile again.
        let end = 3;
        const lengths = [TILE, 300, TILE - 300, TILE + 1, TILE];
        const known = [end, ...lengths.map((length) => (end += length))];
        await check({ ...givenFor(widths), known, what: `segments of ${lengths}` });
      });

      it('indices: the places of all keys in segments', () =>
        each(async (given) => {
          const { input, known, what } = given;
          const [, [, found] = []] = await run(
            given,
            'segmentIndices',
            [[Uint32Array.from(known), new Uint32Array(input.count).fill(7)]],
            undefined,
            false,
          );
          const [first, end] = [known[0] as number, known.at(-1) as number];
          const expected = Array.from({ length: input.count }, (_, i) =>
            i >= first && i < end ? i : 7,
          );
          expect([...(found as Uint32Array)], what).toEqual(expected);
        }));

      it('long keys: the bits that decide, and the segments, of keys of long ones', () =>
        each(async (given) => {
          const { input, known, what } = given;
          const { order, records } = input;
          const tables = [known, longOffsets(known, TILE)].map((list) => Uint32Array.from(list));
          const long = longPlaces(known, TILE);
          const places = long.map(({ place }) => place);
          const size = Math.max(1, places.length);
          const [, , taken = []] = await run(given, 'takeLong', [
            tables,
            [
              placed(records.keys, 0, keyWords),
              new Uint32Array(size * keyWords),
              new Uint32Array(size),
            ],
          ]);
          const [, words, found] = taken as Uint32Array[];
          const numbers = (list: Uint32Array | undefined): bigint[] =>
            numbersFrom(list as Uint32Array, keyWords).slice(0, places.length);
          expect(numbers(words), what).toEqual(takeKeys(records.keys, places, order));
          expect([...(found as Uint32Array)].slice(0, places.length), what).toEqual(places);

          // In any order.
          const shuffled = [...long].sort(() => random.below(3) - 1);
          const [, , numbered = []] = await run(
            given,
            'numberLong',
            [
              tables,
              {
                1: new Uint32Array(size * keyWords),
                2: Uint32Array.from(listOf(shuffled.map(({ place }) => [place]))),
              },
            ],
            undefined,
          );
          expect(numbers(numbered[1]), what).toEqual(
            shuffled.map(({ segment }) => BigInt(segment)),
          );
        }));

      it('long moves: a column to the order of long segments, and back to their places', () =>
        each(async (given) => {
          const { input, known, what } = given;
          const { keys } = input.records;
          const tables = [known, longOffsets(known, TILE)].map((list) => Uint32Array.from(list));
          const places = longPlaces(known, TILE).map(({ place }) => place);
          const from = [...places].sort(() => random.below(3) - 1);
          const column = wordsFrom(keys, keyWords);
          const moved = new Uint32Array(Math.max(1, places.length) * keyWords);
          const [, , gathered = []] = await run(given, 'gatherLong', [
            { 1: tables[1] as Uint32Array },
            [Uint32Array.from(listOf(from.map((place) => [place]))), column, moved],
          ]);
          const order = from.map((place) => keys[place] as bigint);
          const found = gathered[2] as Uint32Array;
          expect(numbersFrom(found, keyWords).slice(0, places.length), what).toEqual(order);
          const [, , put = []] = await run(given, 'putLong', [tables, { 1: column, 2: found }]);
          const expected = [...keys];
          for (const [i, place] of places.entries()) expected[place] = order[i] as bigint;
          expect(numbersFrom(put[1] as Uint32Array, keyWords), what).toEqual(expected);
        }));

      const SHORT = { row: 300, first: 40 };
      const PART = 900;
      const first = { storage: 16_384, isIndexed: false };
      /** Small, so that long rows are cut, and few keys are kept. */
      const small = { MIN_PART: PART, SHORT_ROW: SHORT.row, SHORT_FIRST: SHORT.first };

      it.each([0, 1, 2])('cut rows, first keys: level %i', (level) =>
        each(async (given) => {
          const { input, places, what } = given;
          const { order, count } = input;
          const wanted = 1 + random.below(pick([SHORT.first, 260]));
          const rows = places.slice(1).map((place, i) => ({
            first: places[i] as number,
            count: place - (places[i] as number),
          }));
          const { parts, longs } = cutRows(rows, PART);
          const kernels = ['firstOfShort', 'firstOfRows', 'firstOfLong'] as const;
          const kernel = kernels[level] as (typeof kernels)[number];
          const uniform = orderOf(device(), input);
          const skipped = random.below(64);
          const words = Uint32Array.from([...new Array(skipped).fill(5), ...places, 3]);
          const cuts = new Uint32Array(2 * (parts.length + 512));
          const numbers = [...bytesOf(count), ...bytesOf(wanted, 2)];
          const group = (
            more: Readonly<Record<number, Uint32Array>>,
          ): Record<number, Uint32Array> => ({
            0: words,
            ...Object.fromEntries(numbers.map((number, i) => [3 + i, number])),
            ...more,
          });
          const runFirst = (own: Kernel, groupTwo: Record<number, Uint32Array>) =>
            runStage(
              device(),
              own,
              {
                ...constantsFor({ ...widths, first }, own),
                ...small,
                ...(own !== 'cutRows' && { CAPACITY: 320, MIN_ROOM: 64 }),
              },
              [{ 0: uniform }, commandNumbers(rows.length, skipped), groupTwo],
              1 + random.below(4),
            );
          const [, , cut = []] = await runFirst(
            'cutRows',
            group({ 1: new Uint32Array(2), 2: cuts }),
          );
          const [, counters, lists] = cut as Uint32Array[];
          const rowsIn = (from: number, number: number): number[][] =>
            Array.from({ length: number }, (_, i) => [
              ...(lists as Uint32Array).subarray(2 * (from + i), 2 * (from + i + 1)),
            ]).sort((a, b) => (a[0] as number) - (b[0] as number));
          const listed = (list: readonly { first: number; count: number }[]): number[][] =>
            list.map((row) => [row.first, row.count]);
          expect([...(counters as Uint32Array)], what).toEqual([parts.length, longs.length]);
          expect(rowsIn(0, parts.length), what).toEqual(listed(parts));
          expect(rowsIn(cuts.length / 2 - longs.length, longs.length), what).toEqual(listed(longs));

          const isShort = (length: number): boolean => length <= SHORT.row && wanted <= SHORT.first;
          let expected = input.records;
          const from = (start: number, length: number): number[] =>
            Array.from({ length }, (_, i) => start + i);
          const take = (candidates: readonly number[]): void => {
            expected = firstKeys(expected, candidates, wanted, order);
          };
          for (const row of rows) {
            if (level < 2 && row.count <= PART && (level === 0) === isShort(row.count)) {
              take(from(row.first, row.count));
            }
          }
          if (level === 1) for (const part of parts) take(from(part.first, part.count));
          for (const row of level === 2 ? longs : []) {
            const own = cutRows([row], PART).parts;
            take(own.flatMap((part) => from(part.first, Math.min(part.count, wanted))));
          }
          const records = inPlace(widths, input.records) as Record<number, Uint32Array>;
          const results = await runFirst(
            kernel,
            group({
              1: counters as Uint32Array,
              ...(level > 0 && { 2: lists as Uint32Array }),
              9: records[0] as Uint32Array,
              ...(widths.valueWords > 0 && { 10: records[1] as Uint32Array }),
            }),
          );
          uniform.destroy();
          const found = recordsOf(widths, [results[2]?.[9], results[2]?.[10]], count);
          expect(found, `first ${wanted}, ${what}`).toEqual(withValues(widths, expected));
          if (level === 0) expect([...(results[2]?.[1] ?? [])], what).toEqual([0, 0]);
        }),
      );
    },
  );
}
