/**
 * Every GPU stage alone, on random input, against its plain TypeScript twin of the same name in
 * kernels/wgsl/twins: a wrong kernel is found by its stage. Threads have few keys here, for compiling
 * is most of a software GPU's time; a thorough run has as many as sorts have, and all widths.
 */

import './software-gpu.js';
import { isThorough, Random, runSeed, sample } from '@keysweep/conformance/data';
import type { KeyBits, KeyType, Order } from '@keysweep/core';
import {
  CONSTANTS,
  type Constants,
  constantsFor,
  type Kernel,
  LAYOUTS,
  maxPassesOf,
  type Specialization,
  THREADS,
  type Widths,
} from '@keysweep/kernels/wgsl';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { digitStarts } from '../../../kernels/wgsl/twins/chained-scan/digit-starts.js';
import { histogram } from '../../../kernels/wgsl/twins/chained-scan/histogram.js';
import { sweep } from '../../../kernels/wgsl/twins/chained-scan/sweep.js';
import { copyBack } from '../../../kernels/wgsl/twins/copy-back.js';
import { gather } from '../../../kernels/wgsl/twins/gather.js';
import { identity } from '../../../kernels/wgsl/twins/identity.js';
import {
  bitsOf,
  type KeyOrder,
  keyOrder,
  type Plan,
  type Records,
  wordOf,
} from '../../../kernels/wgsl/twins/order.js';
import { downsweep } from '../../../kernels/wgsl/twins/reduce-then-scan/downsweep.js';
import { plan } from '../../../kernels/wgsl/twins/reduce-then-scan/plan.js';
import { spine } from '../../../kernels/wgsl/twins/reduce-then-scan/spine.js';
import { survey } from '../../../kernels/wgsl/twins/reduce-then-scan/survey.js';
import { upsweep } from '../../../kernels/wgsl/twins/reduce-then-scan/upsweep.js';
import { workgroupSort } from '../../../kernels/wgsl/twins/workgroup-sort.js';
import { orderBuffer } from '../src/sorter/uniforms.js';
import { groupCountOf, groupSegments } from '../src/sorter/workgroup-sort.js';
import { chain, chained } from './chained-devices.js';
import { commandNumbers, numbersFrom, planWords, runStage, wordsFrom } from './gpu-stage.js';
import type { WatchedDevice } from './watched-device.js';

const { RADIX, SURVEY_KEYS, DISPATCH_WORDS, TILE_COUNTERS } = CONSTANTS;

const seed = runSeed();
// A thorough run compiles kernels of many keys a thread.
if (isThorough) vi.setConfig({ testTimeout: 600_000 });

console.log(`seed ${seed} (KEYSWEEP_SEED repeats it)`);
const random = new Random(seed);

/** Inputs of each stage and width. */
const ROUNDS = isThorough ? 12 : 6;

/** Keys a thread, of kernels that are not those of a chained scan; undefined: as many as sorts have. */
const KEYS = isThorough ? undefined : 3;

const WIDTHS: readonly Widths[] = ([1, 2] as const).flatMap((keyWords) =>
  ([0, 1, 2] as const).map((valueWords) => ({ keyWords, valueWords, approximate: false })),
);
const APPROXIMATE: Widths = { keyWords: 1, valueWords: 0, approximate: true };

let watched: WatchedDevice;
let device: GPUDevice;

beforeAll(async () => {
  watched = await chained();
  device = watched.device;
});

afterAll(async () => {
  await watched.assertClean();
  device.destroy();
});

/** What is sorted in one round. */
interface Input {
  readonly what: string;
  readonly keyType: KeyType;
  readonly direction: Order;
  readonly keyBits: KeyBits | undefined;
  readonly order: KeyOrder;
  readonly records: Records;
  readonly count: number;
  readonly offset: number;
}

const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;

const randomBits = (bits: number): bigint =>
  BigInt.asUintN(bits, (BigInt(random.bits()) << 32n) | BigInt(random.bits()));

