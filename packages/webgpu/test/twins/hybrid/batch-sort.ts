/** The twin of kernels/wgsl/hybrid/batch-sort.wgsl. */

import { bitsOf, clampWord, type KeyOrder, type Records } from '../order.js';

/** The records of a batch, whose keys are words, in order, stably; keys as raw bits. */
export function batchSort(
  { keys, values }: Records,
  order: KeyOrder,
  hasNanTies: boolean,
): Records {
  const words = keys.map((word) => (hasNanTies ? clampWord(word, order) : word));
  const rows = keys.map((_, row) => row);
  rows.sort((a, b) => {
    const [one, other] = [words[a] as bigint, words[b] as bigint];
    return one < other ? -1 : one > other ? 1 : a - b;
  });
  return {
    keys: rows.map((row) => bitsOf(keys[row] as bigint, order)),
    values: rows.map((row) => values[row] as bigint),
  };
}
