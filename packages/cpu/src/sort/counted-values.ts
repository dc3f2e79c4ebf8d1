/**
 * The values that rows are counted by. All bits of a narrow range are; of a wide one, what a
 * precision of 16 bits asks for, in 17:
 *
 * - Two keys whose words differ in the 16 leading bits of their range are told apart.
 * - So are two that are further from each other than 2^-16 of the range from the least key to the
 *   largest, because depths are compared on a screen, where equal steps look equal.
 *
 * For integers one more bit of the range does both. For floats it would not, because most of their
 * words are near zero: of depths from -16 to 16 the two largest binades, half of all depths, have
 * 2^-7 of the words. A value is then the sum of two numbers that only go up with the key: the 16
 * leading bits of its word, and its distance from the least key in 2^16 steps.
 */

import { bitLength, traitsOf, wordsToNarrowKeys } from '@keysweep/core';
import { ABSENT, COUNTED_BITS } from '@keysweep/kernels/cpu';
import type { CountedValues, Job } from './job-context.js';

const STEPS = 2 ** 16;

/**
 * More steps than 2^16, by a part too small to make another one, because doubles round: two keys in
 * one step are then no further from each other than 2^-16 of the range.
 */
const SPARE = 1 + 2 ** -30;

/**
 * The values of a job's rows whose words go from `minimum` to `maximum`, or undefined if they are
 * not counted: that takes one column as it comes, and twice as many rows as values.
 */
export function countedValues(
  job: Job,
  minimum: bigint,
  maximum: bigint,
  ceiling: bigint,
): CountedValues | undefined {
  const { plan, permuted, keysWanted, segmentCount, keyBits, keyType } = job;
  const areRows = plan.valueFormat !== ABSENT && !keysWanted && !permuted;
  const isWhole = plan.keyBytes === 4 && segmentCount === 1 && keyBits === undefined;
  if (!areRows || !isWhole) return undefined;
  const bits = bitLength(maximum - minimum);
  const width = Math.min(bits, COUNTED_BITS);
  if ((bits > width && job.precision !== 16) || !hasRoom(job, width)) return undefined;
  if (bits === width || keyType !== 'f32')
    return { shift: bits - width, width, least: 0, scale: 0 };
  // Of infinities and NaNs there is no distance. Word 0 is -Infinity's.
  if (minimum === 0n || maximum >= ceiling - 1n) return undefined;
  const ends = new Float32Array(2);
  wordsToNarrowKeys(Uint32Array.of(Number(minimum), Number(maximum)), ends, traitsOf(ends));
  const [least, most] = ends as unknown as [number, number];
  const scale = (STEPS * SPARE) / (most - least);
  return { shift: bits - 16, width, least, scale };
}

/**
 * Whether counters of `width` bits pay: with at least twice as many rows as counters. The widest
 * values pay with fewer, because not counting them needs memory for the rows.
 */
const hasRoom = ({ length }: Job, width: number): boolean =>
  length >= (width === COUNTED_BITS ? 2 ** width + 2 ** 10 : 2 ** (width + 1));