/** Keys of one of several distributions. */
function randomKeys(count: number, keyType: KeyType, order: KeyOrder): bigint[] {
  const { bits } = order;
  const any = (): bigint => randomBits(bits);
  const base = any();
  const few = Array.from({ length: 5 }, any);
  const exponents = keyType === 'f64' ? 0x7ffn << 52n : 0xffn << 23n;
  const makers: (() => bigint)[] = [
    any,
    () => pick(few),
    // A narrow range, and bits with gaps between them.
    () => BigInt.asUintN(bits, base + BigInt(random.below(3000))),
    () => base ^ (any() & 0x0000_0f00_0070_1003n & ((1n << BigInt(bits)) - 1n)),
  ];
  // NaNs of both signs and infinities, among others.
  if (keyType.startsWith('f')) makers.push(() => (random.below(3) > 0 ? any() : any() | exponents));
  const make = pick(makers);
  return Array.from({ length: count }, make);
}

function randomInput({ keyWords, valueWords, approximate }: Widths, maxCount: number): Input {
  const types: readonly KeyType[] = keyWords === 1 ? ['u32', 'i32', 'f32'] : ['u64', 'i64', 'f64'];
  const keyType = approximate ? 'f32' : pick(types);
  const direction = pick(['ascending', 'descending'] as const);
  const begin = random.below(16 * keyWords);
  const keyBits =
    keyType.startsWith('u') && random.below(3) === 0
      ? { begin, end: begin + 1 + random.below(16 * keyWords) }
      : undefined;
  const order = keyOrder(keyType, direction, keyBits);
  const count = random.below(8) === 0 ? random.below(3) : 1 + random.below(maxCount);
  const records = {
    keys: randomKeys(count, keyType, order),
    values: Array.from({ length: count }, () => randomBits(32 * Math.max(1, valueWords))),
  };
  const offset = random.below(64);
  const bits = keyBits ? `, bits ${keyBits.begin} to ${keyBits.end}` : '';
  const what = `${count} ${keyType} keys, ${direction}${bits}, from ${offset}, seed ${seed}`;
  return { what, keyType, direction, keyBits, order, records, count, offset };
}

/** The constants of `kernel`, with few keys a thread. */
function constantsOf(specialization: Specialization, kernel: Kernel): Constants {
  const constants = constantsFor(specialization, kernel);
  if (KEYS === undefined || specialization.chained !== undefined) return constants;
  return { ...constants, KEYS, TILE: THREADS * KEYS };
}

function orderOf(input: Input, limits = { maxBlocks: 1, minTiles: 1, surveyGroups: 1 }): GPUBuffer {
  const { keyType, direction, keyBits, count } = input;
  const options = { keyType, order: direction, keyBits, maxCount: Math.max(1, count) };
  return orderBuffer(device, options, limits);
}

/** Numbers behind `offset` others, as words; at least one, for no binding is empty. */
function placed(numbers: readonly bigint[], offset: number, wordsPer: number): Uint32Array {
  const padding = new Array<bigint>(offset).fill(7n);
  return wordsFrom([...padding, ...numbers, ...(numbers.length === 0 ? [9n] : [])], wordsPer);
}

/** The group of a pass: keys from and to, values from and to. */
function pingPong(
  { keyWords, valueWords }: Widths,
  source: Records,
  sourceOffset: number,
  targetOffset: number,
): Record<number, Uint32Array> {
  const empty = source.keys.map(() => 0n);
  const keys = {
    0: placed(source.keys, sourceOffset, keyWords),
    1: placed(empty, targetOffset, keyWords),
  };
  if (valueWords === 0) return keys;
  return {
    ...keys,
    2: placed(source.values, sourceOffset, valueWords),
    3: placed(empty, targetOffset, valueWords),
  };
}

/** The records that a pass has written. */
function movedBy(
  { keyWords, valueWords }: Widths,
  group: readonly Uint32Array[] | undefined,
  targetOffset: number,
  count: number,
): Records {
  const from = (words: Uint32Array | undefined, wordsPer: number): bigint[] =>
    numbersFrom(words ?? new Uint32Array(), wordsPer).slice(targetOffset, targetOffset + count);
  return {
    keys: from(group?.[1], keyWords),
    values: valueWords === 0 ? [] : from(group?.[3], valueWords),
  };
}

