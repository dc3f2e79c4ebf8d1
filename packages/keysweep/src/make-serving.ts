/** What serves the calls of a sorter: checks, locks, and then a dispatcher, loaded when needed. */

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
} from './call/check.js';
import { isUnlocked, withMemoryLock } from './call/memory-locks.js';
import { builtin } from './run/builtin.js';
import { sortInOrder } from './run/builtin-keys.js';
import type { Dispatcher } from './run/dispatcher.js';
import type { Sorter } from './sorter.js';

/** Where the functions of one sorter find what serves their requests. */
export interface DispatcherSource {
  /** Whether a request is left to the runtime's own sort at once. To be called once a request. */
  isForBuiltin(shape: RequestShape): boolean;
  get(): Dispatcher | Promise<Dispatcher>;
}

/** The methods of a sorter that serve requests; the others control it. */
export type Serving = Pick<
  Sorter,
  'sort' | 'toSorted' | 'sortPairs' | 'argsort' | 'topK' | 'select' | 'gather'
>;

const ARGSORT_NAMES = [...SORT_NAMES, ...ROW_NAMES];

const ownSort = builtin();

/** The functions that serve requests by the dispatcher of `source`. */
export function makeServing(source: DispatcherSource): Serving {
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
        : (await import('./rows/rows.js')).argsortRows;
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

  const sorting: Pick<Serving, 'sort' | 'toSorted' | 'sortPairs' | 'argsort'> = {
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

  /** What `topK` and `select` are served by. */
  const selecting = { ...sorting, keyFinder: async () => (await source.get()).keyFinder() };

  return {
    ...sorting,
    async topK(keys, k, options) {
      const { topK } = await import('./selection/selection.js');
      return topK(selecting, keys, k, options);
    },
    async select(keys, k, options) {
      const { select } = await import('./selection/selection.js');
      return select(selecting, keys, k, options);
    },
    async gather(rows, order, options) {
      const { gather } = await import('./selection/gather.js');
      return gather(async (request) => (await source.get()).gather(request), rows, order, options);
    },
  };
}
