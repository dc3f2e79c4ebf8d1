/** The twin of kernels/wgsl/bitonic.wgsl. */

import { exchangeAll } from './network.js';
import { at, bufferOf, numberOf, type Stage, type Twin } from './twin.js';

/** The pairs of a step over `size` places. */
function pairsOf(size: number, stride: number, isFlip: boolean): [number, number][] {
  const pairs: [number, number][] = [];
  for (let block = 0; block < size; block += 2 * stride) {
    for (let lane = 0; lane < stride; lane++) {
      pairs.push([block + lane, isFlip ? block + 2 * stride - 1 - lane : block + stride + lane]);
    }
  }
  return pairs;
}

/** The places from each first key to sort to the one behind the last. */
function rangesOf({ params, buffers }: Stage): [number, number][] {
  const { ranges } = buffers;
  if (ranges === undefined) return [[0, numberOf(params, 'count')]];
  return Array.from({ length: ranges.length / 2 }, (_, i) => [
    at(ranges, 2 * i),
    at(ranges, 2 * i + 1),
  ]);
}

export const exchange: Twin = (stage) => {
  const stride = numberOf(stage.params, 'stride');
  const isFlip = numberOf(stage.params, 'isFlip') === 1;
  for (const [start, end] of rangesOf(stage)) {
    exchangeAll(bufferOf(stage, 'keys'), pairsOf(end - start, stride, isFlip), start, end);
  }
};

export const exchangeTile: Twin = (stage) => {
  const { params, constants } = stage;
  const size = numberOf(constants, 'TILE');
  const isSort = numberOf(params, 'isFlip') === 1;
  for (const [start, end] of rangesOf(stage)) {
    for (let tile = start; tile < end; tile += size) {
      for (let run = numberOf(params, 'stride'); run < size; run *= 2) {
        for (let stride = run; stride >= 1; stride /= 2) {
          const pairs = pairsOf(size, stride, isSort && stride === run);
          exchangeAll(bufferOf(stage, 'keys'), pairs, tile, Math.min(tile + size, end));
        }
      }
    }
  }
};
