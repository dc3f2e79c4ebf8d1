/** The twin of kernels/wgsl/odd-even-transposition.wgsl. */

import { at, bufferOf, numberOf, type Twin } from './twin.js';

export const transpose: Twin = (stage) => {
  const { params, buffers } = stage;
  const keys = bufferOf(stage, 'keys');
  const count = numberOf(params, 'count');
  for (let i = numberOf(params, 'phase'); i + 1 < count; i += 2) {
    if (at(keys, i) <= at(keys, i + 1)) continue;
    for (const array of [keys, ...(buffers.values ? [buffers.values] : [])]) {
      [array[i], array[i + 1]] = [at(array, i + 1), at(array, i)];
    }
  }
};
