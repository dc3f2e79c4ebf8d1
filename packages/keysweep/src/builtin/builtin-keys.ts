/** Sorts bare keys by the runtime's own sort. */

import {
  hasNaN,
  type KeyArray,
  lengthOf,
  type Order,
  reverseArray,
  type SortRequest,
  sortArray,
  subarrayOf,
  traitsOf,
} from '@keysweep/core';
import { isSpiderMonkey, losesNaNBits } from '../machine/engine.js';
import { sortFloats } from './float-bits.js';

/**
 * Fewer floats are sorted sooner as they are than as integers of their bits. V8 compares floats
 * slowly. In other engines a first sort by bits first compiles the code beside it, which takes as
 * long as a sort of some 10^4 keys.
 */
const BITS_FROM = isSpiderMonkey || losesNaNBits ? 2 ** 14 : 64;

/** Whether floats are sorted as integers of their bits, so that all NaNs keep theirs. */
export const areSortedByBits = (floats: KeyArray, length: number): boolean =>
  length >= BITS_FROM || (losesNaNBits && hasNaN(floats));

/** Calls `each` for every segment that has something to sort. */
export function forEachSegment(
  length: number,
  segments: Uint32Array | undefined,
  each: (start: number, end: number) => void,
): void {
  if (segments === undefined) {
    each(0, length);
    return;
  }
  for (let i = 0; i < segments.length; i++) {
    const [start, end] = [segments[i] as number, segments[i + 1] ?? length];
    if (end - start > 1) each(start, end);
  }
}

/** Whether a request sorts bare keys by all their bits. */
export const areKeysAlone = ({ shape }: SortRequest): boolean =>
  shape.operation === 'sort' && shape.keyBits === undefined;

/** Sorts an array in place. Every NaN keeps its bits. */
export function sortInOrder(keys: KeyArray, order: Order): void {
  if (traitsOf(keys).kind === 'float' && areSortedByBits(keys, lengthOf(keys))) {
    sortFloats(keys, order);
    return;
  }
  sortArray(keys);
  if (order === 'descending') reverseArray(keys);
}

/** Sorts bare keys by all their bits. */
export function sortKeys({ shape, columns, segments }: SortRequest): undefined {
  const [keys] = columns;
  forEachSegment(shape.length, segments, (start, end) => {
    sortInOrder(subarrayOf(keys, start, end), shape.order);
  });
}
