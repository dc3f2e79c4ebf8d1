/** The twin of kernels/wgsl/merge-path.wgsl. */

import {
  at,
  bufferOf,
  eachTile,
  move,
  moveAll,
  numberOf,
  placesInOrder,
  type Twin,
} from './twin.js';

export const sortTile: Twin = (stage) => {
  const keys = bufferOf(stage, 'sourceKeys');
  eachTile(stage, (start, end) => moveAll(stage, placesInOrder(keys, start, end), start));
};

export const mergeRuns: Twin = (stage) => {
  const keys = bufferOf(stage, 'sourceKeys');
  const [count, run] = [numberOf(stage.params, 'count'), numberOf(stage.params, 'run')];
  for (let first = 0; first < count; first += 2 * run) {
    const second = Math.min(first + run, count);
    const end = Math.min(second + run, count);
    let [a, b] = [first, second];
    for (let to = first; to < end; to++) {
      const isFirst = b === end || (a < second && at(keys, a) <= at(keys, b));
      move(stage, isFirst ? a++ : b++, to);
    }
  }
};
