/** Sorts that put tiles in order, and then bring the tiles together. */

import { type Algorithm, LONGEST } from './algorithm.js';
import { addBitonic, mergesOf } from './networks.js';
import { HERE, KEYS, OTHER, SHAPE, Table } from './plan.js';

const mergePath: Algorithm = {
  name: 'merge-path',
  title: 'merge sort by merge paths',
  source: 'Satish 2010; Green',
  maxLength: LONGEST,
  isStable: true,
  plan(count, hasValues, shape = SHAPE) {
    const table = new Table(count, hasValues, shape);
    table.addOther();
    let [from, to] = [HERE, OTHER];
    const pass = (entryPoint: string, params: Record<string, number>): void => {
      table.add('merge-path', entryPoint, params, table.moving(from, to), table.tiles);
      [from, to] = [to, from];
    };
    pass('sortTile', { count });
    for (let run = table.tile; run < count; run *= 2) pass('mergeRuns', { count, run });
    return table.done(from);
  },
  cost: (count) => ({
    bytes: 8 * (1 + mergesOf(count)),
    operations: Math.log2(Math.max(2, count)) * 1.5,
  }),
};

const sampleSort: Algorithm = {
  name: 'sample-sort',
  title: 'deterministic sample sort',
  source: 'Dehne and Zaboli; Garland',
  maxLength: LONGEST,
  isStable: false,
  plan(count, _, shape = SHAPE) {
    const table = new Table(count, false, shape);
    const { tile: size, tiles, scratch } = table;
    const { samples: perTile } = shape;
    const rows = 2 * perTile - 1;
    const tile = { stride: 1, isFlip: 1 };
    const whole = { constants: { RANGES: 0 } };
    table.add('bitonic', 'exchangeTile', { count, ...tile }, { keys: KEYS }, tiles, whole);
    if (tiles === 1) return table.done();
    table.addOther();
    scratch.samples = perTile * tiles;
    scratch.counts = rows * tiles;
    scratch.ranges = 2 * perTile;
    const params = { count, tiles };
    const [samples, counts, ranges] = ['samples', 'counts', 'ranges'];
    const step = (entryPoint: string, buffers: Record<string, string>, groups: number): void =>
      table.add('sample-sort', entryPoint, params, buffers, groups);
    step('takeSamples', { sourceKeys: KEYS, samples }, tiles);
    addBitonic(table, samples, perTile * tiles);
    step('countBuckets', { sourceKeys: KEYS, samples, counts }, tiles);
    table.addScan(counts, rows * tiles);
    const moved = { sourceKeys: KEYS, targetKeys: OTHER.keys };
    step('scatter', { ...moved, samples, counts }, tiles);
    step('findRanges', { counts, ranges }, 1);
    // No bucket is longer: regular sampling takes care of that.
    const longest = ((2 * size) / perTile) * tiles;
    addBitonic(table, OTHER.keys, count, { ranges, number: perTile, longest });
    return table.done(OTHER);
  },
  cost(count) {
    const log = Math.log2(Math.max(2, count));
    const merges = mergesOf(count / 32);
    const passes = 1 + (merges * (merges + 1)) / 2 + merges;
    const steps = (log - 5) * (log - 4) + 55;
    return { bytes: 8 + 12 + 8 * passes, operations: steps / 4 + 7 };
  },
};

export const MERGES: readonly Algorithm[] = [mergePath, sampleSort];
