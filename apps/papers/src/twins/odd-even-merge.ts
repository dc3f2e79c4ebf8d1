/** The twin of kernels/wgsl/odd-even-merge.wgsl. */

import { exchangeAll } from './network.js';
import { bufferOf, eachTile, numberOf, type Twin } from './twin.js';

/** The pairs of a step over `size` places. */
function pairsOf(size: number, run: number, stride: number): [number, number][] {
  const pairs: [number, number][] = [];
  for (let merge = 0; merge < size; merge += 2 * run) {
    // The first step begins at the merge's first key; the others leave out half a stride at its
    // ends.
    const first = stride === run ? 0 : stride;
    for (let block = first; block + stride < 2 * run; block += 2 * stride) {
      for (let lane = 0; lane < stride; lane++) {
        pairs.push([merge + block + lane, merge + block + lane + stride]);
      }
    }
  }
  return pairs;
}

export const exchange: Twin = (stage) => {
  const [count, run, stride] = ['count', 'run', 'stride'].map((name) =>
    numberOf(stage.params, name),
  ) as [number, number, number];
  exchangeAll(bufferOf(stage, 'keys'), pairsOf(count, run, stride), 0, count);
};

export const sortTile: Twin = (stage) => {
  const size = numberOf(stage.constants, 'TILE');
  eachTile(stage, (start, end) => {
    for (let run = 1; run < size; run *= 2) {
      for (let stride = run; stride >= 1; stride /= 2) {
        exchangeAll(bufferOf(stage, 'keys'), pairsOf(size, run, stride), start, end);
      }
    }
  });
};
