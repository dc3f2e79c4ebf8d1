/**
 * Floats are sorted as integers of their bits. The runtime's own sort compares integers in half of
 * the time that it needs for floats, which have NaNs and two zeros, and JavaScriptCore's sort of
 * floats makes one NaN of all.
 */

import {
  bufferOf,
  byteOffsetOf,
  type KeyArray,
  lengthOf,
  type Order,
  reverseArray,
  sortArray,
  subarrayOf,
  traitsOf,
} from '@keysweep/core';

/** Signed integers of a key's width. */
export type Integers = Int8Array | Int16Array | Int32Array | BigInt64Array;

const CLASSES = { 8: Int8Array, 16: Int16Array, 32: Int32Array, 64: BigInt64Array } as Readonly<
  Record<number, new (buffer: ArrayBufferLike, at: number, length: number) => Integers>
>;

/** The memory of keys of `bits` bits as integers of `width` bits. */
export const integersOf = (keys: KeyArray, bits: number, width: number = bits): Integers =>
  new (CLASSES[width] as (typeof CLASSES)[number])(
    bufferOf(keys),
    byteOffsetOf(keys),
    (lengthOf(keys) * bits) / width,
  );

/** Sorts floats in place. Every NaN keeps its bits. O(log n) beside a sort of as many integers. */
export function sortFloats(floats: KeyArray, order: Order): void {
  const integers = integersOf(floats, traitsOf(floats).bits);
  sortArray(integers);
  // The least of the negative ones has the greatest bits.
  reverseArray(subarrayOf(integers, 0, countOfNegative(integers)));
  moveNaNsToEnd(integers, floats);
  // As integers, because an engine may make all NaNs one when it moves floats.
  if (order === 'descending') reverseArray(integers);
}

/** How many integers are negative, if these come first. O(log n). */
export function countOfNegative(integers: Integers): number {
  let [first, end] = [0, lengthOf(integers)];
  // Most arrays have floats of one sign.
  if ((integers[0] as number) >= 0) return 0;
  if ((integers[end - 1] as number) < 0) return end;
  while (first < end) {
    const middle = (first + end) >>> 1;
    if ((integers[middle] as number) < 0) first = middle + 1;
    else end = middle;
  }
  return first;
}

/** NaNs with their sign bit set are first among sorted bits, and belong after all others. */
export function moveNaNsToEnd(integers: Integers, floats: KeyArray): void {
  if (!Number.isNaN(floats[0])) return;
  const length = lengthOf(integers);
  let nans = 1;
  while (Number.isNaN(floats[nans])) nans++;
  const moved = integers.slice(0, nans);
  integers.copyWithin(0, nans);
  integers.set(moved as never, length - nans);
}