const withValues = ({ valueWords }: Widths, { keys, values }: Records): Records => ({
  keys,
  values: valueWords === 0 ? [] : values,
});

describe.each(sample([...WIDTHS, APPROXIMATE], 1, seed))(
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
      const { plan: known, indirect } = plan(ranges, order, division);
      const uniform = orderOf(input, { ...limits, surveyGroups: groups });
      return { input, groups, ranges, ...limits, known, indirect, uniform };
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
          device,
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

    it('plan: the passes, and the workgroups of each dispatch', async () => {
      for (let round = 0; round < 2 * ROUNDS; round++) {
        const { input, ranges, known, indirect, uniform } = planned();
        const { count, offset, what } = input;
        const expected = planWords(known, maxPasses, isApproximate);
        const [[, , planned_, dispatches] = []] = await runStage(
          device,
          'plan',
          constantsOf(widths, 'plan'),
          [
            {
              0: uniform,
              1: wordsFrom(rangeNumbers(ranges), widths.keyWords),
              2: new Uint32Array(expected.length),
              3: new Uint32Array(DISPATCH_WORDS * (2 * maxPasses + 1)),
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
        expect([...(dispatches as Uint32Array)], what).toEqual(
          indirect.flatMap((groups) => [groups, 1, 1]),
        );
        uniform.destroy();
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
          device,
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
          known.blocks,
        );
        const rows = upsweep(keys, order, known, pass, known.tilesPerBlock * tile);
        expect(rowsOf(counts as Uint32Array, maxBlocks, known.blocks), what).toEqual(rows);
        uniform.destroy();
      }
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
          device,
          'downsweep',
          constantsOf(widths, 'downsweep'),
          [
            { 0: uniform, 1: planWords(known, maxPasses, isApproximate), 2: spineWords },
            { 0: Uint32Array.of(slot) },
            pingPong(widths, records, pass.sourceOffset, pass.targetOffset),
          ],
          known.blocks,
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

/** The first `blocks` counts of each row of a spine. */
const rowsOf = (words: Uint32Array, maxBlocks: number, blocks: number): number[][] =>
  Array.from({ length: RADIX }, (_, digit) => [
    ...words.subarray(digit * maxBlocks, digit * maxBlocks + blocks),
  ]);

describe('stages that do not depend on the keys', () => {
  const widths: Widths = { keyWords: 1, valueWords: 1, approximate: false };

  it('spine: prefix sums of each row, and its sum', async () => {
    const input = randomInput(widths, 9);
    for (const [blocks, spineLanes] of [
      [1, 1],
      [16, 1],
      [17 + random.below(100), 8],
      [129 + random.below(900), 64],
    ] as const) {
      const maxBlocks = blocks + random.below(4);
      const rows = Array.from({ length: RADIX }, () =>
        Array.from({ length: blocks }, () => random.below(9999)),
      );
      const words = new Uint32Array(RADIX * (maxBlocks + 1));
      for (const [digit, row] of rows.entries()) words.set(row, digit * maxBlocks);
      const { count, offset } = input;
      const known = { count, offset, tilesPerBlock: 1, blocks, spineLanes, passesSkipped: 0 };
      const [[, , found] = []] = await runStage(
        device,
        'spine',
        constantsOf(widths, 'spine'),
        [
          {
            0: orderOf(input, { maxBlocks, minTiles: 1, surveyGroups: 1 }),
            1: planWords({ ...known, passes: [] }, 4, false),
            2: words,
          },
        ],
        (RADIX * spineLanes) / THREADS,
      );
      const expected = spine(rows);
      const what = `${blocks} blocks, seed ${seed}`;
      expect(rowsOf(found as Uint32Array, maxBlocks, blocks), what).toEqual(expected.rows);
      expect([...(found as Uint32Array).subarray(RADIX * maxBlocks)], what).toEqual(
        expected.totals,
      );
    }
  });

  it('identity: the rows in their order', async () => {
    const rows = new Uint32Array(1 + random.below(5000));
    const [[found] = []] = await runStage(
      device,
      'identity',
      constantsOf(widths, 'identity'),
      [{ 0: rows }],
      3,
    );
    expect([...(found as Uint32Array)], `seed ${seed}`).toEqual(identity(rows.length));
  });

  it.each([1, 2] as const)('gather: keys of %i words by a permutation', async (keyWords) => {
    const { records, count } = randomInput({ ...widths, keyWords }, 5000);
    const rows = Array.from({ length: count + 1 }, () => random.below(count));
    if (count === 0) return;
    const [[, , found] = []] = await runStage(
      device,
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

  it.each([0, 1, 2, 3])('copy back: after %i passes', async (passesRun) => {
    const input = randomInput(widths, 4000);
    const { records, count, offset, order } = input;
    const passes = Array.from({ length: passesRun }, () => ({
      ...{ bias: 0n, shift: 0, width: 8, isFirst: false, isLast: false },
      ...{ sourceOffset: 0, targetOffset: 0 },
    }));
    const known = { count, offset, tilesPerBlock: 1, blocks: 1, spineLanes: 1, passesSkipped: 0 };
    const results = await runStage(
      device,
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

describe.each(sample(WIDTHS, 1, seed + 1))(
  'a chained scan, $keyWords words a key, $valueWords a value',
  (widths) => {
    const maxPasses = maxPassesOf(widths.keyWords);

    /** A random input, and what the twins of histogram and digit starts say of it. */
    function planned() {
      const tuning = chain(device);
      const shape = tuning.chained![widths.keyWords].few;
      const tile = shape.threads * shape.keys;
      const input = randomInput(widths, 6 * tile);
      const { order, records, count, offset } = input;
      const hasNanTies = widths.valueWords > 0 && input.keyType.startsWith('f');
      const { lookLimit, stalledTile } = tuning;
      const chained = { ...shape, lookLimit, stalledTile, hasNanTies };
      const counts = histogram(records.keys, order, hasNanTies);
      const known = digitStarts(counts, count, offset);
      const tiles = Math.ceil(count / tile);
      const scanState = new Uint32Array(TILE_COUNTERS + RADIX * (2 * maxPasses + tiles));
      const specialization = { ...widths, chained };
      return { input, specialization, counts, known, tiles, scanState, hasNanTies };
    }

    const startsAt = TILE_COUNTERS + RADIX * maxPasses;
    const words = (
      known: ReturnType<typeof digitStarts>,
      { count, offset }: Input,
    ): Uint32Array => {
      const { passes, passesSkipped } = known;
      const none = { tilesPerBlock: 0, blocks: 0, spineLanes: 0 };
      return planWords({ count, offset, ...none, passesSkipped, passes }, maxPasses, false);
    };

    it('histogram: the counts of all digits, and clear statuses', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { input, specialization, counts, scanState } = planned();
        const { count, offset, records, what } = input;
        scanState.fill(5, startsAt + RADIX * maxPasses);
        const uniform = orderOf(input);
        const [[, , state] = []] = await runStage(
          device,
          'histogram',
          constantsOf(specialization, 'histogram'),
          [
            { 0: uniform, 2: scanState },
            commandNumbers(count, offset),
            { 0: placed(records.keys, offset, widths.keyWords) },
          ],
          1 + random.below(3),
        );
        const expected = new Uint32Array(scanState.length);
        expected.set(counts.flat(), TILE_COUNTERS);
        expect([...(state as Uint32Array)], what).toEqual([...expected]);
        uniform.destroy();
      }
    });

    it('digit starts: where digits begin in each pass that is run', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { input, specialization, counts, known, scanState } = planned();
        const { count, offset, what } = input;
        scanState.fill(3, 0, maxPasses);
        scanState.set(counts.flat(), TILE_COUNTERS);
        const expected = words(known, input);
        const uniform = orderOf(input);
        const [[, planned_, state] = []] = await runStage(
          device,
          'digitStarts',
          constantsOf(specialization, 'digitStarts'),
          [
            { 0: uniform, 1: new Uint32Array(expected.length), 2: scanState },
            commandNumbers(count, offset),
          ],
          1,
        );
        expect([...(planned_ as Uint32Array)], what).toEqual([...expected]);
        // Tile counters and digit counts are zero for the next sort.
        const after = new Uint32Array(scanState.length);
        after.set(known.starts.flat(), startsAt);
        expect([...(state as Uint32Array)], what).toEqual([...after]);
        uniform.destroy();
      }
    });

    const kernels =
      widths.valueWords === 0 ? (['sweep', 'firstSweep'] as const) : (['sweep'] as const);

    it.each(kernels)('%s: the records by the digit of a pass', async (kernel) => {
      for (let round = 0; round < ROUNDS; round++) {
        const { input, specialization, known, tiles, scanState, hasNanTies } = planned();
        const { order, count, what } = input;
        if (known.passes.length === 0) continue;
        const slot = kernel === 'firstSweep' ? 0 : random.below(known.passes.length);
        let { records } = input;
        for (const [i, pass] of known.passes.slice(0, slot).entries()) {
          records = sweep(records, order, pass, known.starts[i]!, hasNanTies);
        }
        const pass = known.passes[slot]!;
        scanState.set(known.starts.flat(), startsAt);
        const uniform = orderOf(input);
        const results = await runStage(
          device,
          kernel,
          constantsOf(specialization, kernel),
          [
            { 0: uniform, 1: words(known, input), 2: scanState },
            { 0: Uint32Array.of(slot) },
            pingPong(widths, records, pass.sourceOffset, pass.targetOffset),
          ],
          1 + random.below(tiles),
        );
        const found = movedBy(widths, results[2], pass.targetOffset, count);
        const expected = withValues(
          widths,
          sweep(records, order, pass, known.starts[slot]!, hasNanTies),
        );
        if (kernel === 'sweep') expect(found, `pass ${slot}, ${what}`).toEqual(expected);
        else {
          // Equal digits come in any order.
          const digits = ({ keys }: Records): bigint[] =>
            keys.map((key) => {
              const word = (pass.isLast ? wordOf(key, order) : key) & order.mask;
              return BigInt.asUintN(8, word >> BigInt(pass.shift));
            });
          expect(digits(found), what).toEqual(digits(expected));
          const inOrder = (keys: bigint[]): bigint[] => keys.sort((a, b) => (a < b ? -1 : 1));
          expect(inOrder(found.keys), what).toEqual(inOrder(expected.keys));
        }
        uniform.destroy();
      }
    });
  },
);

describe.each(sample(WIDTHS, 2, seed + 2))(
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

    it('sorts what it holds', async () => {
      const constants = constantsOf(widths, 'workgroupSort');
      for (let round = 0; round < ROUNDS; round++) {
        const input = randomInput(widths, constants.TILE as number);
        const { order, records, count, offset, what } = input;
        const uniform = orderOf(input);
        const results = await runStage(
          device,
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

    it('sorts each of the segments that it holds', async () => {
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
        const uniform = orderOf(input);
        const results = await runStage(
          device,
          'segmentSort',
          constants,
          [{ 0: uniform }, { 0: groups, 1: Uint32Array.from(starts) }, inPlace(records, 0)],
          groupCountOf(groups),
        );
        expect(sortedBy(results[2], 0, count), `${starts.length} segments of ${what}`).toEqual(
          withValues(widths, workgroupSort(records, order, starts)),
        );
        uniform.destroy();
      }
    });
  },
);

it('the twins turn words into the keys they come from', () => {
  for (const widths of WIDTHS) {
    const { order, records, what } = randomInput(widths, 999);
    expect(
      records.keys.map((key) => bitsOf(wordOf(key, order), order)),
      what,
    ).toEqual(records.keys);
  }
});
