/** The twin of kernels/wgsl/reduce-then-scan/survey.wgsl. */

import { bitsOf, clampWord, type KeyOrder, wordOf } from '../order.js';

/** What some keys have in common. */
export interface KeyRange {
  smallest: bigint;
  largest: bigint;
  anyBits: bigint;
  allBits: bigint;
}

/**
 * The range of the keys of each of `groups` workgroups, which take chunks of `chunk` keys in turn.
 */
export function survey(
  keys: readonly bigint[],
  order: KeyOrder,
  { groups, chunk, isApproximate }: { groups: number; chunk: number; isApproximate: boolean },
): KeyRange[] {
  const all = (1n << BigInt(order.bits)) - 1n;
  const ranges = Array.from({ length: groups }, () => ({
    ...{ smallest: all, largest: 0n, anyBits: 0n, allBits: all },
  }));
  for (const [i, key] of keys.entries()) {
    const word = clampWord(wordOf(key, order), order);
    const isNumber = (bitsOf(word, order) & 0x7f800000n) !== 0x7f800000n;
    if (isApproximate && !isNumber) continue;
    const range = ranges[Math.floor(i / chunk) % groups] as KeyRange;
    if (word < range.smallest) range.smallest = word;
    if (word > range.largest) range.largest = word;
    range.anyBits |= word;
    range.allBits &= word;
  }
  return ranges;
}
