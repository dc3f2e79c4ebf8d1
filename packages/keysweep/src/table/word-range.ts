/** Ranges of words. */

import { bitLength } from '@keysweep/core';

/** The least and the largest word, in halves: integers of 64 bits would be slow. */
export interface WordRange {
  minLow: number;
  minHigh: number;
  maxLow: number;
  maxHigh: number;
  /** The bits in which words of 64 bits differ from one another. */
  differingLow: number;
  differingHigh: number;
}

const ALL = 2 ** 32 - 1;

/** The range of no words. */
export const emptyRange = (): WordRange => ({
  minLow: ALL,
  minHigh: ALL,
  maxLow: 0,
  maxHigh: 0,
  differingLow: 0,
  differingHigh: 0,
});

/** The top bit of 32. With it inverted, words compare as signed integers do. */
export const TOP: number = 1 << 31;

/** Widens a range by words of 32 bits, given the least and the largest. */
export function widenByLows(range: WordRange, [least, most]: readonly [number, number]): void {
  range.minLow = Math.min(range.minLow, least);
  range.maxLow = Math.max(range.maxLow, most);
  range.minHigh = 0;
}

/** The least and the largest word of a range, and the bits of their difference. */
export function boundsOf({ minLow, minHigh, maxLow, maxHigh }: WordRange): {
  least: bigint;
  most: bigint;
  bits: number;
} {
  const least = (BigInt(minHigh) << 32n) | BigInt(minLow);
  const most = (BigInt(maxHigh) << 32n) | BigInt(maxLow);
  return { least, most, bits: bitLength(most - least) };
}

/** How many of the lowest bits words of 64 bits have in common; 0 if all words are equal. */
export function alikeBits({ differingLow, differingHigh }: WordRange): number {
  const zerosBelow = (word: number): number => 31 - Math.clz32(word & -word);
  if (differingLow !== 0) return zerosBelow(differingLow);
  return differingHigh === 0 ? 0 : 32 + zerosBelow(differingHigh);
}
