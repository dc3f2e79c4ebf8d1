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
import type { PlanRequest } from './plan/plan-request.js';
import type { Profile } from './plan/profile.js';
import type { Plan } from './plan/types.js';
import type { GatherOptions, SelectionOptions } from './selection/options.js';
import type { Column } from './table/column.js';

/**
 * Sorting functions that share backends, threads, devices and memory. Made by `createSorter`.
 *
 * The functions that sort:
 * - take every typed array, on ordinary, shared and resizable buffers, with any byteOffset;
 * - sort by ECMAScript's order: −0 before +0, every NaN last; descending is the exact reverse;
 * - keep every bit pattern: those in the result are those of the input;
 * - write to the caller's arrays only when the whole result is there. A call that rejects
 *   leaves them as they were; an error thrown by `onReport` is the exception, for it comes
 *   after the result;
 * - wait for earlier calls on the same memory. `argsort` does not wait for another `argsort`.
 *
 * They reject with TypeError for a wrong type, a detached or resized array, or options that do
 * not fit the keys; RangeError for a length, offset or bit out of range;
 * BackendUnavailableError where the backend that was named cannot serve the request;
 * BackendFailedError where a backend broke and no other could take over; the reason of
 * `options.signal`; ClosedError after `close()`; what a callback throws.
 *
 * Radix backends take O(n) per digit pass, and as many passes as the range of the keys needs:
 * at most 4 of 8 bits for 32-bit keys. The runtime's own sort takes O(n log n). Memory beside
 * the caller's arrays depends on the backend: about twice the keys and payloads on the CPU
 * (`cpu`), on the GPU and some staging memory on the host (`webgpu`), none for keys alone by
 * the runtime's own sort.
 */
export interface Sorter {
  /**
   * Sorts `keys` in place, and resolves to the same array. Equal keys cannot be told apart,
   * except NaNs of different bits, whose order among each other is not defined.
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
   * Sorts a copy of `keys`, and resolves to the copy: of the same class and length, on an
   * ordinary ArrayBuffer. Takes `keys.byteLength` more memory than `sort`. Changes to `keys`
   * after the call do not count.
   *
   * ```ts
   * await sorter.toSorted(new Int32Array([3, -1, 2])); // Int32Array [-1, 2, 3]
   * ```
   */
  toSorted<K extends KeyArray>(keys: K, options?: SortOptions): Promise<OnArrayBuffer<K>>;

  /**
   * Sorts `keys`, moves `values` with them, both in place, and resolves to both. `values` is
   * any typed array of the same length that does not overlap `keys`. Stable in both directions:
   * pairs of equal keys keep their input order.
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
   * The stable permutation that sorts `keys`: element i is the index of the key that belongs at
   * i. `keys` is not changed. Equal keys keep their input order, in both directions. With
   * `segments` the indices are into the whole array.
   *
   * A list of columns of one length is sorted by the first column, ties by the second, and so
   * on. Takes 4 bytes a key for the result.
   *
   * A column may be an object that says its order, where nulls and NaNs go, and whether zeros tie;
   * its keys may be strings or binary values: see {@link ColumnOptions}. Such columns are not for
   * `keyBits` and `approximate`. Numbers take 4 or 8 bytes a row more, strings 24.
   *
   * ```ts
   * const delay = { keys: Int16Array.of(5, -2, 5), order: 'descending', nulls: 'last' } as const;
   * await sorter.argsort([delay, { keys: ['b', 'c', 'a'] }]); // Uint32Array [2, 0, 1]
   * ```
   *
   * ```ts
   * await sorter.argsort(new Float32Array([0.5, -1, 2])); // Uint32Array [1, 0, 2]
   * await sorter.argsort([new Uint8Array([1, 0, 1]), new Int8Array([5, 7, -5])]); // [1, 2, 0]
   * const indices = new Uint32Array([2, 0]);
   * await sorter.argsort(new Float32Array([0.5, -1, 2]), { indices }); // Uint32Array [0, 2]
   * ```
   * `indices` copies keys on the calling thread, without a pause, and the backend gets the copies:
   * the report's length is theirs.
   */
  argsort(
    keys: Column | readonly Column[],
    options?: ArgsortOptions,
  ): Promise<OnArrayBuffer<Uint32Array>>;

