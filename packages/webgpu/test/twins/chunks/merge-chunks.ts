/** The twin of kernels/wgsl/chunks/merge-chunks.wgsl. */

import { clampWord, type KeyOrder, type Records, wordOf } from '../order.js';

/**
 * What the places of the first chunk hold after the merge, and what those of the second: equal
 * keys keep their order, the first chunk's in front.
 */
export function mergeChunks(
  first: Records,
  second: Records,
  order: KeyOrder,
): [first: Records, second: Records] {
  const decisive = (key: bigint): bigint => clampWord(wordOf(key, order), order) & order.mask;
  const records = [first, second].flatMap(({ keys, values }) =>
    keys.map((key, i) => ({ key, value: values[i] as bigint, word: decisive(key) })),
  );
  // Stable.
  records.sort((a, b) => (a.word < b.word ? -1 : a.word > b.word ? 1 : 0));
  const from = (begin: number, end?: number): Records => {
    const some = records.slice(begin, end);
    return { keys: some.map(({ key }) => key), values: some.map(({ value }) => value) };
  };
  return [from(0, first.keys.length), from(first.keys.length)];
}
