/**
 * The sort without WebAssembly: plain radix passes, in steps between which a thread with a page to
 * paint can pause. Keys alone are moved themselves; all else goes by indices.
 */

import {
  bitsOf,
  type KeyArray,
  keysToWords,
  type Result,
  type SortOutcome,
  type SortRequest,
  slicesOf,
  splitDigits,
  traitsOf,
  wordsToKeys,
} from '@keysweep/core';
import { sortWords } from '@keysweep/kernels/cpu';
import { DIGIT_BITS, type Sorted, STEP, servePlain, sortPlainRows } from './plain-rows.js';

/**
 * Serves `request` in steps of a fraction of a millisecond. O(n) a digit; allocates the keys' words
 * once more for the passes, or as `sortPlainRows`. Checks after each step whether the request still
 * stands, until the result is whole.
 */
export function sortPlain(request: SortRequest): Generator<undefined, SortOutcome> {
  const { shape, columns, segments } = request;
  const isNarrow = traitsOf(columns[0]).bits < 64;
  if (shape.operation !== 'sort' || segments !== undefined || !isNarrow) {
    return sortPlainRows(request);
  }
  return servePlain(request, sortKeys(request));
}

/** Keys come back from their words, so a NaN's payload bits stay in them. */
function* sortKeys({ shape, columns }: SortRequest): Generator<undefined, Sorted> {
  const [keys] = columns;
  const traits = traitsOf(keys);
  const { begin, end } = shape.keyBits ?? { begin: 0, end: traits.bits };
  const words = new Uint32Array(shape.length);
  for (const [from, to] of slicesOf(shape.length, STEP)) {
    words.set(keysToWords(keys.subarray(from, to), traits), from);
    yield;
  }
  const digits = splitDigits(begin, end, DIGIT_BITS);
  const spare = new Uint32Array(shape.length);
  const sorted = yield* sortWords(words, spare, digits, shape.order === 'descending');
  const results = [yield* keysOfWords(keys, sorted)];
  return { permutation: undefined, results, passes: digits.length };
}

/** Sorted words as keys, ready to be copied in. */
function* keysOfWords(keys: KeyArray, words: Uint32Array): Generator<undefined, Result> {
  const own = bitsOf(keys);
  const bits = new (own.constructor as new (length: number) => typeof own)(own.length);
  for (const [from, to] of slicesOf(words.length, STEP)) {
    wordsToKeys(words.subarray(from, to), bits.subarray(from, to), traitsOf(keys));
    yield;
  }
  return { name: 'keys', target: keys, length: keys.length, bits };
}
