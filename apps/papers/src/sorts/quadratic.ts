/** Sorts whose work is the square of the number of keys, and those within a tile. */

import type { Algorithm } from './algorithm.js';
import { HERE, OTHER, piecesOf, SHAPE, Table, THREADS, TILE } from './plan.js';

const comparisonCounts: Algorithm = {
  name: 'comparison-counts',
  title: 'counting sort by comparison counts',
  source: 'Garland',
  maxLength: 2 ** 16,
  isStable: true,
  plan(count, hasValues, shape = SHAPE) {
    const table = new Table(count, hasValues, shape);
    table.addOther();
    const groups = piecesOf(count, shape.threads);
    const buffers = table.moving(HERE, OTHER);
    table.add('comparison-counts', 'countComparisons', { count }, buffers, groups);
    return table.done(OTHER);
  },
  cost: (count) => ({ bytes: 8 + (4 * count) / THREADS, operations: count }),
};

const oddEvenTransposition: Algorithm = {
  name: 'odd-even-transposition',
  title: 'odd-even transposition',
  source: 'Garland',
  maxLength: 2 ** 14,
  isStable: true,
  plan(count, hasValues, shape = SHAPE) {
    const table = new Table(count, hasValues, shape);
    const buffers = hasValues ? { keys: HERE.keys, values: HERE.values } : { keys: HERE.keys };
    const groups = piecesOf(count, 2 * shape.threads);
    for (let i = 0; i < count; i++) {
      const params = { count, phase: i % 2 };
      table.add('odd-even-transposition', 'transpose', params, buffers, groups);
    }
    return table.done();
  },
  cost: (count) => ({ bytes: 8 * count, operations: count / 2 }),
};

/** A sort of one tile. */
const withinTile = (
  name: string,
  entryPoint: string,
  operations: (count: number) => number,
): Algorithm => ({
  name,
  title: `${name} within a tile`,
  source: 'Knuth',
  maxLength: TILE,
  isStable: true,
  plan(count, hasValues, shape = SHAPE) {
    const table = new Table(count, hasValues, shape);
    table.addOther();
    table.add(name, entryPoint, { count }, table.moving(HERE, OTHER), 1);
    return table.done(OTHER);
  },
  cost: (count) => ({ bytes: 8, operations: operations(count) }),
});

export const QUADRATIC: readonly Algorithm[] = [
  comparisonCounts,
  oddEvenTransposition,
  withinTile('selection', 'selectKeys', (count) => count + 2 * THREADS),
  withinTile('insertion', 'insertKeys', (count) => count),
];