  /**
   * The first `k` keys of the order and their indices, in that order: of ties those that come first
   * in `keys`. All of them where `k` is over the length. `order` is 'descending' by default, so the
   * largest ones come first, and NaNs before them.
   *
   * A sample of the keys tells which are candidates, in one read of all: O(n + k log k). Vectors of
   * WebAssembly compare from 2^15 keys on. Where more than a quarter would be candidates, or below
   * 2^14 keys, all are sorted. Allocates the result, and 12 bytes a candidate.
   *
   * ```ts
   * await sorter.topK(Float32Array.of(0.5, 2, -1, 2), 2); // { keys: [2, 2], indices: [1, 3] }
   * ```
   * @throws as `argsort`; TypeError, RangeError for a `k` that is no whole number from 0 on.
   */
  topK<K extends KeyArray>(
    keys: K,
    k: number,
    options?: SelectionOptions,
  ): Promise<{ keys: OnArrayBuffer<K>; indices: OnArrayBuffer<Uint32Array> }>;

  /**
   * The key at place `k` of the sorted order, counted from 0: the median of n keys is at
   * `Math.floor(n / 2)`. `keys` is not changed. O(n), in one read of all keys and a sort of a few;
   * below 2^14 keys, and where a sample of them misleads, all are sorted.
   *
   * ```ts
   * await sorter.select(Uint8Array.of(5, 9, 1), 1); // 5
   * await sorter.select(Uint8Array.of(5, 9, 1), 0, { order: 'descending' }); // 9
   * ```
   * @throws as `toSorted`; RangeError for a `k` that is no whole number below the length.
   */
  select<K extends KeyArray>(keys: K, k: number, options?: SelectionOptions): Promise<KeyOf<K>>;

  /**
   * Elements in an order: element `order[i]` of `source` at i, or with `stride` the elements
   * that belong together, `stride` of them from `order[i] * stride` on. Resolves to a new array
   * of the class of `source`, or to `into`. Of a list of arrays to a list. O(n).
   *
   * From 2^18 rows on threads move them, where there are some over one memory; they take as much
   * memory as the order, and the widest array twice. Otherwise the calling thread does, in slices
   * of 5 ms.
   *
   * ```ts
   * await sorter.gather(Float32Array.of(1, 2, 3, 4), Uint32Array.of(1, 0), { stride: 2 });
   * // 3, 4, 1, 2
   * const [x, y] = await sorter.gather([Int8Array.of(1, 2), Float64Array.of(0.5, 0)], order);
   * ```
   * @throws RangeError for an index beyond a source, or an `into` that is too short: nothing was
   *   written; TypeError for an `into` of another class, or one that overlaps what is read.
   */
  gather<const T extends TypedArray | readonly TypedArray[]>(
    source: T,
    order: Uint32Array,
    options?: GatherOptions<T>,
  ): Promise<T>;

  /**
   * The backends that would be tried for a request, in order, each with its reason and the
   * milliseconds expected; and those that would not be. Starts and probes nothing.
   *
   * ```ts
   * const { steps } = sorter.plan({ keyType: 'u32', length: 1_000_000 });
   * steps[0]; // { backend: 'cpu', reason: '…', milliseconds: 23.9 }
   * ```
   * @throws TypeError for an unknown key type or operation; RangeError for a length that is not
   *   a whole number from 0 on.
   */
  plan(request: PlanRequest): Plan;

  /**
   * Probes every backend, and resolves to what each found here, or why it cannot work. Never
   * rejects.
   */
  capabilities(): Promise<Partial<Record<BackendName, Probe>>>;

  /**
   * Starts the backends that 'auto' prefers for arrays of up to `maxLength` 32-bit keys, 2^20
   * by default, with memory for them, and runs their code until the engine has compiled it. The
   * first sort is then as fast as later ones. Takes about 0.2 s where threads are started.
   * @throws RangeError where `maxLength` is not a whole number from 0 on; ClosedError; what a
   *   backend throws.
   */
  warmUp(maxLength?: number): Promise<void>;

  /**
   * Starts the backends that work here, and times sorts of random keys for about `milliseconds`,
   * 2000 by default. From then on this sorter plans by what was measured. Resolves to a profile of
   * plain JSON, for `createSorter({ profile })`. Other work at the same time falsifies the times.
   * @throws RangeError where `milliseconds` is not a number above 0; ClosedError.
   */
  calibrate(options?: CalibrateOptions): Promise<Profile>;

  /**
   * The measured figures that the sorter plans by, as plain JSON; without times where none were
   * measured.
   */
  profile(): Promise<Profile>;

  /**
   * Gives threads and pooled memory back once running sorts are done. The sorter stays usable: the
   * next sort takes them again.
   */
  release(): Promise<void>;

  /**
   * Gives threads, devices and memory back. Waiting calls and later ones reject with ClosedError.
   * May be called more than once. Rejects where a backend does not end.
   */
  close(): Promise<void>;
}
