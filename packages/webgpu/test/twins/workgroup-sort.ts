/** The twin of kernels/wgsl/workgroup-sort.wgsl. */

import { clampWord, type KeyOrder, type Records, wordOf } from './order.js';

/**
 * The records in order, stably, each segment by itself; `starts` are the segments' first records.
 */
export function workgroupSort(
  { keys, values }: Records,
  order: KeyOrder,
  starts: readonly number[] = [0],
): Records {
  const words = keys.map((key) => clampWord(wordOf(key, order), order) & order.mask);
  const rows = starts.flatMap((start, segment) => {
    const end = starts[segment + 1] ?? keys.length;
    const own = Array.from({ length: end - start }, (_, i) => start + i);
    return own.sort((a, b) => {
      const [one, other] = [words[a] as bigint, words[b] as bigint];
      return one < other ? -1 : one > other ? 1 : a - b;
    });
  });
  return {
    keys: rows.map((row) => keys[row] as bigint),
    values: rows.map((row) => values[row] as bigint),
  };
}
