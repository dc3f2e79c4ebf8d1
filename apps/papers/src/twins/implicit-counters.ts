/** The twin of kernels/wgsl/implicit-counters.wgsl. */

import { at, countRows, eachByRows, move, numberOf, type Stage, type Twin } from './twin.js';

/** The digit of key `i`, wherever the layout has the key. */
function digitAt(stage: Stage, i: number): number {
  const { sourceKeys, sourcePairs } = stage.buffers;
  const key = sourceKeys ? at(sourceKeys, i) : at(sourcePairs as Uint32Array, 2 * i);
  return (key >>> numberOf(stage.params, 'shift')) & 3;
}

export const countDigits: Twin = (stage) => countRows(stage, 4, (i) => digitAt(stage, i));

export const scatter: Twin = (stage) =>
  eachByRows(
    stage,
    (i) => digitAt(stage, i),
    (from, to) => {
      const { sourcePairs, targetPairs, targetKeys } = stage.buffers;
      if (!sourcePairs || !targetPairs) return move(stage, from, to);
      const [key, value] = [at(sourcePairs, 2 * from), at(sourcePairs, 2 * from + 1)];
      targetPairs[2 * to] = key;
      targetPairs[2 * to + 1] = value;
      if (targetKeys) targetKeys[to] = key;
    },
  );
