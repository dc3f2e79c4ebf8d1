/** The twin of kernels/wgsl/scan.wgsl. */

import { at, bufferOf, eachTile, numberOf, type Stage, type Twin } from './twin.js';

/** Where word `i` of the order lies. */
function placeOf({ params }: Stage, i: number): number {
  return numberOf(params, 'backwards') === 1 ? numberOf(params, 'count') - 1 - i : i;
}

export const scanTiles: Twin = (stage) => {
  const [counts, sums] = [bufferOf(stage, 'counts'), bufferOf(stage, 'sums')];
  eachTile(stage, (start, end, tile) => {
    let before = 0;
    for (let i = start; i < end; i++) {
      const count = at(counts, placeOf(stage, i));
      counts[placeOf(stage, i)] = before;
      before += count;
    }
    sums[tile] = before;
  });
};

export const addSums: Twin = (stage) => {
  const [counts, sums] = [bufferOf(stage, 'counts'), bufferOf(stage, 'sums')];
  eachTile(stage, (start, end, tile) => {
    for (let i = start; i < end; i++) {
      counts[placeOf(stage, i)] = at(counts, placeOf(stage, i)) + at(sums, tile);
    }
  });
};
