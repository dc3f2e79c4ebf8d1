/**
 * keysweep/sync: the drop-in sort without promises, on the calling thread, for render loops and
 * plain scripts.
 *
 * ```ts
 * import { sortSync } from 'keysweep/sync';
 * sortSync(new Float32Array([3, 1, NaN, -0, 0, 2])); // −0, 0, 1, 2, 3, NaN
 * ```
 *
 * Importing it starts nothing. The first array that the runtime's own sort is not the best for
 * compiles the kernels, which takes some milliseconds.
 */

import {
  bufferOf,
  type KeyArray,
  keyTypeOf,
  lengthOf,
  type OnArrayBuffer,
  type SortRequest,
  type ValueArray,
} from '@keysweep/core';
import { fieldKernels, releaseMemory, sortAtOnce } from '@keysweep/cpu/sync';
import {
  type Arguments,
  checkOrder,
  checkSyncCall,
  choosesRows,
  isOrderAlone,
  isTable,
  memoryOfRows,
  ROW_NAMES,
  readCallOptions,
  type SyncArgsortOptions,
  type SyncSortOptions,
} from './call/check.js';
import { assertUnlocked, isUnlocked } from './call/memory-locks.js';
import { isFewAtOnce } from './plan/few.js';
import { argsortRowsAtOnce } from './rows/rows.js';
import { sortInOrder } from './run/builtin-keys.js';
import { sortNow } from './run/builtin-rows.js';
import { argsortTableAtOnce } from './table/argsort-table.js';
import type { Column } from './table/column.js';

export type { KeyArray, KeyBits, Order, ValueArray } from '@keysweep/core';
export type { SyncArgsortOptions, SyncSortOptions } from './call/check.js';
export type { RowOptions } from './call/row-options.js';
export type { BinaryColumn, Column, ColumnOptions, StringColumn } from './table/column.js';

const SORT_NAMES: readonly string[] = ['order', 'segments', 'keyBits'] satisfies Array<
  keyof SyncSortOptions
>;
const ARGSORT_NAMES = [...SORT_NAMES, ...ROW_NAMES];

/** Serves a call whose options have been read; of argsort returns the permutation. */
function serve(given: Arguments, options: SyncSortOptions): Uint32Array | undefined {
  const request = checkSyncCall(given, options);
  assertUnlocked({ request });
  return serveRequest(request);
}

function serveRequest(request: SortRequest): Uint32Array | undefined {
  const { operation, length } = request.shape;
  const outcome = isFewAtOnce(operation, length) ? undefined : sortAtOnce(request);
  return outcome === undefined ? sortNow(request) : outcome.permutation;
}

/**
 * Whether keys can be sorted without a request: few, nothing but an order was given, and no other
 * call is at work on their buffer. All else that a call does would take longer than to sort them.
 */
function isFewAlone(keys: KeyArray, options: SyncSortOptions): boolean {
  if (!isOrderAlone(options) || keyTypeOf(keys) === undefined) return false;
  // An empty array may be one that was detached: that is for the checks.
  const length = lengthOf(keys);
  return length > 0 && isFewAtOnce('sort', length) && isUnlocked(bufferOf(keys));
}

/**
 * Sorts `keys` in place, at once, and returns the same array. As `sort` of keysweep, but on the
 * calling thread alone: O(n) for each digit that the keys need, without a pause.
 *
 * ```ts
 * sortSync(Float64Array.of(2, NaN, -0, 0)); // -0, 0, 2, NaN
 * sortSync(Uint8Array.of(3, 1, 2), { order: 'descending' }); // 3, 2, 1
 * sortSync(Int16Array.of(9, 1, 3, 2), { segments: Uint32Array.of(0, 2) }); // 1, 9, 2, 3
 * ```
 * Memory beside the array: twice the keys, kept until `releaseSync()`. Keys of 8 bits, and of 16
 * bits from 200,000 on, are counted and need none; nor do fewer than 512 keys.
 * @throws TypeError for what is not a typed array, a detached one, or options that do not fit it;
 *   RangeError for offsets or bits out of range, or where there is no memory; Error while an
 *   asynchronous call is at work on the array. The array is then as it was.
 */
export function sortSync<K extends KeyArray>(keys: K, given?: SyncSortOptions): K {
  const options = readCallOptions(given, SORT_NAMES);
  if (isFewAlone(keys, options)) sortInOrder(keys, checkOrder(options.order));
  else serve({ operation: 'sort', keys }, options);
  return keys;
}

/**
 * Sorts `keys`, moves `values` with them, both in place, at once, and returns both. Stable in both
 * directions. `values` is any typed array of the same length that does not overlap `keys`.
 *
 * ```ts
 * sortPairsSync(Uint32Array.of(2, 1, 2), Uint8Array.of(10, 20, 30));
 * // { keys: [1, 2, 2], values: [20, 10, 30] }
 * ```
 * Memory beside the arrays: 16 bytes a pair, 32 where keys or values have 64 bits, kept until
 * `releaseSync()`.
 * @throws as `sortSync`; RangeError for different lengths.
 */
export function sortPairsSync<K extends KeyArray, V extends ValueArray>(
  keys: K,
  values: V,
  given?: SyncSortOptions,
): { keys: K; values: V } {
  const options = readCallOptions(given, SORT_NAMES);
  serve({ operation: 'sortPairs', keys, values }, options);
  return { keys, values };
}

/**
 * The stable permutation that sorts `keys`, at once: element i is the index of the key that belongs
 * at i. `keys` is not changed. A list of columns of one length is sorted by the first column, ties
 * by the second, and so on.
 *
 * ```ts
 * argsortSync(Float32Array.of(0.5, -1, 2)); // 1, 0, 2
 * argsortSync([Uint8Array.of(1, 0, 1), Int8Array.of(5, 7, -5)]); // 1, 2, 0
 * const indices = Uint32Array.of(2, 0);
 * argsortSync(Float32Array.of(0.5, -1, 2), { indices, out: indices }); // 0, 2
 * ```
 * Allocates 4 bytes a key for the result, unless all rows go into `out`. Memory beside it: 16 bytes
 * a key, 32 for keys of 64 bits, kept until `releaseSync()`. `indices` allocates copies of their
 * keys, too.
 * @throws as `sortSync`; RangeError for columns of different lengths, an index of no row, or an
 *   `out` that is too short; TypeError for an `out` that overlaps the keys.
 */
export function argsortSync(
  keys: Column | readonly Column[],
  given?: SyncArgsortOptions,
): OnArrayBuffer<Uint32Array> {
  const options = readCallOptions(given, ARGSORT_NAMES);
  let order: Uint32Array | undefined;
  if (isTable(keys) || choosesRows(options)) {
    assertUnlocked(memoryOfRows(keys, options));
    order = isTable(keys)
      ? argsortTableAtOnce(keys, options, serveRequest, fieldKernels)
      : argsortRowsAtOnce(keys, options, serveRequest);
  } else {
    order = serve({ operation: 'argsort', keys }, options);
  }
  return order as OnArrayBuffer<Uint32Array>;
}

/**
 * Gives back the memory that the synchronous functions keep: as much as their largest call needed.
 * The next call takes it anew.
 */
export function releaseSync(): void {
  releaseMemory();
}
