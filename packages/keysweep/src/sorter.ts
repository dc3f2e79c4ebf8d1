/** The public interface of a sorter: what sorts, and what controls it. */

import type {
  BackendName,
  KeyArray,
  KeyOf,
  OnArrayBuffer,
  Probe,
  SortOptions,
  TypedArray,
  ValueArray,
} from '@keysweep/core';
import type { CalibrateOptions } from './calibrate/calibrate.js';
import type { ArgsortOptions } from './call/check.js';
import type { PlanRequest } from './call/plan-request.js';
import type { Profile } from './plan/profile.js';
import type { Plan } from './plan/types.js';
import type { GatherOptions, SelectionOptions } from './selection/options.js';
import type { Column } from './table/column.js';
import type { PreparedColumn, PrepareOptions } from './table/prepared.js';
import type { RowBy, SortRowsOptions } from './table/row-columns.js';

/**
 * Sorting functions that share backends, threads, devices and memory. You get one from
 * `createSorter`; the package's own functions `sort`, `argsort` and so on share another.
 *
 * Every function that sorts
 * - takes any typed array, on an ordinary, shared or resizable buffer, at any byteOffset;
 * - uses ECMAScript's order: −0 before +0, and every NaN last. Descending is the exact reverse;
 * - keeps every bit pattern, NaN payloads included;
 * - leaves your arrays as they were if it rejects. There are two exceptions. If `onReport` throws,
 *   the arrays are sorted, because it is called after the result has been written. And if you
 *   detach or shrink an array while its result is being copied in, what is left of it may be
 *   written in part;
 * - waits for earlier calls on the same memory. `argsort` only reads, so it doesn't wait for
 *   another `argsort`;
 * - copies options, lists, segments and descriptions of columns when you call, so later changes to
 *   them don't count. Typed arrays are read, and so are the properties of `sortRows`'s rows, until
 *   the promise settles: leave them alone until then.
 *
 * They reject with
 * - a TypeError for a wrong type, a detached or resized array, or options that do not fit the keys;
 * - a RangeError for a length, offset or bit that is out of range;
 * - a BackendUnavailableError if you named a backend that cannot serve the request;
 * - a BackendFailedError if a backend broke and no other could take over;
 * - the reason of `options.signal` after an abort, a ClosedError after `close()`, and whatever a
 *   callback of yours throws.
 *
 * A radix sort takes O(n) for each digit, and as many digits as the range of the keys needs: at
 * most 4 for 32-bit keys. The runtime's own sort takes O(n log n). How much memory a call
 * takes beside your arrays depends on the backend: `cpu` about twice the keys and payloads,
 * `webgpu` the same on the GPU and some staging memory on the host, and the runtime's own sort none
 * for bare keys.
 */
export interface Sorter {
  /**
   * Sorts `keys` in place, and resolves to the same array. Stability does not matter here, because
   * equal keys cannot be told apart. NaNs with different bits can be, and their order among each
   * other is not defined.
   *
   * ```ts
   * await sorter.sort(new Float64Array([2, NaN, -0, 0])); // [-0, 0, 2, NaN]
   * await sorter.sort(new Uint8Array([3, 1, 2]), { order: 'descending' }); // [3, 2, 1]
   * const segments = new Uint32Array([0, 2]);
   * await sorter.sort(new Int16Array([9, 1, 3, 2]), { segments }); // [1, 9, 2, 3]
   * ```
   */
  sort<K extends KeyArray>(keys: K, options?: SortOptions): Promise<K>;

  /**
   * Sorts a copy of `keys`, and resolves to the copy, which has the same class and length and lies
   * on an ordinary ArrayBuffer. The copy is made when you call, so later changes to `keys` don't
   * count. Takes `keys.byteLength` more memory than `sort`.
   *
   * ```ts
   * await sorter.toSorted(new Int32Array([3, -1, 2])); // Int32Array [-1, 2, 3]
   * ```
   */
  toSorted<K extends KeyArray>(keys: K, options?: SortOptions): Promise<OnArrayBuffer<K>>;

  /**
   * Sorts `keys`, moves `values` with them, both in place, and resolves to both. `values` may be
   * any typed array of the same length that does not overlap `keys`. Stable in both directions:
   * pairs with equal keys keep their input order.
   *
   * ```ts
   * await sorter.sortPairs(new Uint32Array([2, 1, 2]), new Uint8Array([10, 20, 30]));
   * // { keys: [1, 2, 2], values: [20, 10, 30] }
   * ```
   */
  sortPairs<K extends KeyArray, V extends ValueArray>(
    keys: K,
    values: V,
    options?: SortOptions,
  ): Promise<{ keys: K; values: V }>;

