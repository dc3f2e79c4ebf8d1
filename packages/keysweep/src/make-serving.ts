/**
 * Serves the sorts of a sorter: checks, locks, then a dispatcher, which is loaded when needed. Its
 * other calls are in make-reading.ts.
 */

import {
  copyOf,
  isTurnDue,
  type KeyArray,
  type KeyType,
  keyTypeOf,
  lengthOf,
  nextTurn,
  noteSorted,
  type OnArrayBuffer,
  type Order,
  plainShape,
  plainView,
  type RequestShape,
  readClock,
  type SortOptions,
  sortArray,
  TIMED_FROM,
} from '@keysweep/core';
import { sortNow } from './builtin/builtin.js';
import { areSortedByBits, sortInOrder } from './builtin/builtin-keys.js';
import { sortFloats } from './builtin/float-bits.js';
import { rowSorts } from './builtin/rows-later.js';
import {
  type ArgsortOptions,
  type Arguments,
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
  snapshotOf,
} from './call/check.js';
import { isUnlocked, withMemoryLock } from './call/memory-locks.js';
import { tellingAll } from './call/telling.js';
import type { Dispatcher } from './run/dispatcher.js';
import type { Sorter } from './sorter.js';

/** Gives the functions of one sorter the dispatcher that serves their requests. */
export interface DispatcherSource {
  /** @throws ClosedError once the sorter was closed. */
  assertOpen(): void;
  /** Whether a request is left to the runtime's own sort at once. Call it once per request. */
  isForBuiltin(shape: RequestShape): boolean;
  /**
   * The same for bare keys, ascending: whether there is nothing to be found out about them before,
   * not even whether they are in order.
   */
  isBrief(keys: KeyArray, keyType: KeyType, length: number): boolean;
  get(): Dispatcher | Promise<Dispatcher>;
  /** The dispatcher, if it is there already. */
  readonly dispatcher: Dispatcher | undefined;
}

/** The methods of a sorter that sort keys. */
export interface Sorting extends Pick<Sorter, 'sort' | 'toSorted' | 'sortPairs' | 'argsort'> {
  /** The same as `argsort`, of memory that is locked already. */
  argsortLocked(keys: unknown, options: ArgsortOptions): Promise<Uint32Array>;
}

const ARGSORT_NAMES = [...SORT_NAMES, ...ROW_NAMES];

