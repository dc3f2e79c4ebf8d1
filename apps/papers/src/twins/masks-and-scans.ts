/** The twin of kernels/wgsl/masks-and-scans.wgsl. */

import {
  at,
  bufferOf,
  countRows,
  eachByRows,
  move,
  numberOf,
  type Stage,
  type Twin,
} from './twin.js';

const digitAt = (stage: Stage, i: number): number =>
  (at(bufferOf(stage, 'sourceKeys'), i) >>> numberOf(stage.params, 'shift')) & 15;

export const countDigits: Twin = (stage) => countRows(stage, 16, (i) => digitAt(stage, i));

export const scatter: Twin = (stage) =>
  eachByRows(
    stage,
    (i) => digitAt(stage, i),
    (from, to) => move(stage, from, to),
  );
