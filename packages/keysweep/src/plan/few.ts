/** Lengths at which the runtime's own sort is the best on any machine. */

import { type KeyType, keyTraits, type Operation, type RequestShape } from '@keysweep/core';
import type { Globals } from '../machine/runtime.js';

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
 * The same for a synchronous call, by medians in Node 20. Kernels need about 10 µs to begin, in
 * which `TypedArray.prototype.sort` sorts 300 to 450 keys, and a sort of indices 100.
 */
const KEYS_AT_ONCE_BELOW = 512;
const ROWS_AT_ONCE_BELOW = 100;

/** Whether the keys are so few that a synchronous call leaves them to that sort. */
export const isFewAtOnce = (operation: Operation, length: number): boolean =>
  length < (operation === 'sort' ? KEYS_AT_ONCE_BELOW : ROWS_AT_ONCE_BELOW);

/**
 * So many rows of one key the runtime's own sort orders as packed integers, of 8 bytes a row:
 * run/packed-rows.ts. More would take over 64 MiB.
 */
export const PACKED_MOST: number = 2 ** 23;

/**
 * Before the dispatcher is loaded there are no figures but these: nanoseconds a key that V8's own
 * sort takes, which compares keys, and a radix sort of keys of up to 32 bits; nanoseconds a row of
 * one key, and of rows by several keys or by bits, which take a comparator.
 */
export const A_KEY = 45;
const A_KEY_BY_RADIX = 6;
const A_ROW = 100;
const A_COMPARED_ROW = 400;

/** The globals that tell where this runs. */
const realm = globalThis as Globals;

/**
 * Whether this runs in one of these browsers. Some load what this looks at. Node makes its
 * `navigator` when that is first asked for, which takes as long as a sort of 10,000 keys.
 */
const runsIn = (browsers: RegExp): boolean =>
  realm.process?.versions?.node === undefined && browsers.test(`${realm.navigator?.userAgent}`);

/** Engines with a radix sort: see machine/runtime.ts. */
export const hasRadixSort = (): boolean =>
  realm.process?.versions?.bun !== undefined || runsIn(/Firefox/);

/** Chromium has a library whose sort compares keys of up to 32 bits without branches. */
const A_KEY_IN_CHROMIUM = 27;

/**
 * A sort that takes the runtime's own sort fewer milliseconds, by the figures above, is done before
 * the dispatcher could be loaded, its kernels compiled, and memory taken. By the processor's time
 * of pages' main threads on a busy Zen 4, no record: a first sort by kernels takes as long as the
 * browser's own for 3 * 10^5 doubles in Firefox, for 10^6 in WebKit, which compiles kernels for
 * 25 ms, and for 4 * 10^5 in Chromium.
 */
const loadingMilliseconds = (): number =>
  runsIn(/Firefox/) ? LOADING_LEAST : runsIn(/AppleWebKit(?!.*Chrome)/) ? 50 : 30;
const LOADING_LEAST = 18;

/**
 * Whether the runtime's own sort has served a request before the dispatcher could be loaded. Which
 * program this is, is not asked for short sorts: a page takes 0.3 ms to say.
 */
export const isDoneBeforeLoading = (shape: RequestShape): boolean =>
  comparingMilliseconds(shape) < LOADING_LEAST || roughMilliseconds(shape) < loadingMilliseconds();

/** Milliseconds that a sort by comparisons takes for a request, roughly. */
export function comparingMilliseconds(shape: RequestShape): number {
  const { operation, keyTypes, keyBits, length } = shape;
  const isCompared = keyBits !== undefined || keyTypes.length > 1;
  const each = isCompared ? A_COMPARED_ROW : operation === 'sort' ? A_KEY : A_ROW;
  return (length * each) / 1e6;
}

/** Milliseconds that the runtime's own sort takes for a request, roughly. */
export function roughMilliseconds(shape: RequestShape): number {
  const { operation, keyTypes, keyBits } = shape;
  const isNarrow = keyTraits(keyTypes[0] as KeyType).bits < 64;
  const all = comparingMilliseconds(shape);
  if (!isNarrow || operation !== 'sort' || keyBits !== undefined) return all;
  const each = hasRadixSort() ? A_KEY_BY_RADIX : runsIn(/Chrome/) ? A_KEY_IN_CHROMIUM : A_KEY;
  return (all * each) / A_KEY;
}
