/** unique: the different keys, found as runs of equal ones once they are sorted. */

import {
  type BitsArray,
  bitsOf,
  copyOf,
  emptyLike,
  type KeyArray,
  type OnArrayBuffer,
  type Order,
  pickSteps,
  traitsOf,
} from '@keysweep/core';
import { startsOfRuns } from './runs.js';
import type { Steps } from './steps.js';

/** What `unique` finds. */
export interface Unique<K extends KeyArray> {
  /** The different keys, in order. */
  keys: OnArrayBuffer<K>;
  /** How often each of them is there, if you asked for it. */
  counts?: OnArrayBuffer<Uint32Array>;
  /** Where each of them is for the first time, if you asked for it. */
  indices?: OnArrayBuffer<Uint32Array>;
}

/** The steps of `unique`. */
export function* uniqueSteps<K extends KeyArray>(
  given: K,
  order: Order,
  wants: { readonly counts: boolean; readonly indices: boolean },
): Steps<Unique<K>> {
  // A sort of bare keys leaves NaNs in any order.
  const nan = wants.indices ? undefined : firstNaNOf(given);
  const copy: KeyArray = copyOf(given);
  let sorted = copy;
  let rows: Uint32Array | undefined;
  if (wants.indices) {
    rows = (yield { argsort: copy, order }) as Uint32Array;
    sorted = emptyLike(copy);
    for (const _ of pickSteps(copy, rows, bitsOf(sorted))) yield 0;
  } else {
    yield { sort: copy };
  }
  // Sorted in place they ascend whatever is asked for: runs of equal keys are then read backwards.
  const isReversed = rows === undefined && order === 'descending';
  const starts = yield* startsOfRuns(sorted);
  const groups = starts.length - 1;
  const firsts = isReversed ? starts.slice(0, groups).reverse() : starts.subarray(0, groups);
  const areAll = groups === sorted.length && !isReversed;
  const keys: KeyArray = areAll ? sorted : emptyLike(copy, groups);
  if (!areAll) for (const _ of pickSteps(sorted, firsts, bitsOf(keys))) yield 1;
  if (nan !== undefined) bitsOf(keys).set(nan, isReversed ? 0 : bitsOf(keys).length - nan.length);
  const counts = wants.counts ? countsOf(starts) : undefined;
  return {
    keys: keys as OnArrayBuffer<K>,
    ...(counts && { counts: isReversed ? counts.reverse() : counts }),
    ...(rows && { indices: firsts.map((place) => (rows as Uint32Array)[place] as number) }),
  };
}

/** How many rows each run has. */
function countsOf(starts: Uint32Array): OnArrayBuffer<Uint32Array> {
  const counts = new Uint32Array(starts.length - 1);
  for (let i = 0; i < counts.length; i++) {
    counts[i] = (starts[i + 1] as number) - (starts[i] as number);
  }
  return counts;
}

/** The bits of the first NaN among keys; undefined if there is none. */
function firstNaNOf(keys: KeyArray): BitsArray | undefined {
  if (traitsOf(keys).kind !== 'float') return undefined;
  const floats = keys as Float64Array;
  let at = 0;
  while (at < floats.length && !Number.isNaN(floats[at])) at++;
  if (at === floats.length) return undefined;
  const bits = bitsOf(keys);
  const units = bits.length / floats.length;
  return bits.slice(at * units, (at + 1) * units);
}
