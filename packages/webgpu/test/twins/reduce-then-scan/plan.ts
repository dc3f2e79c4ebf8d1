/** The twin of kernels/wgsl/reduce-then-scan/plan.wgsl. */

import { CONSTANTS } from '@keysweep/kernels/wgsl';
import {
  bitLength,
  bitsOf,
  fixedOf,
  type KeyOrder,
  nextBit,
  type Pass,
  type Plan,
  type Scale,
} from '../order.js';
import type { KeyRange } from './survey.js';

const { RADIX_BITS, SPINE_COUNTS } = CONSTANTS;

/** Which keys there are, and how they are divided. */
export interface Division {
  readonly count: number;
  readonly offset: number;
  readonly tile: number;
  readonly minTiles: number;
  readonly maxBlocks: number;
  readonly isApproximate: boolean;
}

/** The passes, and how the keys are divided among blocks. */
export function plan(ranges: readonly KeyRange[], order: KeyOrder, division: Division): Plan {
  const { count, offset, tile, minTiles, maxBlocks, isApproximate } = division;
  const all = { ...(ranges[0] as KeyRange) };
  for (const { smallest, largest, anyBits, allBits } of ranges) {
    if (smallest < all.smallest) all.smallest = smallest;
    if (largest > all.largest) all.largest = largest;
    all.anyBits |= anyBits;
    all.allBits &= allBits;
  }

  // By bits: digits that begin at a bit in which words differ.
  const decisive = all.anyBits & ~all.allBits & order.mask;
  const begins: number[] = [];
  for (
    let bit = nextBit(decisive, 0);
    bit !== undefined;
    bit = nextBit(decisive, bit + RADIX_BITS)
  ) {
    begins.push(bit);
  }
  // By range: digits of the word less the smallest; or of the code, for approximate sorts.
  const scale = isApproximate ? scaleOf(all, order) : undefined;
  const span = bitLength(scale ? BigInt(scale.top) : all.largest - all.smallest);
  const skipped = isApproximate ? 0 : Math.max(0, span - order.precision);
  const byRange = Math.ceil((span - skipped) / RADIX_BITS);
  const isByRange = isApproximate || (order.mayShift && byRange < begins.length);
  const shifts = isByRange
    ? Array.from({ length: byRange }, (_, p) => skipped + p * RADIX_BITS)
    : begins;
  // The complement of (largest key - key), in as many bits as the range has, is (word - bias).
  const bias = order.isDescending
    ? BigInt.asUintN(order.bits, all.largest - (1n << BigInt(span)) + 1n)
    : all.smallest;
  const top = isByRange ? span : bitLength(decisive);
  const run = count < 2 ? [] : shifts;
  const passes = run.map(
    (shift, p): Pass => ({
      bias: isByRange && !isApproximate ? bias : 0n,
      shift,
      width: Math.min(RADIX_BITS, top - shift),
      isFirst: p === 0,
      isLast: p === run.length - 1,
      sourceOffset: p % 2 === 0 ? offset : 0,
      targetOffset: p % 2 === 0 ? 0 : offset,
      scale,
    }),
  );

  const tiles = Math.ceil(count / tile);
  const tilesPerBlock = Math.max(minTiles, Math.ceil(tiles / maxBlocks));
  const blocks = Math.ceil(tiles / tilesPerBlock);
  const spineLanes = blocks <= SPINE_COUNTS ? 1 : blocks <= 8 * SPINE_COUNTS ? 8 : 64;
  const maxPasses = order.bits / RADIX_BITS;
  const passesSkipped = maxPasses - passes.length;
  return { count, offset, tilesPerBlock, blocks, spineLanes, passesSkipped, passes };
}

/** The scale whose codes fit 24 bits. */
function scaleOf({ smallest, largest }: KeyRange, order: KeyOrder): Scale {
  if (smallest > largest) return { floor: 0, exponent: 1, shift: 0, top: 3 };
  const ends = [bitsOf(smallest, order), bitsOf(largest, order)];
  const exponent = Math.max(1, ...ends.map((bits) => Number((bits >> 23n) & 255n)));
  const fixed = ends.map((bits) => fixedOf(bits, exponent));
  const floor = Math.min(...fixed);
  const range = Math.max(...fixed) - floor;
  const topOf = (shift: number): number => Math.floor(range / 2 ** shift) + 3;
  let shift = Math.max(bitLength(BigInt(range)), 24) - 24;
  if (topOf(shift) > 0xffffff) shift++;
  return { floor, exponent, shift, top: topOf(shift) };
}
