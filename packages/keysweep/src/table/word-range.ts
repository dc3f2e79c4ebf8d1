/** Ranges of words. */

import { bitLength } from '@keysweep/core';

/** The least and the largest word, in halves: integers of 64 bits would be slow. */
export interface WordRange {
  leastLow: number;
  leastHigh: number;
  mostLow: number;
  mostHigh: number;
  /** The bits in which words of 64 bits differ from one another. */
  differingLow: number;
  differingHigh: number;
}

const ALL = 2 ** 32 - 1;

/** The range of no words. */
export const emptyRange = (): WordRange => ({
  leastLow: ALL,
  leastHigh: ALL,
  mostLow: 0,
  mostHigh: 0,
  differingLow: 0,
  differingHigh: 0,
});

/** The top bit of 32. With it inverted, words compare as signed integers do. */
export const TOP: number = 1 << 31;

/** Widens a range by words of 32 bits, given the least and the largest. */
export function widenByLows(range: WordRange, [least, most]: readonly [number, number]): void {
  range.leastLow = Math.min(range.leastLow, least);
  range.mostLow = Math.max(range.mostLow, most);
  range.leastHigh = 0;
}

/** The least and the largest word of a range, and the bits of their difference. */
export function boundsOf({ leastLow, leastHigh, mostLow, mostHigh }: WordRange): {
  least: bigint;
  most: bigint;
  bits: number;
} {
  const least = (BigInt(leastHigh) << 32n) | BigInt(leastLow);
  const most = (BigInt(mostHigh) << 32n) | BigInt(mostLow);
  return { least, most, bits: bitLength(most - least) };
}

/** How many of the lowest bits words of 64 bits have in common; 0 if all words are equal. */
export function alikeBits({ differingLow, differingHigh }: WordRange): number {
  const zerosBelow = (word: number): number => 31 - Math.clz32(word & -word);
  if (differingLow !== 0) return zerosBelow(differingLow);
  return differingHigh === 0 ? 0 : 32 + zerosBelow(differingHigh);
}