  /**
   * The stable permutation that sorts `keys`: element i is the index of the key that belongs at i.
   * `keys` stays as it is. Equal keys keep their input order, in both directions. With `segments`
   * the indices still count from the start of the whole array. Allocates 4 bytes a key for the
   * result.
   *
   * ```ts
   * await sorter.argsort(new Float32Array([0.5, -1, 2])); // Uint32Array [1, 0, 2]
   * await sorter.argsort([new Uint8Array([1, 0, 1]), new Int8Array([5, 7, -5])]); // [1, 2, 0]
   * const indices = new Uint32Array([2, 0]);
   * await sorter.argsort(new Float32Array([0.5, -1, 2]), { indices }); // Uint32Array [0, 2]
   * ```
   *
   * You may pass a list of columns of one length. Rows are then sorted by the first column, ties by
   * the second, and so on. A column may also be an object that says its order, where nulls and NaNs
   * go, and whether zeros tie; its keys may be strings or binary values: see {@link ColumnOptions}.
   * Such columns do not go with `keyBits` and `approximate`. They take 4 or 8 bytes a row more for
   * numbers, and 20 to 30 for strings.
   *
   * ```ts
   * const delay = { keys: Int16Array.of(5, -2, 5), order: 'descending', nulls: 'last' } as const;
   * await sorter.argsort([delay, { keys: ['b', 'c', 'a'] }]); // Uint32Array [2, 0, 1]
   * ```
   *
   * With `indices`, the keys of the chosen rows are copied on the calling thread, without a pause,
   * and the backend sorts the copies. The report's length is the number of these rows.
   */
  argsort(
    keys: Column | readonly Column[],
    options?: ArgsortOptions,
  ): Promise<OnArrayBuffer<Uint32Array>>;

  /**
   * Sorts objects: resolves to a new array of the same rows. `by` is the name of a property, a
   * function of a row, an object `{ key, order, nulls, nans, collator }`, or a list of these, of
   * which each one decides between rows that tie in those before. Stable.
   *
   * ```ts
   * await sorter.sortRows(people, 'age');
   * await sorter.sortRows(people, [{ key: 'born', order: 'descending' }, (row) => row.name.last]);
   * ```
   *
   * A key's values are numbers, bigints of 64 bits, strings, booleans (false first) or dates, of
   * one kind in all rows; null and undefined are nulls, which come last. Each key is read once a
   * row, in order, on the calling thread, in slices of 5 ms. Takes what `columnsOf` and `argsort`
   * take, plus 16 bytes a row.
   * @throws as `argsort` and `columnsOf`; whatever a key function throws.
   */
  sortRows<T>(rows: readonly T[], by: RowBy<T>, options?: SortRowsOptions): Promise<T[]>;

  /**
   * The order that `sortRows` would give: element i is the index of the row that belongs at i.
   *
   * ```ts
   * await sorter.argsortRows([{ n: 2 }, { n: 1 }], 'n'); // Uint32Array [1, 0]
   * ```
   * @throws as `sortRows`.
   */
  argsortRows<T>(
    rows: readonly T[],
    by: RowBy<T>,
    options?: SortRowsOptions,
  ): Promise<OnArrayBuffer<Uint32Array>>;

  /**
   * The `k` largest keys and their indices, largest first, with NaNs before all others. With
   * `order: 'ascending'`, the `k` smallest. If keys tie, those that come first in `keys` are taken
   * first. If `k` is more than the length, you get all keys.
   *
   * ```ts
   * await sorter.topK(Float32Array.of(0.5, 2, -1, 2), 2); // { keys: [2, 2], indices: [1, 3] }
   * ```
   *
   * Takes O(n + k log k): a sample of the keys tells which keys are candidates, one read of all
   * keys finds them (by vectors of WebAssembly, for 2^15 keys or more), and only they are sorted.
   * All keys are sorted if there are fewer than 2^14, or if more than a quarter would be
   * candidates. Allocates the result, and 12 bytes a candidate.
   *
   * Columns, as `argsort` takes them, give you only indices, and take a sort of all rows. A column
   * without an order of its own is descending, unless you pass `order`.
   *
   * ```ts
   * await sorter.topK({ keys: ['b', 'c', 'a'] }, 2); // { indices: [1, 0] }
   * ```
   * @throws as `argsort`; TypeError or RangeError if `k` is not a whole number, 0 or more.
   */
  topK<K extends KeyArray>(
    keys: K,
    k: number,
    options?: SelectionOptions,
  ): Promise<{ keys: OnArrayBuffer<K>; indices: OnArrayBuffer<Uint32Array> }>;
  topK(
    columns: Column | readonly Column[],
    k: number,
    options?: SelectionOptions,
  ): Promise<{ indices: OnArrayBuffer<Uint32Array> }>;

