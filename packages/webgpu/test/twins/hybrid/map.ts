/**
 * The twin of kernels/wgsl/fragments/map.wgsl and bin-digit.wgsl: from a word to its bucket and its
 * bin, as their headers say it, in whole numbers of any size.
 */

import { CONSTANTS } from '@keysweep/kernels/wgsl';
import { bitLength, clampWord, type KeyOrder } from '../order.js';

const { RADIX, MAP_CELLS } = CONSTANTS;

/** The struct `Map` of kernels/wgsl/fragments/order.wgsl, and its table. */
export interface KeyMap {
  readonly least: number;
  readonly below: number;
  readonly above: number;
  readonly most: number;
  readonly shift: number;
  readonly factor: number;
  readonly isLinear: number;
  readonly tail: number;
  readonly prefix: number;
  /** The first bucket of each cell and its width in buckets, in 1/256 of a bucket. */
  readonly cells: readonly (readonly [first: number, width: number])[];
}

/** The leads of a bucket, and how they are cut into bins. */
export interface Bins {
  readonly least: number;
  readonly most: number;
  readonly shift: number;
  readonly factor: number;
}

const clamp = (number: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, number));

/** The lead of a word; of one with other bits in front of it the least or the largest one. */
export function leadOf(word: bigint, { tail, prefix }: KeyMap): number {
  const within = (word >> BigInt(tail)) - (BigInt(prefix) << 32n);
  return Number(within < 0n ? 0n : within > 0xffffffffn ? 0xffffffffn : within);
}

/** The lead of a word, all NaNs alike if they tie. */
export const tiedLeadOf = (
  word: bigint,
  map: KeyMap,
  order: KeyOrder,
  hasNanTies: boolean,
): number => leadOf(hasNanTies ? clampWord(word, order) : word, map);

/** The leads of the range before a lead, those in the gap not counted. */
export function positionOf(lead: number, { least, below, above, most }: KeyMap): number {
  const inRange = clamp(lead, least, most);
  if (inRange <= below) return inRange - least;
  return below - least + Math.max(0, inRange - above);
}

/** A lead of a position. */
const leadAt = (position: number, { least, below, above }: KeyMap): number =>
  position <= below - least ? least + position : position - (below - least) + above;

/** The bucket of a position: its share of its cell is rounded up to a multiple of 2^-16. */
export function bucketAt(position: number, { shift, factor, isLinear, cells }: KeyMap): number {
  const fraction = (BigInt(position) >> BigInt(shift)) * BigInt(factor);
  if (fraction >> 32n !== 0n) throw new RangeError(`position ${position} is beyond the map`);
  if (isLinear === 1) return Number((fraction * BigInt(RADIX)) >> 32n);
  const inCells = fraction * BigInt(MAP_CELLS);
  const [first, width] = cells[Number(inCells >> 32n)] as readonly [number, number];
  const share = Number((inCells & 0xffffffffn) >> 16n) + 1;
  return Math.floor((first * 2 ** 16 + share * width) / 2 ** 24);
}

/** The bucket of a lead. */
export const bucketOf = (lead: number, map: KeyMap): number => bucketAt(positionOf(lead, map), map);

/** For each bucket the first position whose bucket is none before it; the last one if none is. */
export function firstPositions(map: KeyMap): number[] {
  const last = positionOf(map.most, map);
  return Array.from({ length: RADIX }, (_, bucket) => {
    // Every power of two that can be added without reaching the bucket.
    let before = -1;
    for (let step = 2 ** 32; step >= 1; step /= 2) {
      const next = before + step;
      if (next < last && bucketAt(next, map) < bucket) before = next;
    }
    return before + 1;
  });
}

/** How leads that are at most `within` above the least one are cut into bins. */
export function scaleOf(within: number): Pick<Bins, 'shift' | 'factor'> {
  const shift = Math.max(bitLength(BigInt(within)) - 16, 0);
  const parts = Math.floor(within / 2 ** shift) + 1;
  return { shift, factor: Math.min(Math.floor(2 ** 24 / parts), 2 ** 24 - 1) };
}

/** The bins of all buckets. */
export function binsOf(map: KeyMap): Bins[] {
  const firsts = firstPositions(map);
  const last = positionOf(map.most, map);
  return firsts.map((first, bucket) => {
    const end = bucket + 1 < RADIX ? (firsts[bucket + 1] as number) - 1 : last;
    const least = leadAt(first, map);
    const most = leadAt(Math.max(first, end), map);
    return { least, most, ...scaleOf(most - least) };
  });
}

/** The bin of a lead of the bucket. */
export function binOf(lead: number, { least, most, shift, factor }: Bins): number {
  const within = (clamp(lead, least, most) - least) >>> shift;
  return Math.min(Math.floor((within * factor) / 2 ** 16), RADIX - 1);
}

/** The least lead of the bucket whose bin is none before `bin`; the largest lead if none is. */
export function minOfBin(bin: number, bins: Bins): number {
  let before = bins.least - 1;
  for (let step = 2 ** 32; step >= 1; step /= 2) {
    const next = before + step;
    if (next < bins.most && binOf(next, bins) < bin) before = next;
  }
  return before + 1;
}
