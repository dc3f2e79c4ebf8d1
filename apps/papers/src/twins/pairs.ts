/** The twin of kernels/wgsl/pairs.wgsl. */

import { at, bufferOf, numberOf, type Twin } from './twin.js';

export const pack: Twin = (stage) => {
  const [keys, pairs] = [bufferOf(stage, 'keys'), bufferOf(stage, 'pairs')];
  for (let i = 0; i < numberOf(stage.params, 'count'); i++) {
    pairs[2 * i] = at(keys, i);
    pairs[2 * i + 1] = at(bufferOf(stage, 'values'), i);
    bufferOf(stage, 'keysAlone')[i] = at(keys, i);
  }
};

export const unpack: Twin = (stage) => {
  const pairs = bufferOf(stage, 'pairs');
  for (let i = 0; i < numberOf(stage.params, 'count'); i++) {
    bufferOf(stage, 'keys')[i] = at(pairs, 2 * i);
    bufferOf(stage, 'values')[i] = at(pairs, 2 * i + 1);
  }
};
