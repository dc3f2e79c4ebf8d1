/** The twin of ../../papers/insertion.wgsl. */

import { at, bufferOf, eachTile, moveAll, type Twin } from './twin.js';

export const insertKeys: Twin = (stage) => {
  const keys = bufferOf(stage, 'sourceKeys');
  eachTile(stage, (start, end) => {
    const ordered: number[] = [];
    for (let i = start; i < end; i++) {
      let place = ordered.length;
      while (place > 0 && at(keys, at(ordered, place - 1)) > at(keys, i)) place--;
      ordered.splice(place, 0, i);
    }
    moveAll(stage, ordered, start);
  });
};
