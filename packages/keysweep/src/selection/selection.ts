/** The first k of an order, the key at a place of it, and elements in an order. */

import {
  type BitsArray,
  bitsOf,
  emptyLike,
  type KeyArray,
  keyTypeOf,
  lengthOf,
  type OnArrayBuffer,
  pauses,
  pickSteps,
  runInSlices,
  slicesOf,
  subarrayOf,
  type TypedArray,
} from '@keysweep/core';
import { arraysIn, checkArray, checkU32, overlaps } from '../request/check.js';
import { describe } from '../request/describe.js';
import { withMemoryLock } from '../request/memory-locks.js';
import { readOptions } from '../request/options.js';
import type { Sorter } from '../sorter.js';
import { firstRows, rowsAround } from './candidates.js';
import { checkSelection, type GatherOptions } from './options.js';

type Sorting = Pick<Sorter, 'argsort' | 'toSorted'>;

/** Fewer keys are sorted whole. */
const SELECTED_FROM = 2 ** 14;

/** Locks arrays that are read, and those that are written, while `work` runs. */
const whileLocked = <T>(
  read: readonly unknown[],
  written: unknown,
  work: () => Promise<T>,
): Promise<T> =>
  withMemoryLock(
    {
      request: { shape: { operation: 'argsort' }, columns: arraysIn(read) },
      out: arraysIn(written)[0],
    },
    work,
  );

/** See {@link Sorter.topK}; `sorting` sorts the candidates. */
export async function topK<K extends KeyArray>(
  sorting: Sorting,
  given: K,
  count: number,
  givenOptions: unknown,
): Promise<{ keys: OnArrayBuffer<K>; indices: OnArrayBuffer<Uint32Array> }> {
  const { keys, k, order, options } = checkSelection(given, count, givenOptions, 'descending');
  return whileLocked([keys], undefined, async () => {
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
export async function select(
  sorting: Sorting,
  given: KeyArray,
  place: number,
  givenOptions: unknown,
): Promise<number | bigint> {
  const { keys, k, order, options } = checkSelection(given, place, givenOptions, 'ascending');
  const length = lengthOf(keys);
  if (k >= length) throw new RangeError(`k must be below the ${length} keys, got ${k}`);
  return whileLocked([keys], undefined, async () => {
    if (options.signal?.aborted) throw options.signal.reason;
    const found =
      length >= SELECTED_FROM ? await runInSlices(rowsAround(keys, order, k), pauses()) : undefined;
    if (found === undefined) return (await sorting.toSorted(keys, options))[k] as number;
    const candidates = await pick(keys, found.rows);
    return (await sorting.toSorted(candidates, options))[found.place] as number | bigint;
  });
}

/** See {@link Sorter.gather}. */
export async function gather<T extends TypedArray>(
  source: T,
  order: Uint32Array,
  givenOptions: unknown,
): Promise<T> {
  const options = readOptions<GatherOptions<T>>(givenOptions, ['stride', 'into']);
  const { stride = 1, into } = options;
  const from = checkArray('source', source);
  const rows = checkU32('order', order);
  if (rows === undefined) throw new TypeError('order must be a Uint32Array, got undefined');
  if (typeof stride !== 'number') {
    throw new TypeError(`stride must be a number of elements, got ${describe(stride)}`);
  }
  if (!Number.isSafeInteger(stride) || stride < 1) {
    throw new RangeError(`stride must be a whole number of elements from 1 on, got ${stride}`);
  }
  if (lengthOf(from) % stride !== 0) {
    throw new RangeError(
      `source must be a multiple of stride ${stride} long, it has ${lengthOf(from)} elements`,
    );
  }
  const length = lengthOf(rows) * stride;
  const to = into === undefined ? undefined : checkInto(into, from, rows, length);
  return whileLocked([from, rows], to, async () => {
    const most = lengthOf(from) / stride;
    const at = rows.findIndex((row) => row >= most);
    if (at >= 0) {
      throw new RangeError(`order must be below the ${most} rows: element ${at} is ${rows[at]}`);
    }
    const target = to ?? emptyLike(from, length);
    await runInSlices(copyRows(from, rows, stride, target), pauses());
    if (into === undefined) return target as T;
    return lengthOf(into) === length ? into : (subarrayOf(target, 0, length) as T);
  });
}

function checkInto(
  into: unknown,
  source: TypedArray,
  order: Uint32Array,
  length: number,
): TypedArray {
  const target = checkArray('into', into);
  if (keyTypeOf(target) !== keyTypeOf(source)) {
    throw new TypeError(`into must be of the class of source, got ${describe(into)}`);
  }
  if (lengthOf(target) < length) {
    throw new RangeError(`into must have room for ${length} elements, it has ${lengthOf(target)}`);
  }
  if (overlaps(target, source) || overlaps(target, order)) {
    throw new TypeError('into must overlap neither source nor order in memory');
  }
  return target;
}

/** Rows between two pauses: some tenths of a millisecond where every row misses the caches. */
const STEP = 2 ** 14;

/** From so many elements a row on, one call of `copyWithin` or `set` is quicker than a loop. */
const SET_FROM = 32;

/** Copies the rows of `source` that `order` names. Allocates views only. */
function* copyRows(
  source: TypedArray,
  order: Uint32Array,
  stride: number,
  target: TypedArray,
): Generator<undefined, void> {
  if (stride === 1) {
    yield* pickSteps(source, order, bitsOf(target));
    return;
  }
  const [from, to] = [bitsOf(source), bitsOf(target)];
  const width = (stride * from.length) / lengthOf(source);
  const copy = width < SET_FROM ? copyEach : copyWhole;
  for (const [first, last] of slicesOf(lengthOf(order), STEP)) {
    copy(from, order, width, to, first, last);
    yield;
  }
}

function copyEach(
  from: BitsArray,
  order: Uint32Array,
  width: number,
  to: BitsArray,
  first: number,
  last: number,
): void {
  for (let i = first, at = first * width; i < last; i++) {
    const row = (order[i] as number) * width;
    for (let j = 0; j < width; j++) to[at++] = from[row + j] as number;
  }
}

function copyWhole(
  from: BitsArray,
  order: Uint32Array,
  width: number,
  to: BitsArray,
  first: number,
  last: number,
): void {
  for (let i = first; i < last; i++) {
    const row = (order[i] as number) * width;
    to.set(from.subarray(row, row + width), i * width);
  }
}
