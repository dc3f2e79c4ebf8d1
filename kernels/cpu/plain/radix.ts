/**
 * Radix passes in plain TypeScript, for runtimes without WebAssembly or shared memory.
 * Least significant digit first (Knuth, TAOCP 3, 5.2.5, algorithm R); each pass counts, scans and
 * scatters. About a third of the compiled kernels' speed.
 */

import type { Digit } from '@keysweep/core';

/**
 * Sorts `words` by `digits` (least significant first), stable. `spare` is as long as `words`.
 * Returns whichever of the two holds the result. O(n) a digit; allocates 2^width counters.
 */
export function sortWords(
  words: Uint32Array,
  spare: Uint32Array,
  digits: readonly Digit[],
  descending: boolean,
): Uint32Array {
  let [source, target] = [words, spare];
  for (const digit of digits) {
    const cursors = scanDigit(source, digit, descending);
    if (cursors === undefined) continue;
    const { shift, width } = digit;
    const mask = 2 ** width - 1;
    for (let i = 0; i < source.length; i++) {
      const word = source[i] as number;
      const value = (word >>> shift) & mask;
      target[cursors[value] as number] = word;
      cursors[value] = (cursors[value] as number) + 1;
    }
    [source, target] = [target, source];
  }
  return source;
}

/**
 * Sorts `indices` by the words that they point to, stable: the next more significant column of a
 * permutation. `spare` is as long as `indices`. Returns whichever of the two holds the result.
 */
export function sortIndices(
  indices: Uint32Array,
  spare: Uint32Array,
  words: Uint32Array,
  digits: readonly Digit[],
  descending: boolean,
): Uint32Array {
  let [source, target] = [indices, spare];
  for (const digit of digits) {
    const cursors = scanDigit(words, digit, descending);
    if (cursors === undefined) continue;
    const { shift, width } = digit;
    const mask = 2 ** width - 1;
    for (let i = 0; i < source.length; i++) {
      const index = source[i] as number;
      const value = ((words[index] as number) >>> shift) & mask;
      target[cursors[value] as number] = index;
      cursors[value] = (cursors[value] as number) + 1;
    }
    [source, target] = [target, source];
  }
  return source;
}

/** Where each digit value begins in the result; undefined when all words share one value. */
function scanDigit(
  words: Uint32Array,
  { shift, width }: Digit,
  descending: boolean,
): Uint32Array | undefined {
  const values = 2 ** width;
  const cursors = new Uint32Array(values);
  for (let i = 0; i < words.length; i++) {
    const value = ((words[i] as number) >>> shift) & (values - 1);
    cursors[value] = (cursors[value] as number) + 1;
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
