/**
 * keysweep/sorted: searches, merges, unique keys, ranks, quantiles and groups. Each function has
 * two forms: one resolves to its result, uses keysweep's threads or GPU and pauses for a page; the
 * other, called `…Sync`, returns its result at once.
 *
 * ```ts
 * import { groupBy, searchSortedSync } from 'keysweep/sorted';
 * searchSortedSync(Float64Array.of(1, 2, 4), Float64Array.of(3, 2)); // Uint32Array [2, 1]
 * await groupBy(Uint8Array.of(7, 5, 7)); // { order: [1, 0, 2], starts: [0, 1, 3] }
 * ```
 *
 * Keys are ordered as by `sort`: −0 before +0, and every NaN last; NaNs tie. Inputs are only read.
 * The asynchronous forms copy them when you call, so later changes don't count, and take `backend`,
 * `signal`, `onProgress` and `onReport` as `sort` does. The synchronous forms sort in plain
 * TypeScript, on the calling thread. If you pass an array that is not sorted where a sorted one is
 * needed, the call ends with a result that means nothing.
 */

import {
  type KeyArray,
  type KeyType,
  keyTypeOf,
  lengthOf,
  type OnArrayBuffer,
} from '@keysweep/core';
import { assertUnlocked } from './call/memory-locks.js';
import {
  checkGroups,
  checkMerge,
  checkMergeOrder,
  checkQuantiles,
  checkRank,
  checkSearch,
  checkUnique,
  type OrderOptions,
  type QuantileOptions,
  type RankOptions,
  type SearchOptions,
  type SortedCall,
  type UniqueOptions,
} from './sorted/check.js';
import type { Groups } from './sorted/group-by.js';
import type { Quantiles } from './sorted/quantiles.js';
import type { Ties } from './sorted/rank.js';
import { type Controls, runAsync, runSync } from './sorted/run.js';
import type { Unique } from './sorted/unique.js';
import type { Column } from './table/column.js';

export type { KeyArray, Order } from '@keysweep/core';
export type {
  OrderOptions,
  QuantileOptions,
  RankOptions,
  SearchOptions,
  UniqueOptions,
} from './sorted/check.js';
export type { Groups } from './sorted/group-by.js';
export type { QuantileMethod, Quantiles } from './sorted/quantiles.js';
export type { Ties } from './sorted/rank.js';
export type { Controls } from './sorted/run.js';
export type { Unique } from './sorted/unique.js';
export type { BinaryColumn, Column, ColumnOptions, StringColumn } from './table/column.js';

/** Serves a call at once. */
function serveSync<T>({ steps, inputs }: SortedCall<T>): T {
  assertUnlocked({ request: { shape: { operation: 'argsort' }, columns: inputs } });
  return runSync(steps);
}

/** Serves a call with pauses. */
function serve<T>({ steps, inputs, controls }: SortedCall<T>): Promise<T> {
  const keyTypes = inputs.map((keys) => keyTypeOf(keys) as KeyType).slice(0, 1);
  const length = Math.max(0, ...inputs.map(lengthOf));
  const shape = { keyTypes: keyTypes.length > 0 ? keyTypes : (['u8'] as const), length };
  return runAsync(steps, controls, shape, () => import('./index.js'));
}

/**
 * Where each value would go in a sorted array: before the keys that it ties with, or after them
 * with `side: 'right'`. `sorted` and `values` are of one type; `order` says how `sorted` is sorted.
 *
 * ```ts
 * await searchSorted(Uint16Array.of(2, 4, 4, 9), Uint16Array.of(4, 5)); // Uint32Array [1, 3]
 * await searchSorted(Uint16Array.of(2, 4, 4, 9), Uint16Array.of(4), { side: 'right' }); // [3]
 * ```
 *
 * O(n + v) for v values among n keys, and O(n + v log n) if the keys cluster tightly; fewer than
 * one value for 64 keys take O(v log n). Allocates the result, 8 bytes for each key and up to 16
 * for each value; if most keys tie, another 12 for each key; and for 64-bit integers, another 8 for
 * each key and each value.
 * @throws TypeError for arrays of two types, or an option that is not known.
 */
export async function searchSorted<K extends KeyArray>(
  sorted: K,
  values: K,
  options?: SearchOptions & Controls,
): Promise<OnArrayBuffer<Uint32Array>> {
  return serve(checkSearch(sorted, values, options, false));
}

/** Does what {@link searchSorted} does, and returns the places at once. */
export function searchSortedSync<K extends KeyArray>(
  sorted: K,
  values: K,
  options?: SearchOptions,
): OnArrayBuffer<Uint32Array> {
  return serveSync(checkSearch(sorted, values, options, true));
}

/**
 * One new array of all keys of several sorted arrays of one type, in order. Keys that tie come in
 * the order of their arrays.
 *
 * ```ts
 * await merge([Int8Array.of(1, 5), Int8Array.of(2, 3)]); // Int8Array [1, 2, 3, 5]
 * ```
 *
 * O(n log k) for n keys in k arrays. Allocates 16 to 28 bytes a key.
 * @throws TypeError for an empty list, or arrays of several types.
 */
export async function merge<K extends KeyArray>(
  arrays: readonly K[],
  options?: OrderOptions & Controls,
): Promise<OnArrayBuffer<K>> {
  return serve(checkMerge(arrays, options, false));
}

/** Does what {@link merge} does, and returns the array at once. */
export function mergeSync<K extends KeyArray>(
  arrays: readonly K[],
  options?: OrderOptions,
): OnArrayBuffer<K> {
  return serveSync(checkMerge(arrays, options, true));
}

