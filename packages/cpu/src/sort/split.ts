/**
 * The split of a partition where the top digit leaves too many records in one bucket. A sample of
 * the records decides.
 *
 * Keys may lie close together but for a few: floats from 0 to 1 have few exponents, and half of
 * them have the same one. Then a finer digit tells enough within a window that most keys are in,
 * with one value for all keys below it and one for all above. Other keys are spread over many
 * magnitudes: counts, sizes and ranks, as in Zipf's law. Most of them have zeros for their top
 * digit, and most of those again for the next one. Those keys are split by magnitude.
 */

import { FLOAT, MAGNITUDE, ORDER, PARTITION_BITS, WINDOW } from '@keysweep/kernels/cpu';
import {
  type Job,
  type JobContext,
  type KeyOrder,
  type Split,
  topDigit,
  writeSplit,
} from './job-context.js';

/** Records in a sample. */
const SAMPLES = 256;

/** Of these, as many of the least and of the most may be out of a window. */
const OUT_OF_WINDOW = 8;

/** Of records that would be in oversized buckets, the share that a better split may leave there. */
const SHARE_LEFT = 1 / 4;

/** A window or a magnitude: in which bits, and from which word on. A magnitude has neither. */
export interface SampledSplit {
  readonly isWindow: boolean;
  readonly shift: number;
  readonly low: bigint;
}

/**
 * Whether a split can be sampled: where words are in the order of their bits, and the digit leaves
 * something to sort.
 */
export function canSampleSplit({ keyBits }: Job, order: KeyOrder): boolean {
  const isInOrder = order.variant === order.bucketVariant && (order.variant & FLOAT) === 0;
  return isInOrder && keyBits === undefined && topDigit(order.begin, order.top).shift > order.begin;
}

/**
 * A split of records [start, end) at `from` that leaves less than a quarter as many in oversized
 * buckets as the digit does, which leaves `most` in one. Undefined where there is none. A bucket is
 * oversized from `oversized` records on.
 */
export function sampleSplit(
  context: JobContext,
  order: KeyOrder,
  from: number,
  [start, end]: readonly [number, number],
  most: number,
  oversized: number,
): SampledSplit | undefined {
  const { kernels, scratch } = context;
  const words = sampleWords(context, from, start, end);
  const share = words.length / (end - start);
  return [windowOf(words), { isWindow: false, shift: 0, low: 0n }].find((sampled) => {
    const split = splitOf(order, sampled);
    writeSplit(context, split);
    const counts = new Uint32Array(2 ** split.width);
    for (const word of words) {
      const value = valueIn(sampled, split, word);
      counts[value] = (counts[value] as number) + 1;
    }
    const isOversized = (value: number): boolean =>
      (counts[value] as number) >= oversized * share &&
      kernels.rest(scratch.job, value) > order.begin;
    const left = counts.reduce((sum, count, v) => (isOversized(v) ? sum + count : sum), 0);
    return left < most * share * SHARE_LEFT;
  });
}

/** The window that nearly all of these words are in, by the finest digit that covers it. */
function windowOf(words: Float64Array): SampledSplit {
  const inside = words.toSorted().subarray(OUT_OF_WINDOW, -OUT_OF_WINDOW);
  const [least, most] = [inside[0] as number, inside.at(-1) as number];
  let shift = 0;
  const unit = (word: number): number => Math.floor(word / 2 ** shift);
  while (unit(most) - unit(least) >= 2 ** PARTITION_BITS) shift++;
  return { isWindow: true, shift, low: BigInt(unit(least)) << BigInt(shift) };
}

/** A sampled split as the kernels take it. */
export function splitOf(order: KeyOrder, { isWindow, shift, low }: SampledSplit): Split {
  const width = PARTITION_BITS;
  if (isWindow) return { variant: order.variant | WINDOW, shift, width, low, firstValue: 0 };
  // The most bits of mantissa with which there are values enough.
  let mantissa = 0;
  while ((order.end - mantissa) << (mantissa + 1) <= 2 ** width) mantissa++;
  return { variant: order.variant | MAGNITUDE, shift: mantissa, width, low, firstValue: 0 };
}

/**
 * The value that a split has for a word: what `counterOf` does in kernels/cpu/wasm/partition.ts.
 */
function valueIn({ isWindow }: SampledSplit, { shift, width, low }: Split, word: number): number {
  if (isWindow) {
    const above = Math.floor((word - Number(low)) / 2 ** shift);
    return Math.min(Math.max(above, 0), 2 ** width - 1);
  }
  const exponent = Math.max(Math.floor(Math.log2(word)) - shift, 0);
  return exponent * 2 ** shift + Math.floor(word / 2 ** exponent);
}

/** Words of a sample of records [start, end) at `from`, rounded where they have over 53 bits. */
function sampleWords(
  { job, scratch, words, longs }: JobContext,
  from: number,
  start: number,
  end: number,
): Float64Array {
  const { keyBytes, stride } = job.plan;
  const isWide = stride === 16 || keyBytes === 8;
  const bias = longs[(scratch.order + ORDER.bias) / 8] as bigint;
  return Float64Array.from({ length: SAMPLES }, (_, sample) => {
    const record = start + Math.floor(((end - start) * sample) / SAMPLES);
    // The key is the last word of a record.
    const next = from + (record + 1) * stride;
    return isWide
      ? Number(BigInt.asUintN(64, (longs[next / 8 - 1] as bigint) - bias))
      : ((words[next / 4 - 1] as number) - Number(bias)) >>> 0;
  });
}
