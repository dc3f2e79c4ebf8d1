/** searchSorted of 64-bit integers, which are compared as two halves: doubles do not hold them. */

import { type OnArrayBuffer, type OrderWords, slicesOf } from '@keysweep/core';
import { type Search, SLICE, type Steps, wordsOf } from './steps.js';

/**
 * The steps for 64-bit integers, in any order: each is searched among all keys, two at a time,
 * without a branch that depends on a key.
 */
export function* findWords({
  sorted,
  values,
  side,
  order,
}: Search): Steps<OnArrayBuffer<Uint32Array>> {
  const places = new Uint32Array(values.length);
  if (sorted.length === 0) return places;
  const words = wordsOf(sorted, order);
  const sought = wordsOf(values, order);
  const afterAll = side === 'right' ? increment(sought) : [];
  for (const [from, to] of slicesOf(values.length, SLICE)) {
    find(words, sought, places, from, to);
    yield to / values.length;
  }
  for (const i of afterAll) places[i] = sorted.length;
  return places;
}

/** Adds 1 to all words. Returns where there was the largest one, which then is 0. */
function increment({ lows, highs }: OrderWords): number[] {
  const overflows: number[] = [];
  for (let i = 0; i < lows.length; i++) {
    lows[i] = (lows[i] as number) + 1;
    if (lows[i] !== 0) continue;
    highs[i] = (highs[i] as number) + 1;
    if (highs[i] === 0) overflows.push(i);
  }
  return overflows;
}

function find(
  { lows, highs }: OrderWords,
  sought: OrderWords,
  places: Uint32Array,
  from: number,
  to: number,
): void {
  const before = (at: number, high: number, low: number): number => {
    const own = highs[at] as number;
    return Number(own < high) | (Number(own === high) & Number((lows[at] as number) < low));
  };
  const last = to - 1;
  for (let i = from; i < to; i += 2) {
    const i1 = Math.min(i + 1, last);
    const [high0, low0] = [sought.highs[i] as number, sought.lows[i] as number];
    const [high1, low1] = [sought.highs[i1] as number, sought.lows[i1] as number];
    let [at0, at1] = [0, 0];
    for (let length = lows.length; length > 1; ) {
      const half = length >>> 1;
      const middle = half - 1;
      at0 += half & -before(at0 + middle, high0, low0);
      at1 += half & -before(at1 + middle, high1, low1);
      length -= half;
    }
    places[i] = at0 + before(at0, high0, low0);
    places[i1] = at1 + before(at1, high1, low1);
  }
}