/**
 * The order that merges several sorted arrays. Element i is the place of the key that belongs at i,
 * counted through all arrays one after the other. Use it to merge values that belong to the keys.
 *
 * ```ts
 * await mergeOrder([Int8Array.of(1, 5), Int8Array.of(2, 3)]); // Uint32Array [0, 2, 3, 1]
 * ```
 * Costs as much as `merge`, and throws the same errors.
 */
export async function mergeOrder<K extends KeyArray>(
  arrays: readonly K[],
  options?: OrderOptions & Controls,
): Promise<OnArrayBuffer<Uint32Array>> {
  return serve(checkMergeOrder(arrays, options, false));
}

/** Does what {@link mergeOrder} does, and returns the order at once. */
export function mergeOrderSync<K extends KeyArray>(
  arrays: readonly K[],
  options?: OrderOptions,
): OnArrayBuffer<Uint32Array> {
  return serveSync(checkMergeOrder(arrays, options, true));
}

/**
 * The different keys of an array, in order. The array itself need not be sorted. −0 and +0 are two
 * keys. All NaNs are one, with the bits of the first. With `counts` you also get how often each key
 * is there, and with `indices` where it is first.
 *
 * ```ts
 * await unique(Uint8Array.of(7, 5, 7), { counts: true, indices: true });
 * // { keys: [5, 7], counts: [1, 2], indices: [1, 0] }
 * ```
 *
 * Takes a sort of the keys, or an argsort if you want indices.
 * @throws as `toSorted`.
 */
export async function unique<K extends KeyArray>(
  keys: K,
  options?: UniqueOptions & Controls,
): Promise<Unique<K>> {
  return serve(checkUnique(keys, options, false));
}

/** Does what {@link unique} does, and returns the keys at once. */
export function uniqueSync<K extends KeyArray>(keys: K, options?: UniqueOptions): Unique<K> {
  return serveSync(checkUnique(keys, options, true));
}

/** The array of ranks: doubles for averages. */
type Ranks<T extends Ties> = OnArrayBuffer<T extends 'average' ? Float64Array : Uint32Array>;

/**
 * The rank of each key, counted from 0. Keys that tie have the same rank, unless `ties` is
 * 'ordinal': see {@link RankOptions}.
 *
 * ```ts
 * await rank(Float32Array.of(3, 1, 3)); // Uint32Array [1, 0, 1]
 * await rank(Float32Array.of(3, 1, 3), { ties: 'average' }); // Float64Array [1.5, 0, 1.5]
 * ```
 *
 * Takes an argsort of the keys, and one more pass.
 * @throws as `argsort`.
 */
export async function rank<const T extends Ties = 'min'>(
  keys: KeyArray,
  options?: RankOptions & { ties?: T } & Controls,
): Promise<Ranks<T>> {
  return serve(checkRank(keys, options, false)) as Promise<Ranks<T>>;
}

/** Does what {@link rank} does, and returns the ranks at once. */
export function rankSync<const T extends Ties = 'min'>(
  keys: KeyArray,
  options?: RankOptions & { ties?: T },
): Ranks<T> {
  return serveSync(checkRank(keys, options, true)) as Ranks<T>;
}

/**
 * The quantiles of keys at fractions from 0 to 1: 0.5 is the median. NaNs are left out; if there is
 * no other key, quantiles are NaN. For 64-bit integers name a `method` other than 'linear', and you
 * get an array of their own type.
 *
 * ```ts
 * await quantiles(Uint8Array.of(1, 2, 4), [0.25, 0.5]); // Float64Array [1.5, 2]
 * ```
 *
 * O(n): only the keys about each quantile are sorted. Takes a sort of a copy if these are more than
 * a quarter of all, as where half of the keys are equal; for fewer than 4096 keys and 64-bit
 * integers; and, asynchronously, for more than 2^20 keys of up to 32 bits, which threads sort as
 * soon. The methods are those of `numpy.quantile`; between infinities, IEEE arithmetic gives NaN,
 * as there.
 * @throws TypeError if `fractions` are no numbers, and for 'linear' with 64-bit integers;
 *   RangeError for a fraction that is not from 0 to 1, and without any 64-bit key.
 */
export async function quantiles<K extends KeyArray>(
  keys: K,
  fractions: ArrayLike<number>,
  options?: QuantileOptions & Controls,
): Promise<Quantiles<K>> {
  return serve(checkQuantiles(keys, fractions, options, false));
}

/** Does what {@link quantiles} does, and returns them at once. */
export function quantilesSync<K extends KeyArray>(
  keys: K,
  fractions: ArrayLike<number>,
  options?: QuantileOptions,
): Quantiles<K> {
  return serveSync(checkQuantiles(keys, fractions, options, true));
}

/**
 * Orders rows by a column or several, and says where each group of rows that tie begins: group g is
 * `order.subarray(starts[g], starts[g + 1])`, in input order. Takes the columns of `argsort`.
 *
 * ```ts
 * const { order, starts } = await groupBy({ keys: ['b', 'a', 'b'] });
 * // order: [1, 0, 2], starts: [0, 1, 3]
 * ```
 *
 * Takes an argsort, and one more pass. Allocates the result, and 5 to 9 bytes a row.
 * @throws as `argsort`.
 */
export async function groupBy(
  columns: Column | readonly Column[],
  options?: OrderOptions & Controls,
): Promise<Groups> {
  return serve(checkGroups(columns, options, false));
}

/** Does what {@link groupBy} does, and returns the groups at once. */
export function groupBySync(columns: Column | readonly Column[], options?: OrderOptions): Groups {
  return serveSync(checkGroups(columns, options, true));
}
