/**
 * The stages of a hybrid sort by a map that split the keys: their inputs, how each runs alone, and
 * what a split has to give.
 */

import { expect } from 'vitest';
import { split } from '../twins/hybrid/split.js';
import { bitsOf, type Records } from '../twins/order.js';
import { commandNumbers, runStage } from './gpu-stage.js';
import {
  type HybridWidths,
  MAP_KINDS,
  mapFor,
  planned,
  planOf,
  someOf,
  splitPasses,
  withKeys,
} from './hybrid-inputs.js';
import { anyMapped, binCounts, inOrder, type Mapped, mapped } from './hybrid-records.js';
import { constantsOf, movedBy, orderOf, pick, pingPong, placed, random } from './inputs.js';

/** Where two states differ first, if at all: to compare them word by word takes `expect` long. */
export function differenceOf(
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
): string | undefined {
  const length = Math.max(found.length, expected.length);
  for (let at = 0; at < length; at++) {
    if (found[at] !== expected[at]) return `${found[at]} at ${at}, and not ${expected[at]}`;
  }
  return undefined;
}

/** Where each bin of `any` begins. */
export const binStarts = (any: Mapped): number[] => {
  let sum = 0;
  return binCounts(any).map((own) => {
    sum += own;
    return sum - own;
  });
};

/** How the stages run on \`device\`, for records of \`widths\`. */
export function splitRuns(device: () => GPUDevice, widths: HybridWidths) {
  const { keyWords, valueWords } = widths;

  /** Lengths around a tile, and any. */
  const lengthsOf = (tile: number): number[] => [
    2,
    tile - 1,
    tile,
    tile + 1,
    2 * tile,
    3 * tile + 1 + random.below(tile),
  ];

  /** Of 64-bit words, some whose bits in front of the lead differ from the map's. */
  function beyond(): Mapped {
    const any = planned(device(), widths, 900);
    const base = 0x2345_6780_0000_0000n;
    const inner = Array.from(
      { length: 300 },
      () => base + BigInt(random.bits()) * 16n + BigInt(random.below(16)),
    );
    const step = 1n << 37n;
    const outer = [base - step, base - 1n, base + step, 2n * base, 3n * base, base / 2n];
    const words = [...inner, ...outer].sort(() => random.below(3) - 1);
    const own = withKeys(
      any,
      words.map((word) => bitsOf(word, any.input.order)),
    );
    return mapped(own, widths, mapFor(inner, any.input.order, pick(['any', 'linear'] as const)));
  }

  /** Inputs with maps of every kind, and of lengths at which tiles change. */
  function* inputs(): Generator<Mapped> {
    for (const kind of MAP_KINDS) yield anyMapped(device(), widths, 2000, kind);
    if (keyWords === 2) yield beyond();
    const any = planned(device(), widths, 2000);
    for (const length of lengthsOf(any.tile)) {
      const { keys } = any.input.records;
      const longer = Array.from({ length }, (_, i) => keys[i] ?? pick(keys));
      const own = withKeys(any, longer);
      // In one bucket, a tile is full or has one key.
      const kind = pick(['any', 'one bucket'] as const);
      yield mapped(own, widths, mapFor(someOf(own.words), own.input.order, kind));
    }
  }

  /** Runs a stage on the state; resolves to its buffers. */
  async function run(
    kernel: 'countBuckets' | 'histogram' | 'countBins' | 'cutBatches',
    { input, specialization }: Mapped,
    plan: Uint32Array,
    state: Uint32Array,
    workgroups: number,
    words: readonly bigint[] = [],
  ): Promise<[plan: Uint32Array, state: Uint32Array]> {
    const { count, offset } = input;
    const uniform = orderOf(device(), input);
    const isOfRaw = kernel === 'countBuckets' || kernel === 'histogram';
    const groups = {
      countBuckets: [
        commandNumbers(count, offset),
        { 0: placed(input.records.keys, offset, keyWords) },
      ],
      countBins: [{}, { 0: placed(words, 0, keyWords) }],
      cutBatches: [],
    };
    const [[, found, after] = []] = await runStage(
      device(),
      kernel,
      constantsOf(specialization, kernel),
      [
        // Batches are cut whatever the order.
        { ...(kernel !== 'cutBatches' && { 0: uniform }), 1: plan, 2: state },
        ...groups[isOfRaw ? 'countBuckets' : kernel],
      ],
      workgroups,
    );
    uniform.destroy();
    return [found as Uint32Array, after as Uint32Array];
  }

  /** Runs a split of the records of `any`; resolves to those that it has moved. */
  async function runSplit(
    kernel: 'sweep' | 'splitBuckets' | 'splitBins',
    { input, specialization, map, state, tile }: Mapped,
    numbers: { readonly mode?: number } = {},
    stalledTile?: number,
  ): Promise<{ readonly records: Records; readonly state: Uint32Array }> {
    const { records, offset, count } = input;
    const slot = kernel === 'splitBins' ? 1 : 0;
    const passes = splitPasses(offset);
    const { sourceOffset, targetOffset } = passes[slot]!;
    const chained = { ...specialization.chained!, stalledTile };
    const uniform = orderOf(device(), input);
    const results = await runStage(
      device(),
      kernel,
      constantsOf({ ...specialization, chained }, kernel),
      [
        { 0: uniform, 1: planOf(widths, input, { map, passes, ...numbers }), 2: state },
        { 0: Uint32Array.of(slot) },
        pingPong(widths, records, sourceOffset, targetOffset),
      ],
      1 + random.below(Math.ceil(count / tile) + 2),
    );
    uniform.destroy();
    return {
      records: movedBy(widths, results[2], targetOffset, count),
      state: results[0]?.[2] as Uint32Array,
    };
  }

  /** With values stably; without them, equal digits come in any order. */
  function expectSplit(
    found: Records,
    records: Records,
    digits: readonly number[],
    what: string,
  ): void {
    const expected = split(records, digits);
    if (valueWords > 0) {
      expect(found, what).toEqual(expected);
      return;
    }
    const ranks = new Map<bigint, number>();
    for (const [i, word] of records.keys.entries()) ranks.set(word, digits[i] as number);
    const digitsOf = (words: readonly bigint[]): (number | undefined)[] =>
      words.map((word) => ranks.get(word));
    expect(digitsOf(found.keys), what).toEqual(digitsOf(expected.keys));
    expect(inOrder(found.keys), what).toEqual(inOrder(records.keys));
  }

  return { inputs, run, runSplit, expectSplit };
}
