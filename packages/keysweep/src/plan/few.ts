/** Lengths at which the runtime's own sort is the best on any machine. */

import { type KeyType, keyTraits, type Operation, type RequestShape } from '@keysweep/core';
import { hasRadixSort, isSpiderMonkey, isV8OfBrowser, losesNaNBits } from '../machine/engine.js';

/**
 * Below these numbers of keys, or of pairs and indices, no backend beats the runtime's own sort. In
 * the records of `regret` in apps/bench/records the two are about equal at 316 keys and at 100
 * rows.
 */
export const KEYS_BELOW = 256;
const ROWS_BELOW = 64;

/** Whether the keys are so few that the runtime's own sort is the best. */
export const isFew = (operation: Operation, length: number): boolean =>
  length < (operation === 'sort' ? KEYS_BELOW : ROWS_BELOW);

/**
 * A synchronous call leaves fewer keys or rows to that sort, by medians in Node 20. Kernels need
 * about 10 µs to begin, in which `TypedArray.prototype.sort` sorts 300 to 450 keys, and a sort of
 * indices 100.
 */
const KEYS_AT_ONCE_BELOW = 512;
const ROWS_AT_ONCE_BELOW = 100;

/** Whether the keys are so few that a synchronous call leaves them to that sort. */
export const isFewAtOnce = (operation: Operation, length: number): boolean =>
  length < (operation === 'sort' ? KEYS_AT_ONCE_BELOW : ROWS_AT_ONCE_BELOW);

/**
 * Before the dispatcher is loaded there are no figures but these: nanoseconds a key that V8's own
 * sort takes, which compares keys, and a radix sort of keys of up to 32 bits; nanoseconds a row of
 * one key, and of rows by several keys or by bits, which take a comparator.
 */
export const A_KEY = 45;
const A_KEY_BY_RADIX = 6;
const A_ROW = 100;
const A_COMPARED_ROW = 400;

/** Chromium has a library whose sort compares keys of up to 32 bits without branches. */
const A_KEY_IN_CHROMIUM = 27;

/**
 * A sort that takes the runtime's own sort fewer milliseconds, roughly, is done before the
 * dispatcher could be loaded, its kernels compiled, and memory taken. By the processor's time of
 * pages' main threads on a busy Zen 4, no record: a first sort by kernels takes as long as the
 * browser's own for 3 * 10^5 doubles in Firefox, for 10^6 in WebKit, which compiles kernels for
 * 25 ms, and for 4 * 10^5 in Chromium.
 */
export const LOADING: number = isSpiderMonkey ? 18 : losesNaNBits ? 50 : 30;

/** Nanoseconds that the runtime's own sort takes for a key, roughly. */
export function nanosecondsOf(keyType: KeyType): number {
  const { bits } = keyTraits(keyType);
  if (bits === 64) return A_KEY;
  // Fewer digits, and each in less memory.
  if (hasRadixSort()) return A_KEY_BY_RADIX * (bits / 32) ** 2;
  return isV8OfBrowser() ? A_KEY_IN_CHROMIUM : A_KEY;
}

/** Milliseconds that the runtime's own sort takes for a request, roughly. */
export function roughMilliseconds(shape: RequestShape): number {
  const { operation, keyTypes, keyBits, length } = shape;
  let each = nanosecondsOf(keyTypes[0] as KeyType);
  if (keyBits !== undefined || keyTypes.length > 1) each = A_COMPARED_ROW;
  else if (operation !== 'sort') each = A_ROW;
  return (length * each) / 1e6;
}
