/**
 * keysweep: a drop-in sort for typed arrays.
 *
 * ```ts
 * import { sort } from 'keysweep';
 * await sort(new Float32Array([3, 1, NaN, -0, 0, 2])); // −0, 0, 1, 2, 3, NaN
 * ```
 *
 * The functions here share one sorter, whose idle threads do not keep the process alive. It is
 * loaded for the first array that the runtime's own sort is not the best for. `createSorter`
 * makes one that can be closed.
 */

import {
  bufferOf,
  copyOf,
  isTurnDue,
  type KeyArray,
  keyTypeOf,
  lengthOf,
  nextTurn,
  noteSorted,
  type OnArrayBuffer,
  plainShape,
  type RequestShape,
  readClock,
  type SortOptions,
  TIMED_FROM,
} from '@keysweep/core';
import { isFew } from './plan/few.js';
import {
  type ArgsortOptions,
  type Call,
  checkArray,
  checkCall,
  checkOrder,
  choosesRows,
  isOrderAlone,
  isTable,
  memoryOfRows,
  ROW_NAMES,
  readCallOptions,
  SORT_NAMES,
} from './request/check.js';
import { isUnlocked, withMemoryLock } from './request/memory-locks.js';
import { builtin } from './run/builtin.js';
import { sortInOrder } from './run/builtin-keys.js';
import type { SorterOptions } from './run/create.js';
import type { Dispatcher } from './run/dispatcher.js';
import type { Sorter } from './sorter.js';

