/**
 * keysweep: a drop-in sort for typed arrays.
 *
 * ```ts
 * import { sort } from 'keysweep';
 * await sort(new Float32Array([3, 1, NaN, -0, 0, 2])); // −0, 0, 1, 2, 3, NaN
 * ```
 *
 * The functions here share one sorter whose idle threads do not keep the process alive. It is loaded
 * and made for the first array that the runtime's own sort is not the best for. `createSorter` makes one that
 * can be closed.
 */

import { validate } from './request/check.js';
import { withMemoryLock } from './request/memory-locks.js';
import type { SorterOptions } from './run/create.js';
import type { Dispatcher } from './run/dispatcher.js';
import { areFew, isQuick, sortQuickly } from './run/quick.js';
import { type Sorter, sortingBy } from './sorter.js';

export type {
  Backend,
  BackendName,
  Capabilities,
  Fallback,
  KeyArray,
  KeyBits,
  KeyType,
  Milliseconds,
  Operation,
  Order,
  Passes,
  Phase,
  Probe,
  Progress,
  SortOptions,
  SortReport,
  ValueArray,
} from '@keysweep/core';
export { BackendFailedError, BackendUnavailableError, ClosedError } from '@keysweep/core';
export type { CalibrateOptions } from './plan/calibrate.js';
export type { Times } from './plan/cost.js';
export type { Plan, PlanRequest, PlanStep, ProfileNote, Refusal } from './plan/plan.js';
export type { BackendProfile, Profile, ProfileKey } from './plan/profile.js';
export { builtin } from './run/builtin.js';
export type { SorterOptions } from './run/create.js';
export type { Sorter } from './sorter.js';

/**
 * A sorter of its own: its threads and memory are shared by its calls and given back by `close()`.
 * Starts nothing.
 * @throws TypeError for unknown options or a list that does not hold backends; RangeError for a time
 *   that is none.
 */
export async function createSorter(options: SorterOptions = {}): Promise<Sorter> {
  const { create } = await import('./run/create.js');
  return create(options);
}

let shared: Promise<Dispatcher> | undefined;
/** The dispatcher, once it is there. */
let present: Dispatcher | undefined;

async function makeShared(): Promise<Dispatcher> {
  try {
    present = (await import('./run/create.js')).createDefault();
    return present;
  } catch (error) {
    // The next call tries again to load it.
    shared = undefined;
    throw error;
  }
}

const sharing = sortingBy(
  async (args, options) => {
    const call = validate(args, options);
    const start = performance.now();
    return withMemoryLock(call.request, async () => {
      if (isQuick(call)) return sortQuickly(call);
      shared ??= makeShared();
      return (await shared).dispatch(call, start);
    });
  },
  (keys, keyType) => areFew(keys) || present?.isOwn(keys, keyType) === true,
);

/** Sorts a typed array in place: see {@link Sorter.sort}. */
export const sort: Sorter['sort'] = sharing.sort;

/** Sorts into a new array: see {@link Sorter.toSorted}. */
export const toSorted: Sorter['toSorted'] = sharing.toSorted;

/** Sorts keys and moves values along: see {@link Sorter.sortPairs}. */
export const sortPairs: Sorter['sortPairs'] = sharing.sortPairs;

/** The stable permutation that sorts keys: see {@link Sorter.argsort}. */
export const argsort: Sorter['argsort'] = sharing.argsort;
