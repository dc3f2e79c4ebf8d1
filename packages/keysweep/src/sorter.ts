/** What callers hold: the sorting functions, and all else that a sorter does. */

import type { BackendName, KeyArray, Probe, SortOptions, ValueArray } from '@keysweep/core';
import type { CalibrateOptions } from './plan/calibrate.js';
import type { PlanRequest } from './plan/plan-request.js';
import type { Profile } from './plan/profile.js';
import type { Plan } from './plan/types.js';

/** Sorting functions that share backends, threads and memory. Made by `createSorter`. */
export interface Sorter {
  /**
   * Sorts `keys` in place and resolves to the same array.
   *
   * Order is ECMAScript's: −0 before +0, NaNs last (descending: the reverse). No bit pattern is
   * lost. O(n) digit passes where a radix backend serves it.
   * @throws TypeError, RangeError for bad arguments; BackendUnavailableError for a named backend
   *   that can't; the signal's reason on abort; ClosedError. `keys` is then as it was.
   */
  sort<K extends KeyArray>(keys: K, options?: SortOptions): Promise<K>;
  /** Like `sort`, into a new array on an ordinary ArrayBuffer; `keys` is not touched. */
  toSorted<K extends KeyArray>(keys: K, options?: SortOptions): Promise<K>;
  /** Sorts `keys` and moves `values` along, both in place. Stable in both directions. */
  sortPairs<K extends KeyArray, V extends ValueArray>(
    keys: K,
    values: V,
    options?: SortOptions,
  ): Promise<{ keys: K; values: V }>;
  /**
   * The stable permutation that sorts `keys`: element i is the index of the key that belongs at i.
   * Several columns of one length are sorted by the first, ties by the next, and so on.
   */
  argsort(keys: KeyArray | readonly KeyArray[], options?: SortOptions): Promise<Uint32Array>;
  /**
   * The backends that a request would be given to, in order, each with its reason. Starts nothing.
   */
  plan(request: PlanRequest): Plan;
  /** Probes every backend: what it found on this machine, or why it can't work here. */
  capabilities(): Promise<Partial<Record<BackendName, Probe>>>;
  /**
   * Starts threads now, and a GPU where it pays for arrays of up to `maxLength` 32-bit keys (default
   * 2^20), takes memory for them, and has the CPU's threads sort some keys of its own, until engines have compiled what they run:
   * so the first sort is as fast as the later ones. Takes some 0.2 s where threads are started.
   */
  warmUp(maxLength?: number): Promise<void>;
  /**
   * Starts the backends that work here and measures them for at most `milliseconds`, 2000 by default; from then on the sorter
   * goes by what it found. The profile is plain JSON, for `createSorter({ profile })`. To be called while nothing
   * else is sorted.
   */
  calibrate(options?: CalibrateOptions): Promise<Profile>;
  /** What the sorter goes by now: what was measured, if anything was. */
  profile(): Promise<Profile>;
  /** Gives pooled memory back; the sorter stays usable. */
  release(): Promise<void>;
  /** Gives threads, devices and memory back. Later calls reject with ClosedError. */
  close(): Promise<void>;
}