/** The functions that serve requests by the dispatcher of `source`. */
export function makeServing(source: DispatcherSource): Sorting {
  /**
   * Serves a checked call: locks its memory, then sorts at once or by the dispatcher. `isRefused`
   * says that the runtime's own sort is known not to be best.
   */
  async function run(
    call: Call,
    lock = withMemoryLock,
    isRefused = false,
  ): Promise<Uint32Array | undefined> {
    const start = readClock();
    const { request, backend, onReport } = call;
    const isSilent = onReport === undefined && request.onProgress === undefined;
    return lock(call, async () => {
      const locked = readClock();
      const { shape } = request;
      if (!isRefused && isSilent && backend === 'auto' && source.isForBuiltin(shape)) {
        // As with every backend, the caller may abort, detach or resize until the sort begins.
        await undefined;
        while (isTurnDue(shape.length)) await nextTurn();
        const sorting = sortNow(request);
        noteSorted(shape.length);
        return (await sorting).permutation;
      }
      return (await source.get()).run(call, start, locked);
    });
  }

  /** Checks a call and serves it. */
  const runChecked = (given: Arguments, options: SortOptions, isRefused?: boolean) =>
    tellingAll(options, async (options) =>
      run(checkCall(given, options), withMemoryLock, isRefused),
    );

  /** Serves an argsort, with `indices` and of described columns too, while its memory is locked. */
  async function order(
    keys: unknown,
    options: ArgsortOptions,
    lock = withMemoryLock,
    isRefused?: boolean,
  ) {
    const table = isTable(keys);
    if (!table && !choosesRows(options)) {
      return run(checkCall({ operation: 'argsort', keys }, options), lock, isRefused);
    }
    const start = readClock();
    const own = snapshotOf(keys);
    return lock(memoryOfRows(keys, options), async () => {
      const times = { start, locked: readClock() };
      const argsort = table
        ? (await import('./table/argsort-table.js')).argsortTable
        : (await import('./indexed/argsort-indexed.js')).argsortIndexed;
      return argsort(own, options, await source.get(), times);
    });
  }

  /**
   * The order for a call that may be served at once, else undefined: no option but an order was
   * given, and no other call uses the keys' buffer. If the event loop is due a turn, the sort must
   * be short, too. The rest of a call would take longer than such a sort.
   */
  function orderAtOnce(keys: KeyArray, options: SortOptions): Order | undefined {
    if (!isOrderAlone(options)) return undefined;
    // An empty array may be a detached one, which the checks have to find.
    const length = lengthOf(keys);
    if (length === 0 || !isUnlocked(keys)) return undefined;
    if (length >= TIMED_FROM && isTurnDue(length)) return undefined;
    const order = checkOrder(options.order);
    source.assertOpen();
    return order;
  }

  /**
   * Sorts keys at once if the runtime's own sort is soonest done; returns whether. Until code is
   * warm, each function that is called takes half a microsecond, so these are a handful of checks.
   */
  function sortBriefly(keys: KeyArray): boolean {
    const keyType = keyTypeOf(keys);
    if (keyType === undefined) return false;
    const length = lengthOf(keys);
    // An empty array may be a detached one, which the checks have to find.
    if (length === 0 || !isUnlocked(keys)) return false;
    if (isTurnDue(length) || !source.isBrief(keys, keyType, length)) return false;
    if (keyType[0] === 'f' && areSortedByBits(keys, length)) sortFloats(keys, 'ascending');
    else sortArray(keys);
    if (length >= TIMED_FROM) noteSorted(length);
    return true;
  }

  /**
   * Sorts keys at once if it may, and if they are in order or the runtime's own sort is best.
   * Returns whether; undefined if it was not asked which sort is best.
   */
  function sortAtOnce(keys: KeyArray, options: SortOptions): boolean | undefined {
    const keyType = keyTypeOf(keys);
    const order = keyType && orderAtOnce(keys, options);
    if (order === undefined) return undefined;
    const length = lengthOf(keys);
    if (!source.dispatcher?.sortIfInOrder(keys, order)) {
      if (!source.isForBuiltin(plainShape('sort', keyType as KeyType, length))) return false;
      sortInOrder(keys, order);
    }
    noteSorted(length);
    return true;
  }

  /** The same for the order of keys, which are an array. */
  function argsortAtOnce(keys: unknown, options: ArgsortOptions): Uint32Array | false | undefined {
    const keyType = keyTypeOf(keys);
    const order = keyType && orderAtOnce(keys as KeyArray, options);
    if (order === undefined || rowSorts === undefined) return undefined;
    const length = lengthOf(keys as KeyArray);
    if (!source.isForBuiltin(plainShape('argsort', keyType as KeyType, length))) return false;
    const permutation = rowSorts.orderRows([plainView(keys as KeyArray)], order);
    noteSorted(length);
    return permutation;
  }

  /** The turn that is due after a short sort, which is done first; mostly none. */
  function turnAfter(keys: KeyArray): Promise<void> | undefined {
    const length = lengthOf(keys);
    return length < TIMED_FROM && isTurnDue(length) ? nextTurn() : undefined;
  }

  /** Sorts keys at once or as any call; resolves to them. */
  async function sortKeys<K extends KeyArray>(keys: K, given: unknown): Promise<K> {
    if (given === undefined && sortBriefly(keys)) return keys;
    const options = readCallOptions(given, SORT_NAMES);
    const isSorted = sortAtOnce(keys, options);
    if (!isSorted) {
      await runChecked({ operation: 'sort', keys }, options, isSorted === false);
      return keys;
    }
    const turn = turnAfter(keys);
    // To await nothing would take time, too.
    if (turn !== undefined) await turn;
    return keys;
  }

  const sorting: Omit<Sorting, 'argsortLocked'> = {
    sort: sortKeys,
    async toSorted(keys, options) {
      return sortKeys(copyOf(checkArray('keys', keys)) as OnArrayBuffer<typeof keys>, options);
    },
    async sortPairs(keys, values, given) {
      const options = readCallOptions(given, SORT_NAMES);
      await runChecked({ operation: 'sortPairs', keys, values }, options);
      return { keys, values };
    },
    async argsort(keys, given) {
      const options = readCallOptions(given, ARGSORT_NAMES);
      const rows = argsortAtOnce(keys, options);
      const turn = rows && turnAfter(keys as KeyArray);
      if (turn) await turn;
      const isRefused = rows === false;
      return (rows ||
        (await tellingAll(options, (options) =>
          order(keys, options, withMemoryLock, isRefused),
        ))) as never;
    },
  };
  // A second lock would wait for whoever waits for the first.
  const argsortLocked = (keys: unknown, options: ArgsortOptions): Promise<Uint32Array> =>
    order(keys, options, (_, work) => work()) as Promise<Uint32Array>;
  return { ...sorting, argsortLocked };
}
