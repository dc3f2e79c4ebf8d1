/**
 * keysweep: a drop-in sort for typed arrays.
 *
 * ```ts
 * import { sort } from 'keysweep';
 * await sort(new Float32Array([3, 1, NaN, -0, 0, 2])); // −0, 0, 1, 2, 3, NaN
 * ```
 *
 * The functions here share one sorter that is made at the first call and whose idle threads do not
 * keep the process alive. `createSorter` makes one that can be closed.
 */

import type { Backend } from '@keysweep/core';
import { defaultBackends } from './backends.js';
import { describe } from './describe.js';
import { makeSorter, type Sorter } from './sorter.js';

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
export { builtin } from './builtin.js';
export type { Plan, PlanRequest, PlanStep } from './plan.js';
export type { Sorter } from './sorter.js';

/** Options of `createSorter`. */
export interface SorterOptions {
  /** The backends to choose from, preferred ones first. Default: all that this version has. */
  backends?: readonly Backend[];
}

/**
 * A sorter of its own: its threads and memory are shared by its calls and given back by `close()`.
 * Starts nothing.
 * @throws TypeError for unknown options or a list that does not hold backends.
 */
export async function createSorter(options: SorterOptions = {}): Promise<Sorter> {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`options must be an object { backends }, got ${describe(options)}`);
  }
  for (const name in options) {
    if (name !== 'backends')
      throw new TypeError(`createSorter has no option '${name}', only backends`);
  }
  const { backends = defaultBackends() } = options;
  if (!Array.isArray(backends) || backends.length === 0) {
    throw new TypeError(
      `backends must be a list of at least one backend, got ${describe(backends)}`,
    );
  }
  for (const backend of backends) {
    if (typeof backend?.sort === 'function' && typeof backend.probe === 'function') continue;
    throw new TypeError(
      `backends must hold backends, as cpu() and builtin() make them, got ${describe(backend)}`,
    );
  }
  return makeSorter(backends);
}

let shared: Sorter | undefined;

function sharedSorter(): Sorter {
  shared ??= makeSorter(defaultBackends());
  return shared;
}

/** Sorts a typed array in place: see {@link Sorter.sort}. */
export const sort: Sorter['sort'] = (keys, options) => sharedSorter().sort(keys, options);

/** Sorts into a new array: see {@link Sorter.toSorted}. */
export const toSorted: Sorter['toSorted'] = (keys, options) =>
  sharedSorter().toSorted(keys, options);

/** Sorts keys and moves values along: see {@link Sorter.sortPairs}. */
export const sortPairs: Sorter['sortPairs'] = (keys, values, options) =>
  sharedSorter().sortPairs(keys, values, options);

/** The stable permutation that sorts keys: see {@link Sorter.argsort}. */
export const argsort: Sorter['argsort'] = (keys, options) => sharedSorter().argsort(keys, options);
