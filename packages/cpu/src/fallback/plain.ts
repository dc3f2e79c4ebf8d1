/**
 * The sort without WebAssembly: plain radix passes, in steps between which a thread with a page to
 * paint can pause.
 */

import {
  assertGoesOn,
  bitLength,
  bitsOf,
  checked,
  commitSteps,
  gatherSteps,
  identitySteps,
  type KeyArray,
  keysToWords,
  keyTransform,
  type Result,
  readClock,
  type SortOutcome,
  type SortRequest,
  segmentNumberSteps,
  slicesOf,
  splitDigits,
  traitsOf,
  wordsToKeys,
} from '@keysweep/core';
import { sortIndices, sortWords } from '@keysweep/kernels/cpu';

/** Digits of 8 bits: 256 counters stay in the fastest cache whatever the keys. */
const DIGIT_BITS = 8;

/** Keys between two pauses: a fraction of a millisecond of work. */
const STEP = 2 ** 14;

/** One 32-bit column of the order: a narrow key, half of a 64-bit one, or the segment's number. */
interface WordColumn {
  readonly words: Uint32Array;
  readonly begin: number;
  readonly end: number;
  /** Segments ascend whatever the order of keys. */
  readonly descending: boolean;
}

/**
 * Serves `request` in steps of a fraction of a millisecond. O(n) a digit; allocates the keys' words
 * once more for the passes, or 8 bytes a key for payloads and permutations. Checks after each step
 * whether the request still stands, until the result is whole.
 */
export function* sortPlain(request: SortRequest): Generator<undefined, SortOutcome> {
  const { shape } = request;
  request.onProgress?.({ phase: 'sort', completed: 0, total: shape.length });
  assertGoesOn(request);
  const start = readClock();
  const sorted = yield* checked(sortSteps(request), () => assertGoesOn(request));
  const end = readClock();
  request.onProgress?.({ phase: 'readback', completed: 0, total: shape.length });
  assertGoesOn(request);
  yield* commitSteps(sorted.results, request.onCommit);
  return {
    permutation: sorted.permutation,
    milliseconds: { sort: end - start, readback: readClock() - end },
    passes: { run: sorted.passes, skipped: 0 },
    threads: 1,
    bound: 0,
  };
}

/** The result before anything of the caller's is written. */
interface Sorted {
  readonly permutation: Uint32Array<ArrayBuffer> | undefined;
  readonly results: readonly Result[];
  readonly passes: number;
}

function* sortSteps(request: SortRequest): Generator<undefined, Sorted> {
  const { shape, columns, values, segments } = request;
  const [keys] = columns;
  const narrow = traitsOf(keys).bits < 64;
  if (shape.operation === 'sort' && segments === undefined && narrow) {
    const [column] = (yield* halves(request, keys)) as [WordColumn];
    const digits = splitDigits(column.begin, column.end, DIGIT_BITS);
    const spare = new Uint32Array(shape.length);
    const sorted = yield* sortWords(column.words, spare, digits, column.descending);
    const results = [yield* keysOfWords(keys, sorted)];
    return { permutation: undefined, results, passes: digits.length };
  }
  let passes = 0;
  let indices = yield* identitySteps(shape.length);
  let spare = new Uint32Array(shape.length);
  for (const { words, begin, end, descending } of yield* wordColumns(request)) {
    const digits = splitDigits(begin, end, DIGIT_BITS);
    passes += digits.length;
    const sorted = yield* sortIndices(indices, spare, words, digits, descending);
    if (sorted === spare) [indices, spare] = [spare, indices];
  }
  if (shape.operation === 'argsort') return { permutation: indices, results: [], passes };
  const results = [yield* gatherSteps('keys', keys, indices)];
  if (values !== undefined) results.push(yield* gatherSteps('values', values, indices));
  return { permutation: undefined, results, passes };
}

/**
 * All columns of the order, least significant first; the segment's number is the most significant.
 */
function* wordColumns(request: SortRequest): Generator<undefined, WordColumn[]> {
  const columns: WordColumn[] = [];
  for (const column of [...request.columns].reverse())
    columns.push(...(yield* halves(request, column)));
  if (request.segments !== undefined) {
    columns.push(yield* segmentColumn(request.segments, request.shape.length));
  }
  return columns;
}

/** The words of a column of keys, low half first. NaNs are made ties. */
function* halves(
  { shape }: SortRequest,
  keys: KeyArray,
): Generator<undefined, readonly WordColumn[]> {
  const traits = traitsOf(keys);
  const descending = shape.order === 'descending';
  const { begin, end } = shape.keyBits ?? { begin: 0, end: traits.bits };
  const { ceiling } = keyTransform(traits.keyType);
  const low = new Uint32Array(shape.length);
  const high = traits.bits === 64 ? new Uint32Array(shape.length) : undefined;
  // Keys alone come back from these words, so a NaN's payload bits must stay.
  const makesTies = traits.kind === 'float' && shape.operation !== 'sort';
  for (const [from, to] of slicesOf(shape.length, STEP)) {
    const words = keysToWords(keys.subarray(from, to), traits);
    if (high !== undefined) splitWords(words, ceiling, low, high, from);
    else low.set(makesTies ? words.map((word) => Math.min(word, Number(ceiling))) : words, from);
    yield;
  }
  if (high === undefined) return [{ words: low, begin, end, descending }];
  return [
    { words: low, begin: Math.min(begin, 32), end: Math.min(end, 32), descending },
    { words: high, begin: Math.max(begin - 32, 0), end: Math.max(end - 32, 0), descending },
  ];
}

/** Takes 64-bit words apart, those above `ceiling` made equal to it. */
function splitWords(
  words: Uint32Array,
  ceiling: bigint,
  low: Uint32Array,
  high: Uint32Array,
  at: number,
): void {
  const [ceilingLow, ceilingHigh] = [Number(ceiling & 0xffffffffn), Number(ceiling >> 32n)];
  for (let i = 0; i < words.length / 2; i++) {
    const [l, h] = [words[2 * i] as number, words[2 * i + 1] as number];
    const isTie = h > ceilingHigh || (h === ceilingHigh && l > ceilingLow);
    low[at + i] = isTie ? ceilingLow : l;
    high[at + i] = isTie ? ceilingHigh : h;
  }
}

function* segmentColumn(segments: Uint32Array, length: number): Generator<undefined, WordColumn> {
  const words = yield* segmentNumberSteps(segments, length);
  // The largest number is one less than there are segments.
  return { words, begin: 0, end: bitLength(BigInt(segments.length - 1)), descending: false };
}

/** Sorted words as keys, ready to be copied in. */
function* keysOfWords(keys: KeyArray, words: Uint32Array): Generator<undefined, Result> {
  const elements = bitsOf(keys);
  const bits = new (elements.constructor as new (length: number) => typeof elements)(
    elements.length,
  );
  for (const [from, to] of slicesOf(words.length, STEP)) {
    wordsToKeys(words.subarray(from, to), bits.subarray(from, to), traitsOf(keys));
    yield;
  }
  return { name: 'keys', target: keys, length: keys.length, bits };
}
