/** The first k of an order, and the key at a place of it. */

import {
  bitsOf,
  emptyLike,
  FIELD_ROWS,
  type KeyArray,
  type KeyFinder,
  type KeyOf,
  keyTypeOf,
  lengthOf,
  type OnArrayBuffer,
  type Order,
  pauses,
  pickSteps,
  runInSlices,
} from '@keysweep/core';
import { type ArgsortOptions, checkArray, isTable } from '../call/check.js';
import type { Sorter } from '../sorter.js';
import { firstRows, keysAround, MAX_SHARE, plainFinder, type Source } from './candidates.js';
import { checkSelection } from './options.js';

/** What sorts candidates, and what finds them where it was compiled. */
interface Selecting extends Pick<Sorter, 'toSorted'> {
  /** An argsort of memory that is locked already. */
  argsort(keys: unknown, options: ArgsortOptions): Promise<Uint32Array>;
  keyFinder(): Promise<KeyFinder | undefined>;
}

/** Fewer keys are sorted whole. */
const SELECTED_FROM = 2 ** 14;

/** Keys of a selection, and what finds some of them: compiled from a whole slice on. */
async function sourceOf(selecting: Selecting, keys: KeyArray, order: Order): Promise<Source> {
  const compiled = lengthOf(keys) < FIELD_ROWS ? undefined : await selecting.keyFinder();
  return { keys, order, finder: compiled ?? plainFinder };
}

/** See {@link Sorter.topK}. The keys are locked, and the options the call's own. */
export async function topK(
  selecting: Selecting,
  given: unknown,
  count: number,
  givenOptions?: unknown,
): Promise<{ keys?: KeyArray; indices: Uint32Array }> {
  const { k, order, options } = checkSelection(count, givenOptions, 'descending');
  // A description or a list of columns; anything else counts as keys.
  if (keyTypeOf(given) === undefined && (isTable(given) || isColumnList(given))) {
    const all = await selecting.argsort(given, options);
    return { indices: all.slice(0, Math.min(k, all.length)) };
  }
  const keys = checkArray('keys', given);
  if (options.signal?.aborted) throw options.signal.reason;
  const most = Math.min(k, lengthOf(keys));
  const isSelected = lengthOf(keys) >= SELECTED_FROM;
  const rows = isSelected
    ? await runInSlices(firstRows(await sourceOf(selecting, keys, order), most), pauses())
    : undefined;
  const all = await selecting.argsort(keys, { ...options, ...(rows && { indices: rows }) });
  const indices = all.slice(0, most);
  return { keys: await pick(keys, indices), indices };
}

const isColumnList = (given: unknown): boolean =>
  Array.isArray(given) && keyTypeOf(given[0]) !== undefined;

async function pick<K extends KeyArray>(keys: K, rows: Uint32Array): Promise<OnArrayBuffer<K>> {
  const picked = emptyLike(keys, rows.length);
  await runInSlices(pickSteps(keys, rows, bitsOf(picked)), pauses());
  return picked;
}

/** See {@link Sorter.select}. The keys are locked, and the options the call's own. */
export async function select<K extends KeyArray>(
  selecting: Selecting,
  given: K,
  place: number,
  givenOptions?: unknown,
): Promise<KeyOf<K>> {
  const { k, order, options } = checkSelection(place, givenOptions, 'ascending');
  const keys = checkArray('keys', given) as K;
  const length = lengthOf(keys);
  if (k >= length) throw new RangeError(`k must be below the ${length} keys, got ${k}`);
  if (options.signal?.aborted) throw options.signal.reason;
  const found =
    length >= SELECTED_FROM
      ? await runInSlices(keysAround(await sourceOf(selecting, keys, order), k), pauses())
      : undefined;
  if (found === undefined) return (await selecting.toSorted(keys, options))[k] as KeyOf<K>;
  const candidates = found.candidates as K;
  // If many keys tie, there may be as many candidates.
  const areFew = lengthOf(candidates) <= length / MAX_SHARE;
  if (areFew) return select(selecting, candidates, found.place, givenOptions);
  return (await selecting.toSorted(candidates, options))[found.place] as KeyOf<K>;
}
