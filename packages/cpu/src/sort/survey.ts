/**
 * Survey: one read of the keys finds the smallest and the largest word, and whether the keys are in
 * order already. The order of the keys follows from that, and is written as the kernels read it.
 */

import { bitLength, type DigitRange, keyTransform, limitRange } from '@keysweep/core';
import { ABSENT, FLOAT, ORDER, PARTITION_BITS, SURVEY } from '@keysweep/kernels/cpu';
import { sliceOf } from '../arena/cuts.js';
import { surveyAt } from '../arena/layout.js';
import type { Pausable } from '../arena/work-queue.js';
import { countedValues } from './counted-values.js';
import {
  type CountedValues,
  type InputOrder,
  type Job,
  type JobContext,
  type KeyOrder,
  topDigit,
  writeJob,
} from './job-context.js';

/** What decides between two keys: see kernels/cpu/wasm/order.ts. */
interface Masks {
  readonly flip: bigint;
  readonly bias: bigint;
  readonly ceiling: bigint;
  readonly gap: bigint;
}

const ALL = (1n << 64n) - 1n;

/**
 * Surveys the keys together with the other threads, and writes this thread's order blocks: the key
 * type's transform with the range limiter's bias.
 */
export function* surveyOrder(context: JobContext): Pausable<KeyOrder> {
  const { job, kernels, scratch, runPhase, arrays, copies } = context;
  const { keyType, length, plan, arena } = job;
  const { negative, positive, bias, ceiling } = keyTransform(keyType);
  // Kernels flip all but the sign bit by a mask and the sign bit by the bias.
  const masks = { flip: negative ^ positive, bias: bias - positive, ceiling, gap: 0n };
  writeMasks(context, scratch.order, 8 * plan.keyBytes, masks);
  const { variant, keyFormat } = plan;
  writeJob(context, { variant, keyFormat, keys: job.keysAt, order: scratch.order });
  yield* runPhase(arena.slices, (slice) => {
    const [first, n] = sliceOf(arena, slice, 0, length);
    if (n === 0) {
      // What no surveys add up to.
      kernels.addSurveys(0, 0, 0, surveyAt(arena, slice));
      return;
    }
    // One key of the slice before, to see the step between them.
    const overlap = Math.min(first, 1);
    // Another thread may come to the slice before later.
    if (arrays.staged.length > 0) copies?.stageStretch(context, first - overlap, n + overlap);
    else context.awaitStaged(slice + 1);
    kernels.survey(scratch.job, first - overlap, n + overlap, surveyAt(arena, slice));
  });
  const survey = addUp(context);
  const { order, keys } = orderOf(job, masks, survey);
  const width = plan.stride === 16 ? 64 : 8 * plan.keyBytes;
  writeMasks(context, scratch.order, width, keys);
  writeRange(context, scratch.order, order, order.end);
  writeBucketOrders(context, order);
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
    kernels: Pick<KeyOrder, 'variant' | 'bucketVariant' | 'descending'>,
    digit = { top: end, firstValue: 0 },
    counted?: CountedValues,
  ): { order: KeyOrder; keys: Masks } => {
    const inputOrder = begin === end ? 'sorted' : findInputOrder(job, steps);
    const order = { begin, end, ...digit, inputOrder, ...kernels, counted };
    return { keys: { ...keys, bias }, order };
  };
  /** The range of words, in which all NaNs are ties. */
  const words = (): ReturnType<typeof complete> => {
    const clamp = (word: bigint): bigint => (word < masks.ceiling ? word : masks.ceiling);
    const [least, most] = [clamp(minimum), clamp(maximum)];
    const range = limitRange(least, most, undefined);
    const counted = countedValues(job, least, most, masks.ceiling);
    const floats = { variant: plan.variant, bucketVariant: plan.variant, descending };
    const keys = { ...masks, ceiling: masks.ceiling - range.bias };
    const bias = masks.bias + range.bias;
    return complete({ ...range, bias }, keys, floats, undefined, counted);
  };
  const inWords = words();
  if (inWords.order.counted) return inWords;
  const isFloat = (plan.variant & FLOAT) !== 0;
  const bare = plan.variant & ~FLOAT;
  const integers = { variant: bare, bucketVariant: bare, descending };
  /**
   * For keys whose bits, from `least` to `most`, are in order themselves, or in reverse order.
   */
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
  const isKeysAlone = plan.valueFormat === ABSENT;
  if (maximum > (isKeysAlone ? positiveNan : infinity)) {
    // NaNs of either sign, or NaNs that must stay ties although their bits differ.
    return inWords;
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
  const mixed = { variant: plan.variant, bucketVariant: bare, descending };
  return complete(range, { ...masks, ceiling: ALL, gap }, mixed);
}

