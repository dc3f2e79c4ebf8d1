/** The twin of kernels/wgsl/binary-radix.wgsl. */

import { at, bufferOf, eachTile, move, numberOf, type Stage, type Twin } from './twin.js';

/** The bit of the key at `i`. */
const bitAt = (stage: Stage, i: number): number =>
  (at(bufferOf(stage, 'sourceKeys'), i) >>> numberOf(stage.params, 'bit')) & 1;

export const countBits: Twin = (stage) => {
  const [zeros, ones] = [bufferOf(stage, 'zeros'), bufferOf(stage, 'ones')];
  eachTile(stage, (start, end, tile) => {
    ones[tile] = 0;
    for (let i = start; i < end; i++) ones[tile] = at(ones, tile) + bitAt(stage, i);
    zeros[tile] = end - start - at(ones, tile);
  });
};

export const split: Twin = (stage) => {
  const [zeros, ones] = [bufferOf(stage, 'zeros'), bufferOf(stage, 'ones')];
  const count = numberOf(stage.params, 'count');
  eachTile(stage, (start, end, tile) => {
    let zero = at(zeros, tile);
    for (let i = start; i < end; i++) if (bitAt(stage, i) === 0) move(stage, i, zero++);
    let one = count - 1 - at(ones, tile);
    for (let i = end - 1; i >= start; i--) if (bitAt(stage, i) === 1) move(stage, i, one--);
  });
};
