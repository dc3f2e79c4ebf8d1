/** Steps of networks, for the twins of bitonic.wgsl and odd-even-merge.wgsl. */

import { at } from './twin.js';

/** Pairs of places. */
type Pairs = readonly (readonly [low: number, high: number])[];

/** Puts the smaller key of each pair at its lower place, where both are in [start, end). */
export function exchangeAll(keys: Uint32Array, pairs: Pairs, start: number, end: number): void {
  for (const [low, high] of pairs) {
    if (start + high >= end) continue;
    const [a, b] = [at(keys, start + low), at(keys, start + high)];
    keys[start + low] = Math.min(a, b);
    keys[start + high] = Math.max(a, b);
  }
}
