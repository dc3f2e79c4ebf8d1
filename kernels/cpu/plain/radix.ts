/**
 * Radix passes in plain TypeScript, for runtimes without WebAssembly or shared memory. Least
 * significant digit first (Knuth, "The Art of Computer Programming" 3, 5.2.5, algorithm R); each
 * pass counts, scans and scatters. In steps, so that a thread which has a page to paint can pause.
 * The loops themselves are functions, because engines optimize those better than generators.
 */

import { type Digit, slicesOf } from '@keysweep/core';

/**
 * Words between two pauses: a fraction of a millisecond even where every store misses the caches.
 */
const STEP = 2 ** 14;

/**
 * Sorts `words` by `digits` (least significant first), stable. `spare` is as long as `words`.
 * Returns whichever of the two holds the result; yields about every 2^14 words. O(n) a digit;
 * allocates 2^width counters.
 */
export function* sortWords(
  words: Uint32Array,
  spare: Uint32Array,
  digits: readonly Digit[],
  descending: boolean,
): Generator<undefined, Uint32Array> {
  let [source, target] = [words, spare];
  for (const digit of digits) {
    const cursors = yield* scanDigit(source, digit, descending);
    if (cursors === undefined) continue;
    for (const [from, to] of slicesOf(source.length, STEP)) {
      scatterWords(source, target, digit, cursors, from, to);
      yield;
    }
    [source, target] = [target, source];
  }
  return source;
}

/**
 * Sorts `indices` by the words that they point to, stable: the next more significant column of a
 * permutation. `spare` is as long as `indices`. Returns whichever of the two holds the result;
 * yields about every 2^14 indices.
 */
export function* sortIndices(
  indices: Uint32Array,
  spare: Uint32Array,
  words: Uint32Array,
  digits: readonly Digit[],
  descending: boolean,
): Generator<undefined, Uint32Array> {
  let [source, target] = [indices, spare];
  for (const digit of digits) {
    const cursors = yield* scanDigit(words, digit, descending);
    if (cursors === undefined) continue;
    for (const [from, to] of slicesOf(source.length, STEP)) {
      scatterIndices(source, target, words, digit, cursors, from, to);
      yield;
    }
    [source, target] = [target, source];
  }
  return source;
}

function scatterWords(
  source: Uint32Array,
  target: Uint32Array,
  { shift, width }: Digit,
  cursors: Uint32Array,
  from: number,
  to: number,
): void {
  const mask = 2 ** width - 1;
  for (let i = from; i < to; i++) {
    const word = source[i] as number;
    const value = (word >>> shift) & mask;
    target[cursors[value] as number] = word;
    cursors[value] = (cursors[value] as number) + 1;
  }
}

function scatterIndices(
  source: Uint32Array,
  target: Uint32Array,
  words: Uint32Array,
  { shift, width }: Digit,
  cursors: Uint32Array,
  from: number,
  to: number,
): void {
  const mask = 2 ** width - 1;
  for (let i = from; i < to; i++) {
    const index = source[i] as number;
    const value = ((words[index] as number) >>> shift) & mask;
    target[cursors[value] as number] = index;
    cursors[value] = (cursors[value] as number) + 1;
  }
}

/** Where each digit value begins in the result; undefined when all words share one value. */
function* scanDigit(
  words: Uint32Array,
  digit: Digit,
  descending: boolean,
): Generator<undefined, Uint32Array | undefined> {
  const values = 2 ** digit.width;
  const cursors = new Uint32Array(values);
  for (const [from, to] of slicesOf(words.length, STEP)) {
    countDigit(words, digit, cursors, from, to);
    yield;
  }
  let start = 0;
  for (let i = 0; i < values; i++) {
    const value = descending ? values - 1 - i : i;
    const count = cursors[value] as number;
    if (count === words.length) return undefined;
    cursors[value] = start;
    start += count;
  }
  return cursors;
}

function countDigit(
  words: Uint32Array,
  { shift, width }: Digit,
  counts: Uint32Array,
  from: number,
  to: number,
): void {
  const mask = 2 ** width - 1;
  for (let i = from; i < to; i++) {
    const value = ((words[i] as number) >>> shift) & mask;
    counts[value] = (counts[value] as number) + 1;
  }
}
