/**
 * keysweep: a drop-in sort for typed arrays.
 *
 * ```ts
 * import { sort } from 'keysweep';
 * await sort(new Float32Array([3, 1, NaN, -0, 0, 2])); // −0, 0, 1, 2, 3, NaN
 * ```
 *
 * The functions here share one sorter. Its idle threads do not keep the process alive. Its code is
 * loaded when an array comes that the runtime's own sort is too slow for, or when short sorts have
 * taken 5 ms in all. Use `createSorter` if you want a sorter that you can configure and close.
 */

import { TIMED_FROM } from '@keysweep/core';
import type { SorterOptions } from './create.js';
import { makeReading, type Reading } from './make-reading.js';
import { makeServing } from './make-serving.js';
import { A_KEY, isFew, KEYS_BELOW, LOADING, nanosecondsOf, roughMilliseconds } from './plan/few.js';
import type { Dispatcher } from './run/dispatcher.js';
import type { DispatcherSource } from './run/dispatcher-source.js';
import type { Sorter } from './sorter.js';

export type {
  Backend,
  BackendName,
  CallProgress,
  Capabilities,
  Fallback,
  KeyArray,
  KeyBits,
  KeyOf,
  KeyType,
  Milliseconds,
  OnArrayBuffer,
  Operation,
  Order,
  Passes,
  Phase,
  Probe,
  Progress,
  SortOptions,
  SortReport,
  SortWarning,
  ValueArray,
  WarningCode,
} from '@keysweep/core';
export { BackendFailedError, BackendUnavailableError, ClosedError } from '@keysweep/core';
export { builtin } from './builtin/builtin.js';
export type { CalibrateOptions } from './calibrate/calibrate.js';
export type { ArgsortOptions } from './call/check.js';
export type { PlanRequest } from './call/plan-request.js';
export type { RowOptions } from './call/row-options.js';
export type { SorterOptions } from './create.js';
export type { Engine, Kernels } from './machine/runtime.js';
export type { Times } from './plan/cost.js';
export type { BackendProfile, Profile, ProfileKey } from './plan/profile.js';
export type { Plan, PlanStep, ProfileNote, Refusal } from './plan/types.js';
export type { GatherOptions, SelectionOptions } from './selection/options.js';
export type { Sorter } from './sorter.js';
export type { BinaryColumn, Column, ColumnOptions, StringColumn } from './table/column.js';
export { columnsOf } from './table/columns-of.js';
export type { PreparedColumn, PrepareOptions } from './table/prepared.js';
export type { RowBy, RowColumn, RowKey, RowValue, SortRowsOptions } from './table/row-columns.js';

/**
 * Makes a sorter of your own. Its calls share threads, devices and memory, which `close()` gives
 * back. Starts nothing yet.
 *
 * No loss of speed is silent: `onWarning` is called once for each code. By default the warning goes
 * to `console.warn`.
 *
 * ```ts
 * const onWarning = ({ code, message }) => log(code, message); // 'no-threads', 'no thread could …'
 * const sorter = await createSorter({ timeout: 5000, onWarning });
 * await sorter.argsort(new Float32Array([0.5, -1, 2])); // Uint32Array [1, 0, 2]
 * await sorter.close();
 * ```
 * @throws TypeError for an unknown option, a list of something other than backends, or an
 *   `onWarning` that is not a function; RangeError if `timeout` is not a number above 0 and below
 *   2^31.
 */
export async function createSorter(options: SorterOptions = {}): Promise<Sorter> {
  const { createDispatcher, controlsOf } = await import('./create.js');
  const dispatcher = createDispatcher(options);
  const source: DispatcherSource = {
    assertOpen: () => dispatcher.assertOpen(),
    isForBuiltin: (shape) => dispatcher.builtinRule?.isForBuiltin(shape) === true,
    isBrief: (...bare) => dispatcher.isBrief(...bare),
    get: () => dispatcher,
    dispatcher,
  };
  const sorting = makeServing(source);
  const { argsortLocked: _, ...own } = sorting;
  return { ...own, ...makeReading(source, sorting), ...controlsOf(dispatcher) };
}

/** What runs work in a task of its own. */
type Later = { readonly [name in 'setImmediate' | 'setTimeout']?: (work: () => void) => unknown };

let loading: Promise<Dispatcher> | undefined;
let loaded: Dispatcher | undefined;

async function loadDispatcher(): Promise<Dispatcher> {
  try {
    loaded = (await import('./create.js')).createDispatcher({});
    return loaded;
  } catch (error) {
    // The next call tries again to load it.
    loading = undefined;
    throw error;
  }
}

/** Milliseconds of sorts after which the dispatcher is loaded beside other work. */
const LOADED_AFTER = 5;

/**
 * Milliseconds of sorts after which the next one waits for the dispatcher. A program that sorts
 * again and again may leave no time for it to be loaded.
 */
const AWAITED_AFTER = 30;

/** Milliseconds of sorts by the runtime's own sort, roughly, and at most. */
let sorted = 0;

/** Whether a sort of at most `most` milliseconds needs no dispatcher yet; if so, counts it. */
function isBeforeLoading(most: number): boolean {
  if (sorted + most >= LOADED_AFTER) return false;
  sorted += most;
  return true;
}

