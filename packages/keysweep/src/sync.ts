/**
 * keysweep/sync: sorts without promises, on the calling thread. For render loops, which cannot
 * wait, and for plain scripts.
 *
 * ```ts
 * import { sortSync } from 'keysweep/sync';
 * sortSync(new Float32Array([3, 1, NaN, -0, 0, 2])); // −0, 0, 1, 2, 3, NaN
 * ```
 *
 * Importing it starts no kernels; it sorts a few hundred numbers, so that the code is compiled
 * before a call waits for it. Short arrays are left to the runtime's own sort, and so are the
 * first ones up to 400,000 keys, or 180,000 rows, because kernels start in some milliseconds. They
 * do so once such sorts have taken longer.
 */

import {
  type KeyArray,
  type KeyType,
  keyTypeOf,
  lengthOf,
  type OnArrayBuffer,
  type Order,
  plainShape,
  plainView,
  type RequestShape,
  type SortRequest,
  type ValueArray,
} from '@keysweep/core';
import { fieldKernels, haveStarted, releaseMemory, sortAtOnce } from '@keysweep/cpu/sync';
import { sortInOrder } from './builtin/builtin-keys.js';
import { orderRows, sortNow } from './builtin/builtin-rows.js';
import { sortIfInOrder } from './builtin/in-order.js';
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
import { argsortIndexedAtOnce } from './indexed/argsort-indexed.js';
import { isFewAtOnce, roughMilliseconds } from './plan/few.js';
import { argsortTableAtOnce } from './table/argsort-table.js';
import type { Column } from './table/column.js';

export type { KeyArray, KeyBits, Order, ValueArray } from '@keysweep/core';
export type { SyncArgsortOptions, SyncSortOptions } from './call/check.js';
export type { RowOptions } from './call/row-options.js';
export type { BinaryColumn, Column, ColumnOptions, StringColumn } from './table/column.js';
export type { PreparedColumn } from './table/prepared.js';

const SORT_NAMES: readonly string[] = ['order', 'segments', 'keyBits'] satisfies Array<
  keyof SyncSortOptions
>;
const ARGSORT_NAMES = [...SORT_NAMES, ...ROW_NAMES];

/** Serves a call whose options have been read. Returns the permutation of an argsort. */
function serve(given: Arguments, options: SyncSortOptions): Uint32Array | undefined {
  const request = checkSyncCall(given, options);
  assertUnlocked({ request });
  return serveRequest(request);
}

function serveRequest(request: SortRequest): Uint32Array | undefined {
  const outcome = isForBuiltin(request.shape) ? undefined : sortAtOnce(request);
  return outcome === undefined ? sortNow(request) : outcome.permutation;
}

/**
 * Milliseconds of sorts by the runtime's own sort, this one included, for which a start of the
 * kernels pays: the first sort by them takes 6 to 10 ms longer than later ones.
 */
const STARTING = 18;

/** Milliseconds of such sorts, roughly, while kernels have not started. */
let sorted = 0;

/** Whether a request is left to the runtime's own sort. Call it once per request. */
function isForBuiltin(shape: RequestShape): boolean {
  if (isFewAtOnce(shape.operation, shape.length)) return true;
  if (haveStarted() || sorted >= STARTING) return false;
  sorted += roughMilliseconds(shape);
  return sorted < STARTING;
}

/**
 * The order for keys that may be sorted without a request, else undefined: no option but an order
 * was given, and no other call is at work on their buffer. The rest of a call would take longer
 * than a short sort.
 */
function orderAlone(keys: KeyArray, options: SyncSortOptions): Order | undefined {
  if (!isOrderAlone(options)) return undefined;
  // An empty array may be one that was detached: that is for the checks.
  const isLocked = lengthOf(keys) === 0 || !isUnlocked(keys);
  return isLocked ? undefined : checkOrder(options.order);
}

/** Sorts keys without a request if it may, and if they are in order or the built-in is best. */
function sortAlone(keys: KeyArray, options: SyncSortOptions): boolean {
  const keyType = keyTypeOf(keys);
  const order = keyType && orderAlone(keys, options);
  if (order === undefined) return false;
  if (sortIfInOrder(keys, order)) return true;
  if (!isForBuiltin(plainShape('sort', keyType as KeyType, lengthOf(keys)))) return false;
  sortInOrder(keys, order);
  return true;
}

