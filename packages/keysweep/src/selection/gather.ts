/** Elements, or rows of them, in an order. */

import {
  type BitsArray,
  bitsOf,
  describe,
  emptyLike,
  type GatherRequest,
  keyTypeOf,
  lengthOf,
  type Move,
  pauses,
  pickSteps,
  readOptions,
  runInSlices,
  slicesOf,
  subarrayOf,
  type TypedArray,
} from '@keysweep/core';
import { checkArray, checkU32, overlaps } from '../call/check.js';
import type { GatherOptions } from './options.js';

/**
 * From so many rows on, threads move them. Two that are awake take half the time from 10^5 rows on,
 * but threads that have to be started first take longer than that saves.
 */
const THREADS_FROM = 2 ** 18;

/** A checked array: where its rows go, and the array that the caller gave for them. */
interface Checked extends Omit<Move, 'target' | 'isNew'> {
  readonly target: TypedArray | undefined;
  readonly into: TypedArray | undefined;
}

/**
 * See {@link Sorter.gather}. All arrays are locked, and the lists of them are the call's own;
 * `byThreads` has threads move the rows where there are some.
 */
export async function gather<T extends TypedArray | readonly TypedArray[]>(
  byThreads: (request: GatherRequest) => Promise<boolean>,
  given: T,
  givenOrder: Uint32Array,
  givenOptions: unknown,
): Promise<T> {
  const { stride, into } = readOptions<GatherOptions<T>>(givenOptions, ['stride', 'into']);
  const order = checkU32('order', givenOrder);
  if (order === undefined) throw new TypeError('order must be a Uint32Array, got undefined');
  const arrays = Array.isArray(given)
    ? checkList(given, stride, into, order)
    : [checkOne('', given, stride, into, order)];
  const rows = lengthOf(order);
  const moves = arrays.map(({ source, stride, target }) => ({
    source,
    stride,
    target: target ?? emptyLike(source, rows * stride),
    isNew: target === undefined,
  }));
  const isMoved = rows >= THREADS_FROM && (await byThreads({ order, moves }));
  if (!isMoved) await runInSlices(moveRows(order, moves), pauses());
  const results = moves.map(({ target, stride }, i) => {
    const into = arrays[i]?.into ?? target;
    return lengthOf(into) === rows * stride ? into : subarrayOf(target, 0, rows * stride);
  });
  return (Array.isArray(given) ? results : results[0]) as T;
}

/** Checks a list of arrays; `stride` may be a list, too, and `into` has to be one. */
function checkList(
  sources: readonly unknown[],
  stride: unknown,
  into: unknown,
  order: Uint32Array,
): readonly Checked[] {
  for (const [name, list] of Object.entries({ stride, into })) {
    const isOne = list === undefined || (name === 'stride' && typeof list === 'number');
    if (isOne || (Array.isArray(list) && list.length === sources.length)) continue;
    throw new TypeError(
      `${name} must have one element for each of ${sources.length} sources, got ${describe(list)}`,
    );
  }
  const of = (list: unknown, i: number): unknown => (Array.isArray(list) ? list[i] : list);
  const arrays = sources.map((source, i) =>
    checkOne(`[${i}]`, source, of(stride, i), of(into, i), order),
  );
  const targets = arrays.flatMap(({ target = [] }) => target);
  const others = [...targets, ...arrays.map(({ source }) => source)];
  for (const target of targets) {
    if (!others.some((other) => other !== target && overlaps(target, other))) continue;
    throw new TypeError('arrays of into must overlap neither one another nor a source in memory');
  }
  return arrays;
}

/** Checks one array; `at` is its place in a list, for errors. */
function checkOne(
  at: string,
  given: unknown,
  stride: unknown = 1,
  into: unknown,
  order: Uint32Array,
): Checked {
  const source = checkArray(`source${at}`, given);
  if (typeof stride !== 'number') {
    throw new TypeError(`stride must be a number of elements, got ${describe(stride)}`);
  }
  if (!Number.isSafeInteger(stride) || stride < 1) {
    throw new RangeError(`stride must be a whole number of elements from 1 on, got ${stride}`);
  }
  if (lengthOf(source) % stride !== 0) {
    throw new RangeError(
      `source${at} must be a multiple of stride ${stride} long, ` +
        `it has ${lengthOf(source)} elements`,
    );
  }
  if (into === undefined) return { source, stride, target: undefined, into };
  const target = checkInto(`into${at}`, into, source, order, lengthOf(order) * stride);
  return { source, stride, target, into: into as TypedArray };
}

function checkInto(
  name: string,
  into: unknown,
  source: TypedArray,
  order: Uint32Array,
  length: number,
): TypedArray {
  const target = checkArray(name, into);
  if (keyTypeOf(target) !== keyTypeOf(source)) {
    throw new TypeError(`${name} must be of the class of source, got ${describe(into)}`);
  }
  if (lengthOf(target) < length) {
    throw new RangeError(
      `${name} must have room for ${length} elements, it has ${lengthOf(target)}`,
    );
  }
  if (overlaps(target, source) || overlaps(target, order)) {
    throw new TypeError(`${name} must overlap neither source nor order in memory`);
  }
  return target;
}

/** Rows between two pauses: some tenths of a millisecond where every row misses the caches. */
const STEP = 2 ** 14;

/** For rows of at least this many elements, one call of `copyWithin` or `set` beats a loop. */
const SET_FROM = 32;

/**
 * Moves rows on this thread, in steps. Allocates views only.
 * @throws RangeError for an index beyond a source, before anything is written.
 */
function* moveRows(order: Uint32Array, moves: readonly Move[]): Generator<undefined, void> {
  const most = Math.min(...moves.map(({ source, stride }) => lengthOf(source) / stride));
  for (const [first, last] of slicesOf(lengthOf(order), STEP)) {
    const at = firstBeyond(order, most, first, last);
    if (at < last) {
      throw new RangeError(`order must be below the ${most} rows: element ${at} is ${order[at]}`);
    }
    yield;
  }
  for (const { source, stride, target } of moves) yield* copyRows(source, order, stride, target);
}

/** The first place of [from, to) whose index is not below `most`, or `to`. */
function firstBeyond(order: Uint32Array, most: number, from: number, to: number): number {
  let at = from;
  while (at < to && (order[at] as number) < most) at++;
  return at;
}

/** Copies the rows of `source` that `order` names. */
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
