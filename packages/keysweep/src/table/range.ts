/** Ranges of words. */

import { bitLength } from '@keysweep/core';

/** The least and the largest word, in halves: integers of 64 bits would be slow. */
export interface Range {
  leastLow: number;
  leastHigh: number;
  mostLow: number;
  mostHigh: number;
}

const ALL = 2 ** 32 - 1;

/** The range of no words. */
export const emptyRange = (): Range => ({
  leastLow: ALL,
  leastHigh: ALL,
  mostLow: 0,
  mostHigh: 0,
});

/** The top bit of 32. With it inverted, words compare as signed integers do. */
export const TOP: number = 1 << 31;

/**
 * Widens a range by words [from, to) of 32 bits. `flip` is what makes words of what is given: TOP
 * for signed integers, 0 for words themselves.
 */
export function widenByLows(
  range: Range,
  lows: Uint32Array,
  from: number,
  to: number,
  flip = 0,
): void {
  // Signed integers need no conversion. Two words at once, one of each half: neither waits for the
  // other. The halves of an odd number have one word in common.
  const mask = flip ^ TOP;
  const half = (to - from + 1) >> 1;
  let [least, most] = [range.leastLow ^ TOP, range.mostLow ^ TOP];
  let [otherLeast, otherMost] = [least, most];
  for (let i = from, j = to - half; j < to; i++, j++) {
    const word = (lows[i] as number) ^ mask;
    const other = (lows[j] as number) ^ mask;
    least = Math.min(least, word);
    most = Math.max(most, word);
    otherLeast = Math.min(otherLeast, other);
    otherMost = Math.max(otherMost, other);
  }
  range.leastLow = (Math.min(least, otherLeast) ^ TOP) >>> 0;
  range.mostLow = (Math.max(most, otherMost) ^ TOP) >>> 0;
  range.leastHigh = 0;
}

/** The least word of a range, and the bits of the largest one less it. */
export function boundsOf({ leastLow, leastHigh, mostLow, mostHigh }: Range): {
  least: bigint;
  bits: number;
} {
  const least = (BigInt(leastHigh) << 32n) | BigInt(leastLow);
  const most = (BigInt(mostHigh) << 32n) | BigInt(mostLow);
  return { least, bits: bitLength(most - least) };
}
