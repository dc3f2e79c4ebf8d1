/** The order of a job's keys: found by a survey, written as the kernels read it. */

import { keyTransform, limitRange } from '@keysweep/core';
import { Format, Layout } from '@keysweep/kernels/cpu';
import { sliceOf, surveyAt } from './places.js';
import type { Found, Job, KeyOrder, Seat } from './seat.js';
import { RUN_DIGIT_BITS, type Steps } from './steps.js';

/** Bytes of records that caches can hold, with as much again for the passes. */
const WARM_UP_TO = 8 << 20;

/**
 * Surveys the keys together with the other threads, and writes this thread's order block: the key
 * type's transform with the range limiter's bias.
 */
export function surveyOrder(seat: Seat): KeyOrder {
  const { job, kernels, scratch, share } = seat;
  const { keyType, length, plan, places, keyBits } = job;
  const { negative, positive, bias, ceiling } = keyTransform(keyType);
  // Kernels flip all but the sign bit by a mask and the sign bit by the bias: see kernels/cpu/wasm/order.ts.
  const flip = negative ^ positive;
  const fold = bias - positive;
  const isWideKey = plan.keyBytes === 8;
  writeMasks(seat, isWideKey ? 64 : 32, flip, fold, ceiling);
  const layout = (plan.layout & Layout.FLOAT) | (isWideKey ? Layout.KEYS_64 : Layout.KEYS_32);
  share(places.slices, (slice) => {
    const [first, n] = sliceOf(places, slice, 0, length);
    if (n === 0) return;
    // One key of the slice before, to see the step between them.
    const overlap = Math.min(first, 1);
    const keys = job.keysAt + (first - overlap) * plan.keyBytes;
    kernels.survey(layout, keys, n + overlap, scratch.order, surveyAt(places, slice));
    // Keys alone go straight on to a scatter; a pack would have had the other half in its hands.
    const isWarmed = plan.valueFormat === Format.ABSENT && length * plan.stride <= WARM_UP_TO;
    if (isWarmed) kernels.warm(places.awayAt + first * plan.stride, n * plan.stride);
  });
  const { minimum, maximum, rises, falls } = addUp(seat);
  const clamp = (word: bigint): bigint => (word < ceiling ? word : ceiling);
  const range = limitRange(clamp(minimum), clamp(maximum), keyBits);
  writeMasks(
    seat,
    plan.stride === 16 ? 64 : 8 * plan.keyBytes,
    flip,
    fold + range.bias,
    ceiling - range.bias,
  );
  writeRange(seat, scratch.order, range.begin, range.end, RUN_DIGIT_BITS);
  const { begin, end } = range;
  if (begin === end) return { begin, end, found: 'sorted' };
  return { begin, end, found: findOrder(job, job.descending ? [falls, rises] : [rises, falls]) };
}

/** Which order the keys are in, from whether any key goes on or back in the order asked for. */
function findOrder(
  { keyBits, permuted, plan, segmentCount }: Job,
  [goesOn, goesBack]: readonly [boolean, boolean],
): Found {
  if (keyBits !== undefined || permuted) return 'mixed';
  if (!goesBack) return 'sorted';
  // Ties keep their order when a sort is stable, so only keys alone may be turned around.
  const isKeysAlone = plan.valueFormat === Format.ABSENT;
  return !goesOn && isKeysAlone && segmentCount === 1 ? 'reversed' : 'mixed';
}

/** What the surveys of all slices add up to. */
interface Sum {
  readonly minimum: bigint;
  readonly maximum: bigint;
  /** Whether some key is above, or below, the key before it. */
  readonly rises: boolean;
  readonly falls: boolean;
}

function addUp({ job, words, longs }: Seat): Sum {
  const { places, length } = job;
  let minimum = longs[surveyAt(places, places.slices - 1) / 8] as bigint;
  let maximum = 0n;
  let rises = false;
  let falls = false;
  for (let slice = 0; slice < places.slices; slice++) {
    const [, n] = sliceOf(places, slice, 0, length);
    if (n === 0) continue;
    const at = surveyAt(places, slice);
    const [low, high] = [longs[at / 8] as bigint, longs[at / 8 + 1] as bigint];
    if (low < minimum) minimum = low;
    if (high > maximum) maximum = high;
    falls ||= words[at / 4 + 4] !== 0;
    rises ||= words[at / 4 + 5] !== 0;
  }
  return { minimum, maximum, rises, falls };
}

/** Writes the masks of this thread's order block, cut to `width` bits. */
function writeMasks(
  { scratch, longs }: Seat,
  width: number,
  flip: bigint,
  bias: bigint,
  ceiling: bigint,
): void {
  const at = scratch.order / 8;
  longs[at] = BigInt.asUintN(width, flip);
  longs[at + 1] = BigInt.asUintN(width, bias);
  longs[at + 2] = BigInt.asUintN(width, ceiling);
}

function writeRange(
  { words, job }: Seat,
  order: number,
  begin: number,
  end: number,
  digitBits: number,
): void {
  words[order / 4 + 6] = begin;
  words[order / 4 + 7] = end;
  words[order / 4 + 8] = Number(job.descending);
  words[order / 4 + 9] = digitBits;
}

/** Writes the order within a bucket: the bits below the partition's digit. */
export function writeBucketOrder(
  seat: Seat,
  { begin }: KeyOrder,
  { shift, digitBits }: Steps,
): void {
  const { scratch, longs } = seat;
  longs.copyWithin(scratch.bucketOrder / 8, scratch.order / 8, scratch.order / 8 + 3);
  writeRange(seat, scratch.bucketOrder, begin, shift, digitBits);
}
