/**
 * Serves the sorts of a sorter: at once, or it checks, locks, and has a dispatcher serve the
 * request, which is loaded when needed. Its other calls are in make-reading.ts.
 */

import {
  copyOf,
  isTurnDue,
  type KeyArray,
  lengthOf,
  nextTurn,
  noteSorted,
  type OnArrayBuffer,
  readClock,
  type SortOptions,
  TIMED_FROM,
} from '@keysweep/core';
import { argsortAtOnce, type NotDone, sortAtOnce, sortBriefly } from './at-once.js';
import { sortNow } from './builtin/builtin.js';
import {
  type ArgsortOptions,
  type Arguments,
  type Call,
  checkArray,
  checkCall,
  choosesRows,
  isTable,
  memoryOfRows,
  ROW_NAMES,
  readCallOptions,
  SORT_NAMES,
} from './call/check.js';
import { withMemoryLock } from './call/memory-locks.js';
import { snapshotOf } from './call/snapshot.js';
import { tellingAll } from './call/telling.js';
import type { DispatcherSource } from './run/dispatcher-source.js';
import type { Sorter } from './sorter.js';

/** The methods of a sorter that sort keys. */
export interface Sorting extends Pick<Sorter, 'sort' | 'toSorted' | 'sortPairs' | 'argsort'> {
  /** `argsort` of memory that is locked already. */
  argsortLocked(keys: unknown, options: ArgsortOptions): Promise<Uint32Array>;
}

const ARGSORT_NAMES = [...SORT_NAMES, ...ROW_NAMES];

/** The functions that serve requests by the dispatcher of `source`. */
export function makeServing(source: DispatcherSource): Sorting {
  /**
   * Serves a checked call: locks its memory, then has the runtime's own sort serve it, unless that
   * was refused at once, or the dispatcher.
   */
  async function run(
    call: Call,
    lock = withMemoryLock,
    refused?: NotDone,
  ): Promise<Uint32Array | undefined> {
    const start = readClock();
    const { request, backend, onReport } = call;
    const isSilent = onReport === undefined && request.onProgress === undefined;
    return lock(call, async () => {
      const locked = readClock();
      const { shape } = request;
      if (!refused && isSilent && backend === 'auto' && source.isForBuiltin(shape)) {
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
  const runChecked = (given: Arguments, options: SortOptions, refused?: NotDone) =>
    tellingAll(options, async (options) => run(checkCall(given, options), withMemoryLock, refused));

  /** Serves an argsort, with `indices` and of described columns too, while its memory is locked. */
  async function order(keys: unknown, options: ArgsortOptions, lock = withMemoryLock) {
    const table = isTable(keys);
    if (!table && !choosesRows(options)) {
      return run(checkCall({ operation: 'argsort', keys }, options), lock);
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

  /** The turn that is due after a short sort, which is done first; mostly none. */
  function turnAfter(keys: KeyArray): Promise<void> | undefined {
    const length = lengthOf(keys);
    return length < TIMED_FROM && isTurnDue(length) ? nextTurn() : undefined;
  }

  /** Sorts keys at once or as any call; resolves to them. */
  async function sortKeys<K extends KeyArray>(keys: K, given: unknown): Promise<K> {
    if (given === undefined && sortBriefly(source, keys)) return keys;
    const options = readCallOptions(given, SORT_NAMES);
    const atOnce = sortAtOnce(source, keys, options);
    if (atOnce !== 'done') {
      await runChecked({ operation: 'sort', keys }, options, atOnce);
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
      const atOnce = argsortAtOnce(source, keys, options);
      if (atOnce === 'refused') {
        return (await runChecked({ operation: 'argsort', keys }, options, atOnce)) as never;
      }
      if (atOnce === undefined) {
        return (await tellingAll(options, (options) => order(keys, options))) as never;
      }
      const turn = turnAfter(keys as KeyArray);
      if (turn !== undefined) await turn;
      return atOnce as never;
    },
  };
  // A second lock would wait for whoever waits for the first.
  const argsortLocked = (keys: unknown, options: ArgsortOptions): Promise<Uint32Array> =>
    order(keys, options, (_, work) => work()) as Promise<Uint32Array>;
  return { ...sorting, argsortLocked };
}
