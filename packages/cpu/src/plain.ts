/**
 * The way without WebAssembly or shared memory: plain radix passes on the calling thread.
 */

import {
  assertGoesOn,
  bitLength,
  bitsOf,
  commit,
  gather,
  identity,
  type KeyArray,
  keysToWords,
  keyTransform,
  type Result,
  type SortOutcome,
  type SortRequest,
  splitDigits,
  traitsOf,
  wordsToKeys,
} from '@keysweep/core';
import { sortIndices, sortWords } from '@keysweep/kernels/cpu';

/** Digits of 8 bits: 256 counters stay in the fastest cache whatever the keys. */
const DIGIT_BITS = 8;

/** One 32-bit column of the order: a narrow key, half of a 64-bit one, or the segment's number. */
interface WordColumn {
  readonly words: Uint32Array;
  readonly begin: number;
  readonly end: number;
  /** Segments ascend whatever the order of keys. */
  readonly descending: boolean;
}

/**
 * Serves `request` on the calling thread, in one go. O(n) a digit; allocates the keys' words once
 * more for the passes, or 8 bytes a key for payloads and permutations.
 */
export function sortPlain(request: SortRequest): SortOutcome {
  const { shape, columns, values, segments } = request;
  request.onProgress?.({ phase: 'sort', completed: 0, total: shape.length });
  assertGoesOn(request);
  const start = performance.now();
  const [keys] = columns;
  let passes = 0;
  let permutation: Uint32Array | undefined;
  const results: Result[] = [];
  const narrow = traitsOf(keys).bits < 64;
  if (shape.operation === 'sort' && segments === undefined && narrow) {
    const column = halves(request, keys)[0] as WordColumn;
    const digits = splitDigits(column.begin, column.end, DIGIT_BITS);
    const spare = new Uint32Array(shape.length);
    const sorted = sortWords(column.words, spare, digits, column.descending);
    passes = digits.length;
    results.push(unworded(keys, sorted));
  } else {
    let indices: Uint32Array = identity(shape.length);
    let spare: Uint32Array = new Uint32Array(shape.length);
    for (const column of wordColumns(request)) {
      const digits = splitDigits(column.begin, column.end, DIGIT_BITS);
      passes += digits.length;
      const { words, descending } = column;
      const sorted = sortIndices(indices, spare, words, digits, descending);
      if (sorted !== indices) [indices, spare] = [sorted, indices];
    }
    if (shape.operation === 'argsort') permutation = indices;
    else results.push(gather('keys', keys, indices));
    if (values !== undefined) results.push(gather('values', values, indices));
  }
  commit(results);
  return {
    permutation,
    milliseconds: { sort: performance.now() - start },
    passes: { run: passes, skipped: 0 },
    threads: 1,
    bound: 0,
  };
}

/** All columns of the order, least significant first; the segment's number is the most significant. */
function wordColumns(request: SortRequest): WordColumn[] {
  const columns = request.columns.toReversed().flatMap((column) => halves(request, column));
  if (request.segments !== undefined) {
    columns.push(segmentColumn(request.segments, request.shape.length));
  }
  return columns;
}

/** The words of a column of keys, low half first. NaNs are made ties. */
function halves({ shape }: SortRequest, keys: KeyArray): WordColumn[] {
  const traits = traitsOf(keys);
  const descending = shape.order === 'descending';
  const { begin, end } = shape.keyBits ?? { begin: 0, end: traits.bits };
  const words = keysToWords(keys, traits);
  if (traits.bits < 64) {
    // Keys alone come back from these words, so their payload bits must stay.
    if (traits.kind === 'float' && shape.operation !== 'sort') {
      const ceiling = Number(keyTransform(traits.keyType).ceiling);
      for (let i = 0; i < words.length; i++) words[i] = Math.min(words[i] as number, ceiling);
    }
    return [{ words, begin, end, descending }];
  }
  const low = new Uint32Array(shape.length);
  const high = new Uint32Array(shape.length);
  const { ceiling } = keyTransform(traits.keyType);
  const [ceilingLow, ceilingHigh] = [Number(ceiling & 0xffffffffn), Number(ceiling >> 32n)];
  for (let i = 0; i < low.length; i++) {
    const [l, h] = [words[2 * i] as number, words[2 * i + 1] as number];
    const isTie = h > ceilingHigh || (h === ceilingHigh && l > ceilingLow);
    low[i] = isTie ? ceilingLow : l;
    high[i] = isTie ? ceilingHigh : h;
  }
  return [
    { words: low, begin: Math.min(begin, 32), end: Math.min(end, 32), descending },
    { words: high, begin: Math.max(begin - 32, 0), end: Math.max(end - 32, 0), descending },
  ];
}

function segmentColumn(segments: Uint32Array, length: number): WordColumn {
  const words = new Uint32Array(length);
  for (let i = 0; i < segments.length; i++) words.fill(i, segments[i], segments[i + 1] ?? length);
  return { words, begin: 0, end: bitLength(BigInt(segments.length)), descending: false };
}

/** Sorted words as keys, ready to be copied in. */
function unworded(keys: KeyArray, words: Uint32Array): Result {
  const bits = bitsOf(keys).slice();
  wordsToKeys(words, bits as KeyArray, traitsOf(keys));
  return { name: 'keys', target: keys, length: keys.length, bits };
}
