/** Checks of several columns, most significant first. */

import { type Check, some, turn } from '../check.js';
import { ARRAY_CLASSES } from '../data/arrays.js';
import { verifyArgsort } from '../request/verify.js';
import { mixedColumns, ORDERS, randomBits, segmentCases } from './inputs.js';

export const columnsCheck: Check = {
  name: 'argsorts several columns, the most significant first',
  async run(subject) {
    const { backend, random, lengths, effort } = subject;
    const tried = [100, ...some(subject, [0, 1, 2], 1), ...some(subject, [3000, ...lengths], 1)];
    let place = random.below(4);
    for (const length of tried) {
      for (let count = 2; count <= 4; count++) {
        for (const ties of [true, false]) {
          const columns = mixedColumns(length, count, ties, random);
          const segments = segmentCases(length, random)[2 + random.below(2)];
          const variations = ORDERS.flatMap((order) => [{ order }, { order, segments }]);
          // By turns, so that each occurs with ties and without.
          const chosen = effort === 'sample' ? [turn(variations, place)] : variations;
          place += ties ? 1 : 2;
          for (const variation of chosen) await verifyArgsort(backend, columns, variation);
        }
      }
    }
  },
};

export const orderedColumnsCheck: Check = {
  name: 'argsorts columns of which some are in order already',
  async run({ backend, random, lengths, effort }) {
    // A pass that has nothing to do must not lose what the passes before it did.
    const all = [65, 3000, ...lengths];
    const [first, shift] = [random.below(all.length), random.below(ARRAY_CLASSES.length)];
    for (const [i, { create }] of ARRAY_CLASSES.entries()) {
      for (const length of effort === 'sample' ? [turn(all, first + i)] : all) {
        const equal = create(length);
        const other = turn(ARRAY_CLASSES, i + shift);
        const column = randomBits(other, length, random);
        await verifyArgsort(backend, [equal, column]);
        await verifyArgsort(backend, [column, equal]);
        await verifyArgsort(backend, [equal, column, equal], { order: 'descending' });
      }
    }
  },
};