export type {
  Backend,
  BackendName,
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
export type { Engine, Kernels } from './machine/runtime.js';
export type { CalibrateOptions } from './plan/calibrate.js';
export type { Times } from './plan/cost.js';
export type { PlanRequest } from './plan/plan-request.js';
export type { BackendProfile, Profile, ProfileKey } from './plan/profile.js';
export type { Plan, PlanStep, ProfileNote, Refusal } from './plan/types.js';
export type { ArgsortOptions } from './request/check.js';
export type { RowOptions } from './request/row-options.js';
export { builtin } from './run/builtin.js';
export type { SorterOptions } from './run/create.js';
export type { GatherOptions, SelectionOptions } from './selection/options.js';
export type { Sorter } from './sorter.js';
export type { BinaryColumn, Column, ColumnOptions, StringColumn } from './table/column.js';

/** Where the sorting functions of one sorter find what serves their requests. */
interface DispatcherSource {
  /** Whether a request is left to the runtime's own sort at once. To be called once a request. */
  isForBuiltin(shape: RequestShape): boolean;
  get(): Dispatcher | Promise<Dispatcher>;
}

type SortFunctions = Pick<Sorter, 'sort' | 'toSorted' | 'sortPairs' | 'argsort'>;

const ARGSORT_NAMES = [...SORT_NAMES, ...ROW_NAMES];

const ownSort = builtin();

function sortFunctions(source: DispatcherSource): SortFunctions {
  /** Serves a checked call: locks its memory, then sorts at once or by the dispatcher. */
  async function run(call: Call): Promise<Uint32Array | undefined> {
    const start = readClock();
    const { request, backend, onReport } = call;
    const isSilent = onReport === undefined && request.onProgress === undefined;
    return withMemoryLock(call, async () => {
      const { shape } = request;
      if (isSilent && backend === 'auto' && source.isForBuiltin(shape)) {
        // As with every backend, the caller may abort, detach or resize until the sort begins.
        await undefined;
        while (isTurnDue(shape.length)) await nextTurn();
        const sorting = ownSort.sort(request);
        noteSorted(shape.length);
        return (await sorting).permutation;
      }
      return (await source.get()).run(call, start);
    });
  }

  /** Serves an argsort of chosen rows or described columns, while their memory is locked. */
  async function runRows(keys: unknown, options: ArgsortOptions): Promise<Uint32Array> {
    const start = readClock();
    return withMemoryLock(memoryOfRows(keys, options), async () => {
      const argsort = isTable(keys)
        ? (await import('./table/argsort-table.js')).argsortTable
        : (await import('./request/rows.js')).argsortRows;
      return argsort(keys, options, await source.get(), start);
    });
  }

  /**
   * Sorts keys at once, where that can be: nothing but an order was given, no other call uses their
   * buffer, the runtime's own sort is the best, and is short where the event loop is due a turn.
   * All else that a call does would take longer than that sort.
   */
  function sortAtOnce(keys: KeyArray, options: SortOptions): boolean {
    const keyType = keyTypeOf(keys);
    if (keyType === undefined || !isOrderAlone(options)) return false;
    // An empty array may be one that was detached: that is for the checks.
    const length = lengthOf(keys);
    if (length === 0 || !isUnlocked(bufferOf(keys))) return false;
    if (length >= TIMED_FROM && isTurnDue(length)) return false;
    const order = checkOrder(options.order);
    if (!source.isForBuiltin(plainShape('sort', keyType, length))) return false;
    sortInOrder(keys, order);
    noteSorted(length);
    return true;
  }

  /** Sorts keys at once or as any call; resolves to them. */
  async function sortKeys<K extends KeyArray>(keys: K, given: unknown): Promise<K> {
    const options = readCallOptions(given, SORT_NAMES);
    if (!sortAtOnce(keys, options)) {
      await run(checkCall({ operation: 'sort', keys }, options));
      return keys;
    }
    // A short sort comes before the turn that it may owe.
    const length = lengthOf(keys);
    if (length < TIMED_FROM && isTurnDue(length)) await nextTurn();
    return keys;
  }

  return {
    sort: sortKeys,
    async toSorted(keys, options) {
      return sortKeys(copyOf(checkArray('keys', keys)) as OnArrayBuffer<typeof keys>, options);
    },
    async sortPairs(keys, values, given) {
      const options = readCallOptions(given, SORT_NAMES);
      await run(checkCall({ operation: 'sortPairs', keys, values }, options));
      return { keys, values };
    },
    async argsort(keys, given) {
      const options = readCallOptions(given, ARGSORT_NAMES);
      const order =
        isTable(keys) || choosesRows(options)
          ? runRows(keys, options)
          : run(checkCall({ operation: 'argsort', keys }, options));
      return (await order) as OnArrayBuffer<Uint32Array>;
    },
  };
}

/**
 * Makes a sorter of its own. Its calls share threads, devices and memory, which `close()` gives
 * back. Starts nothing.
 *
 * No loss of speed is silent: `onWarning` is told once of each code, and `console.warn` by default.
 *
 * ```ts
 * const onWarning = ({ code, message }) => log(code, message); // 'no-threads', 'no thread could …'
 * const sorter = await createSorter({ timeout: 5000, onWarning });
 * await sorter.argsort(new Float32Array([0.5, -1, 2])); // Uint32Array [1, 0, 2]
 * await sorter.close();
 * ```
 * @throws TypeError for an unknown option, a list that does not hold backends, or an `onWarning`
 *   that is no function; RangeError for a `timeout` that is not a number above 0 and below 2^31.
 */
export async function createSorter(options: SorterOptions = {}): Promise<Sorter> {
  const { createDispatcher, controlsOf } = await import('./run/create.js');
  const dispatcher = createDispatcher(options);
  const source: DispatcherSource = {
    isForBuiltin: (shape) => dispatcher.isForBuiltin(shape),
    get: () => dispatcher,
  };
  const sorting = sortFunctions(source);
  return { ...sorting, ...controlsOf(dispatcher, sorting) };
}

let loading: Promise<Dispatcher> | undefined;
let loaded: Dispatcher | undefined;

async function loadDispatcher(): Promise<Dispatcher> {
  try {
    loaded = (await import('./run/create.js')).createDispatcher({});
    return loaded;
  } catch (error) {
    // The next call tries again to load it.
    loading = undefined;
    throw error;
  }
}

const sharedSource: DispatcherSource = {
  isForBuiltin(shape) {
    return isFew(shape.operation, shape.length) || loaded?.isForBuiltin(shape) === true;
  },
  get() {
    loading ??= loadDispatcher();
    return loaded ?? loading;
  },
};

const shared = sortFunctions(sharedSource);

/** Sorts a typed array in place: see {@link Sorter.sort}. */
export const sort: Sorter['sort'] = shared.sort;

/** Sorts a copy of a typed array: see {@link Sorter.toSorted}. */
export const toSorted: Sorter['toSorted'] = shared.toSorted;

/** Sorts keys and moves values with them: see {@link Sorter.sortPairs}. */
export const sortPairs: Sorter['sortPairs'] = shared.sortPairs;

/** The stable permutation that sorts keys: see {@link Sorter.argsort}. */
export const argsort: Sorter['argsort'] = shared.argsort;

/** What `topK` and `select` are served by. */
const selecting = { ...shared, keyFinder: async () => (await sharedSource.get()).keyFinder() };

/** The first keys of an order, and their indices: see {@link Sorter.topK}. */
export const topK: Sorter['topK'] = async (keys, k, options) => {
  const { topK } = await import('./selection/selection.js');
  return topK(selecting, keys, k, options);
};

/** The key at a place of the sorted order: see {@link Sorter.select}. */
export const select: Sorter['select'] = async (keys, k, options) => {
  const { select } = await import('./selection/selection.js');
  return select(selecting, keys, k, options);
};

/** Elements in an order: see {@link Sorter.gather}. */
export const gather: Sorter['gather'] = async (source, order, options) => {
  const { gather } = await import('./selection/gather.js');
  return gather(
    async (request) => (await sharedSource.get()).gather(request),
    source,
    order,
    options,
  );
};
