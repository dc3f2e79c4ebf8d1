/** Lengths at which the runtime's own sort is the best on any machine. */

import { type KeyType, keyTraits, type Operation, type RequestShape } from '@keysweep/core';

/**
 * Below these numbers of keys, or of pairs and indices, no backend beats the runtime's own sort. In
 * the records of `regret` in apps/bench/records the two are about equal at 316 keys and at 100
 * rows.
 */
const KEYS_BELOW = 256;
const ROWS_BELOW = 64;

/** Whether the keys are so few that the runtime's own sort is the best. */
export const isFew = (operation: Operation, length: number): boolean =>
  length < (operation === 'sort' ? KEYS_BELOW : ROWS_BELOW);

/**
 * The same for a synchronous call, by medians in Node 20. Kernels need about 10 µs to begin, in
 * which `TypedArray.prototype.sort` sorts 300 to 450 keys, and a sort of indices 100.
 */
const KEYS_AT_ONCE_BELOW = 512;
const ROWS_AT_ONCE_BELOW = 100;

/** Whether the keys are so few that a synchronous call leaves them to that sort. */
export const isFewAtOnce = (operation: Operation, length: number): boolean =>
  length < (operation === 'sort' ? KEYS_AT_ONCE_BELOW : ROWS_AT_ONCE_BELOW);

/**
 * Before the dispatcher is loaded there are no figures but these: nanoseconds a key that the
 * runtime's own sort takes in V8, and for keys of up to 32 bits where it is a radix sort. Rows, and
 * bits of keys, take a comparator.
 */
const A_KEY = 45;
const A_FLOAT = 85;
const A_KEY_BY_RADIX = 6;
const A_ROW = 300;

/** Engines with a radix sort: see machine/runtime.ts. */
const hasRadixSort = (): boolean => /Firefox|Bun/.test(`${globalThis.navigator?.userAgent}`);

/** Milliseconds that the runtime's own sort takes for a request, roughly. */
export function roughMilliseconds({ operation, keyTypes, keyBits, length }: RequestShape): number {
  const { bits, kind } = keyTraits(keyTypes[0] as KeyType);
  const isRows = operation !== 'sort' || keyBits !== undefined;
  const aKey = bits < 64 && hasRadixSort() ? A_KEY_BY_RADIX : kind === 'float' ? A_FLOAT : A_KEY;
  return (length * (isRows ? A_ROW : aKey)) / 1e6;
}