/** The order of keys, if they are an array and the runtime's own sort is best for it. */
function argsortAlone(keys: unknown, options: SyncArgsortOptions): Uint32Array | undefined {
  const keyType = keyTypeOf(keys);
  const order = keyType && orderAlone(keys as KeyArray, options);
  if (order === undefined) return undefined;
  const shape = plainShape('argsort', keyType as KeyType, lengthOf(keys as KeyArray));
  return isForBuiltin(shape) ? orderRows([plainView(keys as KeyArray)], order) : undefined;
}

/**
 * Sorts `keys` in place before it returns, and returns the same array. Does what `sort` of keysweep
 * does, but only on the calling thread and without a pause: O(n) for each digit that the keys need.
 *
 * ```ts
 * sortSync(Float64Array.of(2, NaN, -0, 0)); // -0, 0, 2, NaN
 * sortSync(Uint8Array.of(3, 1, 2), { order: 'descending' }); // 3, 2, 1
 * sortSync(Int16Array.of(9, 1, 3, 2), { segments: Uint32Array.of(0, 2) }); // 1, 9, 2, 3
 * ```
 * Takes twice the keys as memory beside the array, and keeps it until `releaseSync()`. Fewer than
 * 512 keys need none. Neither do keys of 8 bits, nor 200,000 or more keys of 16 bits, because they
 * are counted.
 * @throws TypeError if `keys` is not a typed array or is detached, or if options do not fit it;
 *   RangeError for offsets or bits out of range, or if there is no memory; Error while an
 *   asynchronous call is at work on the array. The array is then as it was.
 */
export function sortSync<K extends KeyArray>(keys: K, given?: SyncSortOptions): K {
  const options = readCallOptions(given, SORT_NAMES);
  if (!sortAlone(keys, options)) serve({ operation: 'sort', keys }, options);
  return keys;
}

/**
 * Sorts `keys` and moves `values` with them, both in place, before it returns both. Stable in both
 * directions. `values` may be any typed array of the same length that does not overlap `keys`.
 *
 * ```ts
 * sortPairsSync(Uint32Array.of(2, 1, 2), Uint8Array.of(10, 20, 30));
 * // { keys: [1, 2, 2], values: [20, 10, 30] }
 * ```
 * Takes 16 bytes a pair as memory beside the arrays, or 32 if keys or values have 64 bits, and
 * keeps it until `releaseSync()`.
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
 * Returns the stable permutation that sorts `keys`: element i is the index of the key that belongs
 * at i. `keys` stays as it is. If you pass a list of columns of one length, rows are sorted by the
 * first column, ties by the second, and so on.
 *
 * ```ts
 * argsortSync(Float32Array.of(0.5, -1, 2)); // 1, 0, 2
 * argsortSync([Uint8Array.of(1, 0, 1), Int8Array.of(5, 7, -5)]); // 1, 2, 0
 * const indices = Uint32Array.of(2, 0);
 * argsortSync(Float32Array.of(0.5, -1, 2), { indices, out: indices }); // 0, 2
 * ```
 * Allocates 4 bytes a key for the result, unless all rows go into `out`, and with `indices` a copy
 * of the chosen keys. Takes 16 bytes a key as memory beside that, 32 for keys of 64 bits, and keeps
 * it until `releaseSync()`.
 * @throws as `sortSync`; RangeError for columns of different lengths, an index of no row, or an
 *   `out` that is too short; TypeError for an `out` that overlaps the keys.
 */
export function argsortSync(
  keys: Column | readonly Column[],
  given?: SyncArgsortOptions,
): OnArrayBuffer<Uint32Array> {
  const options = readCallOptions(given, ARGSORT_NAMES);
  let order = argsortAlone(keys, options);
  if (order !== undefined) return order as OnArrayBuffer<Uint32Array>;
  if (isTable(keys) || choosesRows(options)) {
    assertUnlocked(memoryOfRows(keys, options));
    order = isTable(keys)
      ? argsortTableAtOnce(keys, options, serveRequest, fieldKernels)
      : argsortIndexedAtOnce(keys, options, serveRequest);
  } else {
    order = serve({ operation: 'argsort', keys }, options);
  }
  return order as OnArrayBuffer<Uint32Array>;
}

/**
 * Gives back the memory that the synchronous functions keep, which is as much as their largest call
 * needed. The next call takes it again.
 */
export function releaseSync(): void {
  releaseMemory();
}

// Short arrays are sorted sooner than this code is compiled, so the import compiles it: half a
// millisecond. Keys in no order go the whole way.
sortSync(Float64Array.from({ length: 512 }, (_, i) => -(i & 1)));