  /**
   * The key that would be at place `k` if `keys` were sorted, counted from 0. For example, the
   * median of n keys is at `Math.floor(n / 2)`. `keys` stays as it is. Takes O(n), one read of all
   * keys and a sort of a few. All are sorted if there are fewer than 2^14, or if a sample of them
   * misleads.
   *
   * ```ts
   * await sorter.select(Uint8Array.of(5, 9, 1), 1); // 5
   * await sorter.select(Uint8Array.of(5, 9, 1), 0, { order: 'descending' }); // 9
   * ```
   * @throws as `toSorted`; RangeError if `k` is not a whole number below the length.
   */
  select<K extends KeyArray>(keys: K, k: number, options?: SelectionOptions): Promise<KeyOf<K>>;

  /**
   * Moves elements into an order: the result has `source[order[i]]` at i. With `stride` it moves
   * groups of that many elements, which begin at `order[i] * stride`. Resolves to a new array of
   * the class of `source`, or to `into`; for a list of arrays, to a list. O(n).
   *
   * ```ts
   * await sorter.gather(Float32Array.of(1, 2, 3, 4), Uint32Array.of(1, 0), { stride: 2 });
   * // 3, 4, 1, 2
   * const [x, y] = await sorter.gather([Int8Array.of(1, 2), Float64Array.of(0.5, 0)], order);
   * ```
   *
   * If there are threads over one memory, they move 2^18 rows or more, and take as much memory as
   * the order and twice the widest array. Otherwise the calling thread moves them, in slices of 5
   * ms.
   * @throws RangeError for an index beyond a source, or an `into` that is too short; TypeError for
   *   an `into` of another class, or one that overlaps what is read. Nothing has been written then.
   */
  gather<const T extends TypedArray | readonly TypedArray[]>(
    source: T,
    order: Uint32Array,
    options?: GatherOptions<T>,
  ): Promise<T>;

  /**
   * Reads a column once, so that later sorts by it take as long as sorts of small integers: strings
   * become ranks, and nulls, NaNs and zeros get their places. The result stands wherever a column
   * may, bare or as the `keys` of a description with an `order` and `nulls` of its own. It is plain
   * data, which `structuredClone` and `postMessage` copy, and later changes of the source are not
   * seen. If it is prepared without an `order`, each call says its own.
   *
   * ```ts
   * const collator = new Intl.Collator('de', { numeric: true });
   * const name = await sorter.prepare({ keys: ['b10', 'B9', 'ä'], collator });
   * await sorter.argsort(name); // 2, 1, 0
   * await sorter.argsort({ keys: name, order: 'descending' }); // 0, 1, 2
   * ```
   *
   * Sorts the column once, and allocates 2 or 4 bytes a row for the ranks.
   * @throws as `argsort`; TypeError for a list of columns.
   */
  prepare(column: Column, options?: PrepareOptions): Promise<PreparedColumn>;

  /**
   * Tells you what would serve a request, without data: the backends that would be tried, in order,
   * each with its reason and the expected milliseconds, and the backends that would be refused.
   * Starts and probes nothing.
   *
   * ```ts
   * const { steps } = sorter.plan({ keyType: 'u32', length: 1_000_000 });
   * steps[0]; // { backend: 'cpu', reason: '…', milliseconds: 23.9 }
   * ```
   * @throws TypeError for an unknown key type or operation; RangeError for a length that is not a
   *   whole number, 0 or more.
   */
  plan(request: PlanRequest): Plan;

  /**
   * Probes every backend, and resolves to what each found on this machine, or to why it cannot work
   * here. Never rejects.
   */
  capabilities(): Promise<Partial<Record<BackendName, Probe>>>;

  /**
   * Makes the first sort as fast as later ones: starts the backends that 'auto' prefers for arrays
   * of up to `maxLength` 32-bit keys (2^20 by default), takes memory for them, and runs their code
   * until the engine has compiled it. Takes about 0.2 s if threads are started.
   * @throws RangeError if `maxLength` is not a whole number, 0 or more; ClosedError; whatever a
   *   backend throws.
   */
  warmUp(maxLength?: number): Promise<void>;

  /**
   * Measures this machine, so that 'auto' chooses better on it: starts the backends that work here,
   * and times sorts of random keys for about `milliseconds`, 2000 by default. This sorter then
   * plans by the measured times. Resolves to a profile of plain JSON that you can keep for
   * `createSorter({ profile })`. Other work at the same time falsifies the measurement.
   * @throws RangeError if `milliseconds` is not a number above 0; ClosedError.
   */
  calibrate(options?: CalibrateOptions): Promise<Profile>;

  /**
   * The measured figures that this sorter plans by, as plain JSON. If nothing was measured, the
   * profile has no times.
   */
  profile(): Promise<Profile>;

  /**
   * Gives threads and pooled memory back, once running sorts are done. You can go on using the
   * sorter: the next sort takes them again. Rejects if a backend fails to, once all the others are
   * done.
   */
  release(): Promise<void>;

  /**
   * Gives threads, devices and memory back for good. Waiting calls and later ones reject with
   * ClosedError. You may call it more than once. Rejects if a backend does not end.
   */
  close(): Promise<void>;
}
