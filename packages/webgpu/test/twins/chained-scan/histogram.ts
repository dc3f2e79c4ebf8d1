/** The twin of kernels/wgsl/chained-scan/histogram.wgsl. */

import { CONSTANTS } from '@keysweep/kernels/wgsl';
import { clampWord, type KeyOrder, wordOf } from '../order.js';
import { alignedDigit } from './aligned-digit.js';

/** How many keys have each value of each digit: RADIX counts a digit. */
export function histogram(
  keys: readonly bigint[],
  order: KeyOrder,
  hasNanTies: boolean,
): number[][] {
  const { RADIX, RADIX_BITS } = CONSTANTS;
  return Array.from({ length: order.bits / RADIX_BITS }, (_, p) => {
    const counts = new Array<number>(RADIX).fill(0);
    for (const key of keys) {
      const digit = alignedDigit(wordOf(key, order), order, p * RADIX_BITS, hasNanTies);
      counts[digit] = (counts[digit] as number) + 1;
    }
    return counts;
  });
}

/** Whether no key comes before the one in front of it, by the bits that decide the order. */
export function isSorted(keys: readonly bigint[], order: KeyOrder, hasNanTies: boolean): boolean {
  const words = keys.map((key) => {
    const word = wordOf(key, order);
    return (hasNanTies ? clampWord(word, order) : word) & order.mask;
  });
  return words.every((word, i) => i === 0 || (words[i - 1] as bigint) <= word);
}
