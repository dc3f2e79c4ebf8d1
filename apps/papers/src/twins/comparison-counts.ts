/** The twin of kernels/wgsl/comparison-counts.wgsl. */

import { at, bufferOf, move, numberOf, type Twin } from './twin.js';

export const countComparisons: Twin = (stage) => {
  const keys = bufferOf(stage, 'sourceKeys');
  const count = numberOf(stage.params, 'count');
  for (let own = 0; own < count; own++) {
    let place = 0;
    for (let i = 0; i < count; i++) {
      const isSmaller = at(keys, i) < at(keys, own);
      if (isSmaller || (at(keys, i) === at(keys, own) && i < own)) place++;
    }
    move(stage, own, place);
  }
};