/**
 * Does work in a later task. A page's first message takes a tenth of a millisecond more than that.
 */
const later: ((work: () => void) => unknown) | undefined =
  (globalThis as Later).setImmediate ?? (globalThis as Later).setTimeout;

/**
 * Loads the dispatcher beside other work, and after a sort that waits for its turn meanwhile. What
 * fails then is told to a call that needs it.
 */
function loadSoon(): void {
  const load = (): void => {
    loading ??= loadDispatcher();
    loading.catch(() => {});
  };
  if (later) later(() => later(load));
  else load();
}

const sharedSource: DispatcherSource = {
  // Nobody can close it.
  assertOpen() {},
  isBrief(keys, keyType, length) {
    if (length < KEYS_BELOW) return true;
    if (loaded !== undefined) return loaded.isBrief(keys, keyType, length);
    // Few functions, because each of them takes a first call half a microsecond.
    const most = (length * A_KEY) / 1e6;
    return isBeforeLoading(most) || isBeforeLoading((length * nanosecondsOf(keyType)) / 1e6);
  },
  isForBuiltin(shape) {
    if (isFew(shape.operation, shape.length)) return true;
    if (loaded !== undefined) return loaded.builtinRule?.isForBuiltin(shape) === true;
    const milliseconds = roughMilliseconds(shape);
    if (isBeforeLoading(milliseconds)) return true;
    const isAwaited = sorted >= AWAITED_AFTER;
    sorted += milliseconds;
    loadSoon();
    return !isAwaited && milliseconds < LOADING;
  },
  get() {
    loading ??= loadDispatcher();
    return loaded ?? loading;
  },
  get dispatcher() {
    return loaded;
  },
};

const shared = makeServing(sharedSource);

// Short arrays are sorted sooner than this code is compiled, so the import compiles it: half a
// millisecond. It goes both ways to the runtime's own sort once, because the next call of code that
// has run eight times is slower again in V8; longer arrays also look at the clock. Node's first
// task takes a tenth of a millisecond.
void shared.sort(Float64Array.from({ length: 256 }, (_, i) => -(i & 1)));
void shared.sort(new Uint8Array(256), {});
void shared.sort(new Uint8Array(TIMED_FROM));
sorted = 0;
(globalThis as Later).setImmediate?.(() => {});

/**
 * Makes the first sort as fast as later ones: see {@link Sorter.warmUp}. Call it when the page is
 * idle, before a sort that somebody waits for.
 */
export const warmUp: Sorter['warmUp'] = async (maxLength) =>
  (await sharedSource.get()).warmUp(maxLength);

/**
 * Sorts a typed array in place, and resolves to it: see {@link Sorter.sort}.
 *
 * ```ts
 * await sort(new Float32Array([3, 1, NaN, -0, 0, 2])); // −0, 0, 1, 2, 3, NaN
 * ```
 * @throws TypeError, RangeError, and what {@link Sorter} lists.
 */
export const sort: Sorter['sort'] = shared.sort;

/** Sorts a copy of a typed array: see {@link Sorter.toSorted}. */
export const toSorted: Sorter['toSorted'] = shared.toSorted;

/**
 * Sorts keys in place and moves values with them, stably: see {@link Sorter.sortPairs}.
 *
 * ```ts
 * await sortPairs(Uint8Array.of(3, 1, 2), Uint32Array.of(30, 10, 20)); // 1, 2, 3 and 10, 20, 30
 * ```
 * @throws TypeError, RangeError, and what {@link Sorter} lists.
 */
export const sortPairs: Sorter['sortPairs'] = shared.sortPairs;

/**
 * The stable permutation that sorts keys or columns: see {@link Sorter.argsort}.
 *
 * ```ts
 * await argsort(new Float32Array([2.5, -1, 0])); // Uint32Array [1, 2, 0]
 * ```
 * @throws TypeError, RangeError, and what {@link Sorter} lists.
 */
export const argsort: Sorter['argsort'] = shared.argsort;

let read: Reading | undefined;

/** The functions that read; a page that uses none of them does not download them. */
function reading(): Reading {
  read ??= makeReading(sharedSource, shared);
  return read;
}

/** Sorts objects by one or more keys: see {@link Sorter.sortRows}. */
export const sortRows: Sorter['sortRows'] = (...given: [never, never, never?]) =>
  reading().sortRows(...given) as never;

/** The order of objects by one or more keys: see {@link Sorter.argsortRows}. */
export const argsortRows: Sorter['argsortRows'] = (...given: [never, never, never?]) =>
  reading().argsortRows(...given) as never;

/** The largest or smallest keys, and their indices: see {@link Sorter.topK}. */
export const topK: Sorter['topK'] = (...given: [never, never, never?]) =>
  reading().topK(...given) as never;

/** The key that sorting would put at a place: see {@link Sorter.select}. */
export const select: Sorter['select'] = (...given: [never, never, never?]) =>
  reading().select(...given) as never;

/** Moves elements into an order: see {@link Sorter.gather}. */
export const gather: Sorter['gather'] = (...given: [never, never, never?]) =>
  reading().gather(...given) as never;

/** Reads a column once, for any number of sorts: see {@link Sorter.prepare}. */
export const prepare: Sorter['prepare'] = (...given) => reading().prepare(...given);
