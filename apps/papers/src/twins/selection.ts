/** The twin of kernels/wgsl/selection.wgsl. */

import { at, bufferOf, eachTile, move, type Twin } from './twin.js';

export const selectKeys: Twin = (stage) => {
  const keys = bufferOf(stage, 'sourceKeys');
  eachTile(stage, (start, end) => {
    const left = Array.from({ length: end - start }, (_, i) => start + i);
    for (let to = start; to < end; to++) {
      let least = 0;
      for (const i of left.keys()) {
        if (at(keys, at(left, i)) < at(keys, at(left, least))) least = i;
      }
      const [taken] = left.splice(least, 1);
      move(stage, taken as number, to);
    }
  });
};
