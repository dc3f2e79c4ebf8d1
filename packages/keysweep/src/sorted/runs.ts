/** Runs of equal keys in sorted ones, found by their bits. All NaNs are one run. */

import { bitsOf, type KeyArray, type OnArrayBuffer, slicesOf } from '@keysweep/core';
import { SLICE, type Steps } from './steps.js';

/** Where runs of equal keys begin in sorted keys, and the number of keys at the end. O(n). */
export function* startsOfRuns(sorted: KeyArray): Steps<OnArrayBuffer<Uint32Array>> {
  const { length } = sorted;
  const bits = bitsOf(sorted);
  const isWide = sorted.BYTES_PER_ELEMENT === 8;
  // One class of array for the loop: it takes several times as long if it knows more.
  const words = bits instanceof Uint32Array ? bits : new Uint32Array(bits);
  const starts = new Uint32Array(length + 1);
  const areFirstNaN = Number.isNaN(sorted[0]);
  const edge = edgeOf(sorted, areFirstNaN);
  const [first, last] = areFirstNaN ? [edge, length] : [0, edge];
  let count = areFirstNaN ? 1 : 0;
  const addStarts = isWide ? addStartsOfWide : addStartsOfNarrow;
  if (first < last) starts[count++] = first;
  for (const [from, to] of slicesOf(last - first - 1, SLICE)) {
    count = addStarts(words, first + 1 + from, first + 1 + to, starts, count);
    yield to / length;
  }
  if (!areFirstNaN && edge < length) starts[count++] = edge;
  starts[count] = length;
  return starts.subarray(0, count + 1);
}

/** Where NaNs end, or begin. O(log n). */
function edgeOf(sorted: KeyArray, areFirstNaN: boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Number.isNaN(sorted[middle]) === areFirstNaN) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Every place is written to the next run's start, which goes on only if a run begins there.

function addStartsOfNarrow(
  words: Uint32Array,
  from: number,
  to: number,
  starts: Uint32Array,
  count: number,
): number {
  let next = count;
  let before = words[from - 1];
  for (let i = from; i < to; i++) {
    const word = words[i];
    starts[next] = i;
    next += Number(word !== before);
    before = word;
  }
  return next;
}

function addStartsOfWide(
  halves: Uint32Array,
  from: number,
  to: number,
  starts: Uint32Array,
  count: number,
): number {
  let next = count;
  let low = halves[2 * from - 2];
  let high = halves[2 * from - 1];
  for (let i = from; i < to; i++) {
    const nextLow = halves[2 * i];
    const nextHigh = halves[2 * i + 1];
    starts[next] = i;
    next += Number(nextLow !== low || nextHigh !== high);
    low = nextLow;
    high = nextHigh;
  }
  return next;
}
