/**
 * The twins of kernels/wgsl/segments/long-tiles.wgsl, long-histogram.wgsl, long-starts.wgsl and
 * long-sweep.wgsl.
 */

import { CONSTANTS } from '@keysweep/kernels/wgsl';
import { alignedDigit } from '../chained-scan/aligned-digit.js';
import { sweep } from '../chained-scan/sweep.js';
import { type KeyOrder, type Records, wordOf } from '../order.js';
import type { Segment } from './marks.js';

const { RADIX } = CONSTANTS;

export interface Tile {
  readonly first: number;
  readonly valid: number;
  readonly segment: number;
  readonly index: number;
}

/** The tiles of long segments, by segment. */
export const longTiles = (longs: readonly Segment[], tile: number): Tile[] =>
  longs.flatMap(({ first, count }, segment) =>
    Array.from({ length: Math.ceil(count / tile) }, (_, index) => ({
      first: first + index * tile,
      valid: Math.min(tile, count - index * tile),
      segment,
      index,
    })),
  );

/** How many keys of each long segment have each value of each digit. */
export const longHistogram = (
  keys: readonly bigint[],
  longs: readonly Segment[],
  order: KeyOrder,
  passes: number,
  hasNanTies: boolean,
): number[][][] =>
  longs.map(({ first, count }) =>
    Array.from({ length: passes }, (_, pass) => {
      const counts = new Array<number>(RADIX).fill(0);
      for (const key of keys.slice(first, first + count)) {
        const digit = alignedDigit(wordOf(key, order), order, 8 * pass, hasNanTies);
        counts[digit] = (counts[digit] as number) + 1;
      }
      return counts;
    }),
  );

/** Keys of smaller values, of the same; and the digits in which keys of some segment differ. */
export function longStarts(counts: readonly (readonly (readonly number[])[])[]): {
  readonly starts: number[][][];
  readonly digits: number[];
} {
  const digits = new Set<number>();
  const starts = counts.map((segment) =>
    segment.map((values, digit) => {
      if (values.filter((count) => count > 0).length > 1) digits.add(digit);
      let sum = 0;
      return values.map((count) => {
        sum += count;
        return sum - count;
      });
    }),
  );
  return { starts, digits: [...digits].sort((a, b) => a - b) };
}

/** One pass, of `digit`, over the records of each long segment. Others are left out. */
export function longSweep(
  { keys, values }: Records,
  longs: readonly Segment[],
  order: KeyOrder,
  { digit, isFirst, isLast }: { digit: number; isFirst: boolean; isLast: boolean },
  starts: readonly (readonly (readonly number[])[])[],
  hasNanTies: boolean,
): Records {
  const pass = { bias: 0n, shift: 8 * digit, width: 8, isFirst, isLast };
  const offsets = { sourceOffset: 0, targetOffset: 0 };
  const swept: Records = { keys: [...keys], values: [...values] };
  for (const [segment, { first, count }] of longs.entries()) {
    const own = {
      keys: keys.slice(first, first + count),
      values: values.slice(first, first + count),
    };
    const places = (starts[segment] as readonly (readonly number[])[])[digit] as readonly number[];
    const sorted = sweep(own, order, { ...pass, ...offsets }, places, hasNanTies);
    for (const [i, key] of sorted.keys.entries()) {
      swept.keys[first + i] = key;
      swept.values[first + i] = sorted.values[i] as bigint;
    }
  }
  return swept;
}
