/**
 * Plain radix passes over indices: pairs, permutations, segments and 64-bit keys without
 * WebAssembly. In steps between which a thread with a page to paint can pause.
 */

import {
  assertGoesOn,
  bitLength,
  checked,
  commitSteps,
  gatherSteps,
  identitySteps,
  type KeyArray,
  orderWords,
  type Result,
  roomForWords,
  type SortOutcome,
  type SortRequest,
  slicesOf,
  splitDigits,
  traitsOf,
} from '@keysweep/core';
import { sortIndices } from '@keysweep/kernels/cpu';

/** Digits of 8 bits: 256 counters stay in the fastest cache whatever the keys. */
export const DIGIT_BITS = 8;

/** Keys between two pauses: a fraction of a millisecond of work. */
export const STEP: number = 2 ** 14;

/** One 32-bit column of the order: a narrow key, half of a 64-bit one, or the segment's number. */
interface WordColumn {
  readonly words: Uint32Array;
  readonly begin: number;
  readonly end: number;
}

/** The result before anything of the caller's is written. */
export interface Sorted {
  readonly permutation: SortOutcome['permutation'];
  readonly results: readonly Result[];
  readonly passes: number;
}

/**
 * Serves `request` in steps of a fraction of a millisecond. O(n) a digit; allocates 8 bytes a row,
 * the words of all columns, and the results. Checks after each step whether the request still
 * stands, until the result is whole.
 */
export function sortPlainRows(request: SortRequest): Generator<undefined, SortOutcome> {
  return servePlain(request, sortRows(request));
}

/** Serves `request` by steps that make its result. */
export function* servePlain(
  request: SortRequest,
  steps: Generator<undefined, Sorted>,
): Generator<undefined, SortOutcome> {
  const { shape } = request;
  request.onProgress?.({ phase: 'sort', completed: 0, total: shape.length });
  assertGoesOn(request);
  const start = performance.now();
  const sorted = yield* checked(steps, () => assertGoesOn(request));
  const end = performance.now();
  request.onProgress?.({ phase: 'readback', completed: 0, total: shape.length });
  assertGoesOn(request);
  yield* commitSteps(sorted.results, request.onCommit);
  return {
    permutation: sorted.permutation,
    milliseconds: { sort: end - start, readback: performance.now() - end },
    passes: { run: sorted.passes, skipped: 0 },
    threads: 1,
    bound: 0,
  };
}

function* sortRows(request: SortRequest): Generator<undefined, Sorted> {
  const { shape, columns, values } = request;
  let passes = 0;
  let indices = yield* identitySteps(shape.length);
  let spare = new Uint32Array(shape.length);
  for (const { words, begin, end } of yield* wordColumns(request)) {
    const digits = splitDigits(begin, end, DIGIT_BITS);
    passes += digits.length;
    const sorted = yield* sortIndices(indices, spare, words, digits);
    if (sorted === spare) [indices, spare] = [spare, indices];
  }
  if (shape.operation === 'argsort') return { permutation: indices, results: [], passes };
  const results = [yield* gatherSteps('keys', columns[0], indices)];
  if (values !== undefined) results.push(yield* gatherSteps('values', values, indices));
  return { permutation: undefined, results, passes };
}

/**
 * All columns of the order, least significant first; the segment's number is the most significant.
 */
function* wordColumns(request: SortRequest): Generator<undefined, WordColumn[]> {
  const columns: WordColumn[] = [];
  for (const column of request.columns.toReversed())
    columns.push(...(yield* halves(request, column)));
  if (request.segments !== undefined) {
    columns.push(yield* segmentColumn(request.segments, request.shape.length));
  }
  return columns;
}

/** The words of a column of keys, low half first. */
function* halves(
  { shape }: SortRequest,
  keys: KeyArray,
): Generator<undefined, readonly WordColumn[]> {
  const { length, order, keyBits } = shape;
  const { bits } = traitsOf(keys);
  const { begin, end } = keyBits ?? { begin: 0, end: bits };
  const room = roomForWords({ keys, order }, length);
  for (const [from, to] of slicesOf(length, STEP)) {
    const { lows } = orderWords({ keys: keys.subarray(from, to), order, keyBits }, room, from);
    // Keys that are their own words: the caller may change them meanwhile.
    if (lows.buffer !== room.lows.buffer) room.lows.set(lows, from);
    yield;
  }
  const low = { words: room.lows, begin: Math.min(begin, 32), end: Math.min(end, 32) };
  if (bits < 64) return [low];
  const high = { words: room.highs, begin: Math.max(begin - 32, 0), end: Math.max(end - 32, 0) };
  return [low, high];
}

function* segmentColumn(segments: Uint32Array, length: number): Generator<undefined, WordColumn> {
  const words = new Uint32Array(length);
  for (const [from, to] of slicesOf(segments.length, STEP)) {
    for (let i = from; i < to; i++) words.fill(i, segments[i], segments[i + 1] ?? length);
    yield;
  }
  return { words, begin: 0, end: bitLength(BigInt(segments.length)) };
}
