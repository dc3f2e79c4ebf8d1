/** The twin of kernels/wgsl/insertion.wgsl. */

import { at, bufferOf, eachTile, move, type Stage, type Twin } from './twin.js';

/** Moves what is at `place` of the target up by one place. */
function moveUp({ buffers }: Stage, place: number): void {
  for (const target of [buffers.targetKeys, buffers.targetValues]) {
    if (target) target[place + 1] = at(target, place);
  }
}

export const insertKeys: Twin = (stage) => {
  const [keys, ordered] = [bufferOf(stage, 'sourceKeys'), bufferOf(stage, 'targetKeys')];
  eachTile(stage, (start, end) => {
    for (let i = start; i < end; i++) {
      const key = at(keys, i);
      let place = i;
      while (place > start && at(ordered, place - 1) > key) moveUp(stage, --place);
      move(stage, i, place);
    }
  });
};
