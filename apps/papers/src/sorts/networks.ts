/** Networks: which keys are compared does not depend on them. */

import { type Algorithm, LONGEST } from './algorithm.js';
import { KEYS, type Numbers, piecesOf, SHAPE, Table, TILE } from './plan.js';

/** Workgroups for all pairs that are `stride` apart. */
const pairGroups = (count: number, stride: number, { shape }: Table): number =>
  piecesOf(piecesOf(count, 2 * stride) * stride, shape.threads);

/** Which ranges of `keys` a bitonic network sorts, and how long the longest may be. */
export interface Ranges {
  readonly ranges: string;
  readonly number: number;
  readonly longest: number;
}

/** Adds a bitonic sort of `keys`, `count` of them, or of ranges of them. */
export function addBitonic(table: Table, keys: string, count: number, ranges?: Ranges): void {
  const buffers = ranges === undefined ? { keys } : { keys, ranges: ranges.ranges };
  const longest = ranges?.longest ?? count;
  const { tile } = table;
  const tiles = piecesOf(longest, tile);
  const more = { constants: { RANGES: Number(ranges !== undefined) }, depth: ranges?.number ?? 1 };
  const step = (entryPoint: string, params: Numbers, groups: number): void =>
    table.add('bitonic', entryPoint, { count, ...params }, buffers, groups, more);
  step('exchangeTile', { stride: 1, isFlip: 1 }, tiles);
  for (let run = tile; run < longest; run *= 2) {
    for (let stride = run; stride >= tile; stride /= 2) {
      const groups = pairGroups(longest, stride, table);
      step('exchange', { stride, isFlip: Number(stride === run) }, groups);
    }
    step('exchangeTile', { stride: tile / 2, isFlip: 0 }, tiles);
  }
}

/** Merges of runs of more than a tile, and steps of all merges. */
export const mergesOf = (count: number): number => Math.max(0, Math.ceil(Math.log2(count / TILE)));
const stepsOf = (count: number): number => {
  const log = Math.ceil(Math.log2(Math.max(2, count)));
  return (log * (log + 1)) / 2;
};

const bitonic: Algorithm = {
  name: 'bitonic',
  title: 'bitonic network',
  source: 'Batcher; Garland',
  maxLength: LONGEST,
  isStable: false,
  plan(count, _, shape = SHAPE) {
    const table = new Table(count, false, shape);
    addBitonic(table, KEYS, count);
    return table.done();
  },
  cost(count) {
    // A merge of runs of 2^m tiles has m + 1 steps in memory, and one for all that stay in tiles.
    const merges = mergesOf(count);
    const passes = 1 + (merges * (merges + 1)) / 2 + merges;
    return { bytes: 8 * passes, operations: stepsOf(count) / 2 };
  },
};

const oddEvenMerge: Algorithm = {
  name: 'odd-even-merge',
  title: 'odd-even merge network',
  source: 'Batcher; Satish 2009',
  maxLength: LONGEST,
  isStable: false,
  plan(count, _, shape = SHAPE) {
    const table = new Table(count, false, shape);
    const buffers = { keys: KEYS };
    table.add('odd-even-merge', 'sortTile', { count }, buffers, table.tiles);
    for (let run = table.tile; run < count; run *= 2) {
      for (let stride = run; stride >= 1; stride /= 2) {
        const groups = pairGroups(count, stride, table);
        table.add('odd-even-merge', 'exchange', { count, run, stride }, buffers, groups);
      }
    }
    return table.done();
  },
  cost(count) {
    const inTile = stepsOf(TILE);
    return {
      bytes: 8 * (1 + Math.max(0, stepsOf(count) - inTile)),
      operations: stepsOf(count) / 2,
    };
  },
};

export const NETWORKS: readonly Algorithm[] = [bitonic, oddEvenMerge];
