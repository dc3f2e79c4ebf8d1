/** The twin of kernels/wgsl/explicit-counters.wgsl. */

import {
  at,
  bufferOf,
  countRows,
  eachByRows,
  eachTile,
  move,
  moveAll,
  numberOf,
  placesInOrder,
  type Stage,
  type Twin,
} from './twin.js';

const digitOf = ({ params }: Stage, key: number): number =>
  (key >>> numberOf(params, 'shift')) & 15;

export const sortTile: Twin = (stage) => {
  const keys = bufferOf(stage, 'sourceKeys');
  countRows(stage, 16, (i) => digitOf(stage, at(keys, i)));
  eachTile(stage, (start, end) =>
    moveAll(
      stage,
      placesInOrder(keys, start, end, (key) => digitOf(stage, key)),
      start,
    ),
  );
};

export const scatter: Twin = (stage) => {
  const keys = bufferOf(stage, 'sourceKeys');
  eachByRows(
    stage,
    (i) => digitOf(stage, at(keys, i)),
    (from, to) => move(stage, from, to),
  );
};
