/** The order of a job's keys: found by a survey, written as the kernels read it. */

import { bitLength, type DigitRange, keyTransform, limitRange } from '@keysweep/core';
import { Format, Layout } from '@keysweep/kernels/cpu';
import type { Pausable } from '../pool/work-queue.js';
import { PARTITION_BITS, sliceOf, surveyAt, topDigit } from './arena-layout.js';
import type { Found, Job, KeyOrder, Seat } from './job-context.js';

/** Bytes of records that caches can hold, with as much again for the passes. */
const WARM_UP_TO = 8 << 20;

/** What decides between two keys: see kernels/cpu/wasm/order.ts. */
interface Masks {
  readonly flip: bigint;
  readonly bias: bigint;
  readonly ceiling: bigint;
  readonly gap: bigint;
}

const ALL = (1n << 64n) - 1n;

/**
 * Surveys the keys together with the other threads, and writes this thread's order block: the key
 * type's transform with the range limiter's bias.
 */
export function* surveyOrder(seat: Seat): Pausable<KeyOrder> {
  const { job, kernels, scratch, share } = seat;
  const { keyType, length, plan, places } = job;
  const { negative, positive, bias, ceiling } = keyTransform(keyType);
  // Kernels flip all but the sign bit by a mask and the sign bit by the bias.
  const masks = { flip: negative ^ positive, bias: bias - positive, ceiling, gap: 0n };
  const isWideKey = plan.keyBytes === 8;
  writeMasks(seat, scratch.order, isWideKey ? 64 : 32, masks);
  const layout = (plan.layout & Layout.FLOAT) | (isWideKey ? Layout.KEYS_64 : Layout.KEYS_32);
  yield* share(places.slices, (slice) => {
    const [first, n] = sliceOf(places, slice, 0, length);
    if (n === 0) return;
    // One key of the slice before, to see the step between them.
    const overlap = Math.min(first, 1);
    seat.awaitStaged(slice + 1);
    const keys = job.keysAt + (first - overlap) * plan.keyBytes;
    kernels.survey(layout, keys, n + overlap, scratch.order, surveyAt(places, slice));
    // Keys alone go straight on to a scatter; a pack would have had the other half in its hands.
    const isWarmed = plan.valueFormat === Format.ABSENT && length * plan.stride <= WARM_UP_TO;
    if (isWarmed) kernels.warm(places.awayAt + first * plan.stride, n * plan.stride);
  });
  const survey = addUp(seat);
  const { order, keys } = orderOf(job, masks, survey);
  const width = plan.stride === 16 ? 64 : 8 * plan.keyBytes;
  writeMasks(seat, scratch.order, width, keys);
  writeRange(seat, scratch.order, order, order.end);
  writeBucketOrders(seat, order);
  return order;
}

/** Chooses the kernels and the range for keys between the survey's smallest and largest word. */
function orderOf(
  job: Job,
  masks: Masks,
  { minimum, maximum, least, rises, falls }: Sum,
): { readonly order: KeyOrder; readonly keys: Masks } {
  const { keyBits, plan, descending } = job;
  const steps = descending ? ([falls, rises] as const) : ([rises, falls] as const);
  const complete = (
    { bias, begin, end }: DigitRange,
    keys: Masks,
    kernels: Pick<KeyOrder, 'layout' | 'bucketLayout' | 'descending'>,
    digit = { top: end, first: 0 },
  ): { order: KeyOrder; keys: Masks } => {
    const found = begin === end ? 'sorted' : findOrder(job, steps);
    return { keys: { ...keys, bias }, order: { begin, end, ...digit, found, ...kernels } };
  };
  const isFloat = (plan.layout & Layout.FLOAT) !== 0;
  const bare = plan.layout & ~Layout.FLOAT;
  const integers = { layout: bare, bucketLayout: bare, descending };
  /** For keys whose bits, from `least` to `most`, are in order themselves, or in reverse order. */
  const bits = (least: bigint, most: bigint, isReversed = false): ReturnType<typeof complete> => {
    const kernels = { ...integers, descending: descending !== isReversed };
    return complete(alignedRange(least, most), masks, kernels, digitBetween(least, most));
  };
  if (!isFloat) {
    if (keyBits === undefined) return bits(minimum + masks.bias, maximum + masks.bias);
    return complete(limitRange(minimum, maximum, keyBits), masks, integers);
  }

  // Words below `zero` are negative numbers; those above all others are NaNs with the sign bit set.
  const zero = -masks.bias;
  const infinity = masks.ceiling - 1n;
  const positiveNan = zero + masks.flip;
  const isKeysAlone = plan.valueFormat === Format.ABSENT;
  if (maximum > (isKeysAlone ? positiveNan : infinity)) {
    // NaNs of either sign, or NaNs that must stay ties although their bits differ.
    const clamp = (word: bigint): bigint => (word < masks.ceiling ? word : masks.ceiling);
    const range = limitRange(clamp(minimum), clamp(maximum), undefined);
    const floats = { layout: plan.layout, bucketLayout: plan.layout, descending };
    const keys = { ...masks, ceiling: masks.ceiling - range.bias };
    return complete({ ...range, bias: masks.bias + range.bias }, keys, floats);
  }
  // The bits of numbers of one sign are in order, or in reverse order, themselves.
  if (minimum >= zero) return bits(minimum - zero, maximum - zero);
  if (maximum < zero) {
    const bitsOf = (word: bigint): bigint => (word - zero) ^ masks.flip;
    return bits(bitsOf(maximum), bitsOf(minimum), true);
  }
  const magnitude = maximum - zero > zero - 1n - minimum ? maximum - zero : zero - 1n - minimum;
  const { gap, end } = gapBelow(least, magnitude);
  const range = { bias: masks.bias + zero - (1n << BigInt(end - 1)), begin: 0, end };
  const mixed = { layout: plan.layout, bucketLayout: bare, descending };
  return complete(range, { ...masks, ceiling: ALL, gap }, mixed);
}

