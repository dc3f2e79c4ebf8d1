/** The kernels of one dispatch, each alone, against their twins. */

import { sample } from '@keysweep/conformance/data';
import { maxPassesOf, type Widths } from '@keysweep/kernels/wgsl';
import { describe, expect, it } from 'vitest';
import { groupCountOf, groupSegments } from '../../src/sorter/sorts/workgroup-sort.js';
import { chain } from '../chained-devices.js';
import { chunkCounts } from '../twins/chunks/chunk-counts.js';
import { mergeChunks } from '../twins/chunks/merge-chunks.js';
import { copyBack } from '../twins/copy-back.js';
import { gather } from '../twins/gather.js';
import { identity } from '../twins/identity.js';
import { bitsOf, type Records, wordOf } from '../twins/order.js';
import { workgroupSort } from '../twins/workgroup-sort.js';
import { commandNumbers, numbersFrom, planWords, runStage, wordsFrom } from './gpu-stage.js';
import {
  constantsOf,
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

/** So many workgroups in rows, as a dispatch takes them: the last row may have too many. */
const rowsOfGroups = (count: number, rows: number): [number, number] => [
  Math.ceil(count / rows),
  rows,
];

/** Declares the checks of the workgroup sort, copy back, gather and identity. */
export function describeSmallKernels(device: () => GPUDevice): void {
  describe('kernels of one dispatch', () => {
    const widths: Widths = { keyWords: 1, valueWords: 1, approximate: false };

    it('identity: the indices of the records, and no others', async () => {
      const input = randomInput(widths, 5000);
      const { count, offset, what } = input;
      const values = Array.from({ length: offset + count + 1 + random.below(9) }, () => 7);
      const first = pick([0, 64, 2 ** 31 + 64 * random.below(2 ** 24)]);
      const bytes = [0, 8, 16, 24].map((shift) => Uint32Array.of((first >>> shift) & 255));
      const uniform = orderOf(device(), input);
      const results = await runStage(
        device(),
        'identity',
        constantsOf(widths, 'identity'),
        [{ 0: uniform }, commandNumbers(count, offset), [Uint32Array.from(values), ...bytes]],
        3,
      );
      const found = results[2]?.[0] as Uint32Array;
      expect([...found], `${what}, record ${first}`).toEqual(
        identity(values, first, offset, count),
      );
      uniform.destroy();
    });

    it.each([1, 2] as const)('gather: keys of %i words by a permutation', async (keyWords) => {
      const { records, count } = randomInput({ ...widths, keyWords }, 5000);
      const rows = Array.from({ length: count + 1 }, () => random.below(count));
      if (count === 0) return;
      const [[, , found] = []] = await runStage(
        device(),
        'gather',
        constantsOf({ ...widths, keyWords }, 'gather'),
        [
          {
            0: Uint32Array.from(rows),
            1: wordsFrom(records.keys, keyWords),
            2: new Uint32Array(rows.length * keyWords),
          },
        ],
        3,
      );
      expect(numbersFrom(found as Uint32Array, keyWords), `seed ${seed}`).toEqual(
        gather(rows, records.keys),
      );
    });

    it('chunk counts: the keys of each chunk, those in front left out', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const input = randomInput(widths, 5000);
        const { count, offset, what } = input;
        const length = 64 * (2 + random.below(20));
        const bytes = [0, 8, 16, 24].map((shift) => Uint32Array.of((length >>> shift) & 255));
        const uniform = orderOf(device(), input);
        const results = await runStage(
          device(),
          'chunkCounts',
          constantsOf(widths, 'chunkCounts'),
          [
            { 0: uniform },
            // Counts in buffers have a test of their own: the binding is not used here.
            commandNumbers(count, offset),
            [new Uint32Array(64).fill(7), ...bytes],
          ],
          1,
        );
        const found = results[2]?.[0];
        const expected = Uint32Array.from(chunkCounts(count, offset, length, 64));
        expect(found, `${what}, chunks of ${length}`).toEqual(expected);
        uniform.destroy();
      }
    });

    it.each([0, 1, 2, 3])('copy back: after %i passes', async (passesRun) => {
      const input = randomInput(widths, 4000);
      const { records, count, offset, order } = input;
      const passes = Array.from({ length: passesRun }, () => ({
        ...{ bias: 0n, shift: 0, width: 8, isFirst: false, isLast: false },
        ...{ sourceOffset: 0, targetOffset: 0 },
      }));
      const known = { count, offset, tilesPerBlock: 1, blocks: 1, spineLanes: 1, passesSkipped: 0 };
      const results = await runStage(
        device(),
        'copyBack',
        constantsOf(widths, 'copyBack'),
        [
          { 1: planWords({ ...known, passes }, maxPassesOf(1), false) },
          {},
          pingPong(widths, records, 0, offset),
        ],
        2,
      );
      expect(order.bits).toBe(32);
      for (const [binding, source] of [
        [1, records.keys],
        [3, records.values],
      ] as const) {
        const before = numbersFrom(pingPong(widths, records, 0, offset)[binding]!, 1);
        expect(numbersFrom(results[2]?.[binding] as Uint32Array, 1), `seed ${seed}`).toEqual(
          copyBack(source, before, offset, passesRun),
        );
      }
    });
  });

  // Of either width of keys: what NaNs tie by is written twice.
  it.each(
    [1, 2].flatMap((words) =>
      sample(
        WIDTHS.filter(({ keyWords }) => keyWords === words),
        1,
        seed + 3,
      ),
    ),
  )(
    'merge chunks: $keyWords words a key, $valueWords a value, the lower half here',
    async (own) => {
      const { keyWords, valueWords } = own;
      const constants = constantsOf(own, 'mergeChunks');
      for (let round = 0; round < ROUNDS; round++) {
        const hasNaNs = round % 2 === 0;
        const input = randomInput(own, 5 * (constants.TILE as number), hasNaNs);
        const { order, records, count, what } = input;
        const middle = count >> 1;
        const cut = hasNaNs ? middle : pick([0, 1, middle, count, random.below(count + 1)]);
        const [low, high] = [
          [0, cut],
          [cut, count],
        ].map(([begin, end]) => {
          const some = {
            keys: records.keys.slice(begin, end),
            values: records.values.slice(begin, end),
          };
          return workgroupSort(some, order);
        }) as [Records, Records];
        // Chunk 0 has keys in front that are not sorted.
        const numbers = pick([
          [0, 1],
          [2, 3],
        ]) as [number, number];
        const offset = numbers[0] === 0 ? input.offset : 0;
        const counts = new Uint32Array(64);
        counts[numbers[0]] = low.keys.length;
        counts[numbers[1]] = high.keys.length;
        const expected = mergeChunks(low, high, order);
        for (const part of [0, 1] as const) {
          const target = expected[part];
          const from = part === 0 ? offset : 0;
          const empty = target.keys.map(() => 0n);
          const columns = [
            [placed(low.keys, offset, keyWords), placed(high.keys, 0, keyWords)],
            [placed(low.values, offset, valueWords), placed(high.values, 0, valueWords)],
          ].slice(0, valueWords === 0 ? 1 : 2);
          const words = [keyWords, valueWords];
          const uniform = orderOf(device(), input);
          const results = await runStage(
            device(),
            'mergeChunks',
            constants,
            [
              { 0: uniform },
              [...[...numbers, part, input.offset].map((n) => Uint32Array.of(n)), counts],
              columns.flatMap((pair, i) => [...pair, placed(empty, from, words[i] as number)]),
            ],
            1 + random.below(4),
          );
          uniform.destroy();
          const found = [2, 5].slice(0, columns.length).map((binding, i) => {
            const bound = results[2]?.[binding] as Uint32Array;
            return numbersFrom(bound, words[i] as number).slice(from, from + empty.length);
          });
          const { keys, values } = withValues(own, target);
          expect(found, `part ${part}, cut at ${cut}, ${what}`).toEqual(
            valueWords === 0 ? [keys] : [keys, values],
          );
        }
      }
    },
  );

  describe.each(sample(WIDTHS, 1, seed + 2))(
    'a workgroup sort, $keyWords words a key, $valueWords a value',
    (widths) => {
      const { keyWords, valueWords } = widths;

      /** The group of records in place. */
      const inPlace = ({ keys, values }: Records, offset: number): Record<number, Uint32Array> => {
        const bound = { 0: placed(keys, offset, keyWords) };
        return valueWords === 0 ? bound : { ...bound, 1: placed(values, offset, valueWords) };
      };

      const sortedBy = (
        group: readonly Uint32Array[] | undefined,
        offset: number,
        count: number,
      ): Records => {
        const from = (words: Uint32Array | undefined, wordsPer: number): bigint[] =>
          numbersFrom(words as Uint32Array, wordsPer).slice(offset, offset + count);
        return {
          keys: from(group?.[0], keyWords),
          values: valueWords === 0 ? [] : from(group?.[1], valueWords),
        };
      };

      it('workgroup sort: the records that it holds, in order', async () => {
        const constants = constantsOf(widths, 'workgroupSort');
        for (let round = 0; round < ROUNDS; round++) {
          const input = randomInput(widths, constants.TILE as number);
          const { order, records, count, offset, what } = input;
          const uniform = orderOf(device(), input);
          const results = await runStage(
            device(),
            'workgroupSort',
            constants,
            [{ 0: uniform }, commandNumbers(count, offset), inPlace(records, offset)],
            1,
          );
          expect(sortedBy(results[2], offset, count), what).toEqual(
            withValues(widths, workgroupSort(records, order)),
          );
          uniform.destroy();
        }
      });

      it('tile sort: the records that it holds, in order', async () => {
        const shape = chain(device()).chained![keyWords].one;
        for (let round = 0; round < ROUNDS; round++) {
          const input = randomInput(widths, shape.threads * shape.keys);
          const { order, keyType, keyBits, records, count, offset, what } = input;
          const mayTie = valueWords > 0 || keyBits !== undefined;
          const hasNanTies = mayTie && keyType.startsWith('f');
          const chained = { ...shape, lookLimit: 0, stalledTile: undefined, hasNanTies };
          const uniform = orderOf(device(), input);
          const results = await runStage(
            device(),
            'tileSort',
            constantsOf({ ...widths, chained }, 'tileSort'),
            [{ 0: uniform }, commandNumbers(count, offset), inPlace(records, offset)],
            1,
          );
          uniform.destroy();
          const expected = withValues(widths, workgroupSort(records, order));
          if (!mayTie) {
            // NaNs are in the order of their words, too.
            const words = records.keys.map((key) => wordOf(key, order));
            words.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
            expected.keys.splice(0, count, ...words.map((word) => bitsOf(word, order)));
          }
          expect(sortedBy(results[2], offset, count), what).toEqual(expected);
        }
      });

      it('segment sort: the records of each segment, in order', async () => {
        const constants = constantsOf(widths, 'segmentSort');
        for (let round = 0; round < ROUNDS; round++) {
          const input = randomInput(widths, 3 * (constants.TILE as number));
          const { order, records, count, what } = input;
          const longest = pick([3, 60, 700]);
          const starts = [0];
          for (let start = 0; ; starts.push(start)) {
            start += random.below(longest + 1);
            if (start >= count) break;
          }
          const groups = groupSegments(Uint32Array.from(starts), count, constants.TILE as number)!;
          if (groups.length === 0) continue;
          const uniform = orderOf(device(), input);
          const results = await runStage(
            device(),
            'segmentSort',
            constants,
            [{ 0: uniform }, { 0: groups, 1: Uint32Array.from(starts) }, inPlace(records, 0)],
            rowsOfGroups(groupCountOf(groups), 1 + random.below(3)),
          );
          expect(sortedBy(results[2], 0, count), `${starts.length} segments of ${what}`).toEqual(
            withValues(widths, workgroupSort(records, order, starts)),
          );
          uniform.destroy();
        }
      });
    },
  );
}
