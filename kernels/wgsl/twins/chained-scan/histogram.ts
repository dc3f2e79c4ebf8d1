/** The twin of ../../chained-scan/histogram.wgsl. */

import { CONSTANTS } from '../../constants.js';
import { type KeyOrder, wordOf } from '../order.js';
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