/**
 * What can be taken off magnitudes from `least` to `most`, and the bits of what is left, with the sign. In steps of the unit of the
 * top digit, so that the keys of a bucket agree above it in their own bits, too.
 */
function gapBelow(least: bigint, most: bigint): { gap: bigint; end: number } {
  const bitsAbove = (gap: bigint): number => bitLength(most - gap) + 1;
  for (let end = bitsAbove(least); ; end++) {
    const unit = BigInt(topDigit(0, end).shift);
    const gap = (least >> unit) << unit;
    if (bitsAbove(gap) <= end) return { gap, end };
  }
}

/**
 * The range limiter's bias, cut down to where only the top bit of the range is touched: the fewest bits, or one more.
 */
function alignedRange(minimum: bigint, maximum: bigint): DigitRange {
  const bits = bitLength(maximum - minimum);
  const at = (end: number): bigint => {
    const unit = BigInt(Math.max(end - 1, 0));
    return (minimum >> unit) << unit;
  };
  const fits = maximum - at(bits) < 1n << BigInt(bits);
  const end = fits ? bits : bits + 1;
  return { bias: at(end), begin: 0, end };
}

/**
 * The most significant digit of keys whose bits lie between two: PARTITION_BITS bits from as low as leaves all that is above them to be
 * told by them. A million floats from 0 to 1 have some 20 exponents, so the digit has 3 bits of their mantissas, where the
 * top bits of the range have one.
 */
function digitBetween(least: bigint, most: bigint): Pick<KeyOrder, 'top' | 'first'> {
  const valuesFrom = (shift: bigint): bigint => (most >> shift) - (least >> shift);
  let shift = BigInt(Math.max(0, bitLength(most - least) - PARTITION_BITS));
  if (valuesFrom(shift) >= 1n << BigInt(PARTITION_BITS)) shift++;
  const width = bitLength(valuesFrom(shift));
  const first = BigInt.asUintN(width, least >> shift);
  return { top: Number(shift) + width, first: Number(first) };
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
  /** Of floats, the least magnitude. */
  readonly least: bigint;
  /** Whether some key is above, or below, the key before it. */
  readonly rises: boolean;
  readonly falls: boolean;
}

function addUp({ job, words, longs }: Seat): Sum {
  const { places, length } = job;
  let minimum = longs[surveyAt(places, places.slices - 1) / 8] as bigint;
  let maximum = 0n;
  let least = ALL;
  let rises = false;
  let falls = false;
  for (let slice = 0; slice < places.slices; slice++) {
    const [, n] = sliceOf(places, slice, 0, length);
    if (n === 0) continue;
    const at = surveyAt(places, slice);
    const [low, high] = [longs[at / 8] as bigint, longs[at / 8 + 1] as bigint];
    if (low < minimum) minimum = low;
    if (high > maximum) maximum = high;
    const magnitude = longs[at / 8 + 2] as bigint;
    if (magnitude < least) least = magnitude;
    falls ||= words[at / 4 + 6] !== 0;
    rises ||= words[at / 4 + 7] !== 0;
  }
  return { minimum, maximum, least, rises, falls };
}

/** Writes masks into the order block at `order`, cut to `width` bits. */
function writeMasks(
  { longs }: Seat,
  order: number,
  width: number,
  { flip, bias, ceiling, gap }: Masks,
): void {
  longs[order / 8] = BigInt.asUintN(width, flip);
  longs[order / 8 + 1] = BigInt.asUintN(width, bias);
  longs[order / 8 + 2] = BigInt.asUintN(width, ceiling);
  longs[order / 8 + 3] = gap;
}

function writeRange(
  { job, words }: Seat,
  at: number,
  { begin, descending }: Pick<KeyOrder, 'begin' | 'descending'>,
  end: number,
): void {
  words[at / 4 + 8] = begin;
  words[at / 4 + 9] = end;
  words[at / 4 + 10] = Number(descending);
  words[at / 4 + 11] = Number(job.keyBits === undefined);
}

/** Writes the order within buckets of the top digit: one block for positive and one for negative keys. */
function writeBucketOrders(seat: Seat, order: KeyOrder): void {
  const { scratch, longs } = seat;
  const { begin, top, layout, bucketLayout } = order;
  for (const [i, block] of scratch.bucketOrders.entries()) {
    longs.copyWithin(block / 8, scratch.order / 8, scratch.order / 8 + 4);
    // What is left of a key below the sign has no bias.
    if (bucketLayout !== layout) longs[block / 8 + 1] = 0n;
    const descending = order.descending !== (i === 1);
    writeRange(seat, block, { begin, descending }, topDigit(begin, top).shift);
  }
}