/**
 * How much can be subtracted from magnitudes between `least` and `most`, and how many bits the
 * difference then has, with the sign. It goes in steps of the unit of the top digit, so that the
 * keys of a bucket agree above it in their own bits, too.
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
 * The range limiter's bias, cut down to where only the top bit of the range is touched: the fewest
 * bits, or one more. Then the digits below are the same as in the bare keys.
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
 * The most significant digit of keys whose bits lie between two: PARTITION_BITS bits, from as low
 * as their values allow. A million floats from 0 to 1 have some 20 exponents, so this digit has 3
 * bits of their mantissas, where the top bits of the range would have one.
 */
function digitBetween(least: bigint, most: bigint): Pick<KeyOrder, 'top' | 'firstValue'> {
  const valuesFrom = (shift: bigint): bigint => (most >> shift) - (least >> shift);
  let shift = BigInt(Math.max(0, bitLength(most - least) - PARTITION_BITS));
  if (valuesFrom(shift) >= 1n << BigInt(PARTITION_BITS)) shift++;
  const width = bitLength(valuesFrom(shift));
  const firstValue = Number(BigInt.asUintN(width, least >> shift));
  return { top: Number(shift) + width, firstValue };
}

/** Which order the keys are in, from whether any key steps on, or back, in the order wanted. */
function findInputOrder(
  { keyBits, permuted, plan, segmentCount }: Job,
  [stepsOn, stepsBack]: readonly [boolean, boolean],
): InputOrder {
  if (keyBits !== undefined || permuted) return 'mixed';
  if (!stepsBack) return 'sorted';
  // Ties keep their order when a sort is stable, so only keys alone may be turned around.
  const isKeysAlone = plan.valueFormat === ABSENT;
  return !stepsOn && isKeysAlone && segmentCount === 1 ? 'reversed' : 'mixed';
}

/** What the surveys of all slices add up to. */
interface Sum {
  readonly minimum: bigint;
  readonly maximum: bigint;
  /** The least magnitude, if keys are floats. */
  readonly least: bigint;
  /** Whether some key is above, or below, the key before it. */
  readonly rises: boolean;
  readonly falls: boolean;
}

/** By a kernel: this runs once a sort, and engines take their time for code that runs seldom. */
function addUp({ job, kernels, scratch, words, longs }: JobContext): Sum {
  const { arena } = job;
  // The counters have no other use yet.
  const at = scratch.counters;
  kernels.addSurveys(surveyAt(arena, 0), arena.slices, surveyAt(arena, 1) - surveyAt(arena, 0), at);
  return {
    minimum: longs[(at + SURVEY.minimum) / 8] as bigint,
    maximum: longs[(at + SURVEY.maximum) / 8] as bigint,
    least: longs[(at + SURVEY.least) / 8] as bigint,
    rises: words[(at + SURVEY.ascends) / 4] !== 0,
    falls: words[(at + SURVEY.descends) / 4] !== 0,
  };
}

/** Writes masks into the order block at `at`, cut to `width` bits. */
function writeMasks(
  { longs }: JobContext,
  at: number,
  width: number,
  { flip, bias, ceiling, gap }: Masks,
): void {
  longs[(at + ORDER.flip) / 8] = BigInt.asUintN(width, flip);
  longs[(at + ORDER.bias) / 8] = BigInt.asUintN(width, bias);
  longs[(at + ORDER.ceiling) / 8] = BigInt.asUintN(width, ceiling);
  longs[(at + ORDER.gap) / 8] = gap;
}

/** Writes the range of an order into the block at `at`. */
function writeRange(
  { job, words }: JobContext,
  at: number,
  { begin, descending }: Pick<KeyOrder, 'begin' | 'descending'>,
  end: number,
): void {
  words[(at + ORDER.begin) / 4] = begin;
  words[(at + ORDER.end) / 4] = end;
  words[(at + ORDER.descending) / 4] = Number(descending);
  words[(at + ORDER.whole) / 4] = Number(job.keyBits === undefined);
}

/**
 * Writes the orders within buckets of the top digit: one for positive and one for negative keys.
 */
function writeBucketOrders(context: JobContext, order: KeyOrder): void {
  const { scratch, longs } = context;
  const { begin, top, variant, bucketVariant } = order;
  for (const [i, block] of scratch.bucketOrders.entries()) {
    longs.copyWithin(block / 8, scratch.order / 8, (scratch.order + ORDER.begin) / 8);
    // What is left of a key below the sign has no bias.
    if (bucketVariant !== variant) longs[(block + ORDER.bias) / 8] = 0n;
    const descending = order.descending !== (i === 1);
    writeRange(context, block, { begin, descending }, topDigit(begin, top).shift);
  }
}
