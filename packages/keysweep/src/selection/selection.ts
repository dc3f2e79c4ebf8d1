/** The first k of an order, and the key at a place of it. */

import {
  bitsOf,
  emptyLike,
  type KeyArray,
  type KeyOf,
  lengthOf,
  type OnArrayBuffer,
  pauses,
  pickSteps,
  runInSlices,
} from '@keysweep/core';
import { arraysIn } from '../request/check.js';
import { withMemoryLock } from '../request/memory-locks.js';
import type { Sorter } from '../sorter.js';
import { firstRows, rowsAround } from './candidates.js';
import { checkSelection } from './options.js';

type Sorting = Pick<Sorter, 'argsort' | 'toSorted'>;

/** Fewer keys are sorted whole. */
const SELECTED_FROM = 2 ** 14;

/** Locks keys that are read while `work` runs. */
const whileLocked = <T>(keys: KeyArray, work: () => Promise<T>): Promise<T> =>
  withMemoryLock({ request: { shape: { operation: 'argsort' }, columns: arraysIn(keys) } }, work);

/** See {@link Sorter.topK}; `sorting` sorts the candidates. */
export async function topK<K extends KeyArray>(
  sorting: Sorting,
  given: K,
  count: number,
  givenOptions: unknown,
): Promise<{ keys: OnArrayBuffer<K>; indices: OnArrayBuffer<Uint32Array> }> {
  const { keys, k, order, options } = checkSelection(given, count, givenOptions, 'descending');
  return whileLocked(keys, async () => {
    if (options.signal?.aborted) throw options.signal.reason;
    const most = Math.min(k, lengthOf(keys));
    const isSelected = lengthOf(keys) >= SELECTED_FROM && most > 0;
    const rows = isSelected ? await runInSlices(firstRows(keys, order, most), pauses()) : undefined;
    const all = await sorting.argsort(keys, { ...options, ...(rows ? { indices: rows } : {}) });
    const indices = all.slice(0, most);
    return { keys: (await pick(keys, indices)) as OnArrayBuffer<K>, indices };
  });
}

async function pick<K extends KeyArray>(keys: K, rows: Uint32Array): Promise<OnArrayBuffer<K>> {
  const picked = emptyLike(keys, rows.length);
  await runInSlices(pickSteps(keys, rows, bitsOf(picked)), pauses());
  return picked;
}

/** See {@link Sorter.select}; `sorting` sorts the candidates. */
export async function select<K extends KeyArray>(
  sorting: Sorting,
  given: K,
  place: number,
  givenOptions: unknown,
): Promise<KeyOf<K>> {
  const { keys, k, order, options } = checkSelection(given, place, givenOptions, 'ascending');
  const length = lengthOf(keys);
  if (k >= length) throw new RangeError(`k must be below the ${length} keys, got ${k}`);
  return whileLocked(keys, async () => {
    if (options.signal?.aborted) throw options.signal.reason;
    const found =
      length >= SELECTED_FROM ? await runInSlices(rowsAround(keys, order, k), pauses()) : undefined;
    if (found === undefined) return (await sorting.toSorted(keys, options))[k] as KeyOf<K>;
    const candidates = await pick(keys, found.rows);
    return (await sorting.toSorted(candidates, options))[found.place] as KeyOf<K>;
  });
}
