/**
 * What a partition splits records by: the most significant digit of their keys or, where most have the same, what tells more.
 *
 * Of keys that are spread over many magnitudes (counts, sizes, ranks: what Zipf's law is about) most have zeros for their
 * top digit, and of those again most have for the next. Their magnitudes are as many as their bits. And where a few keys are
 * far above all others, the next digit of those others tells enough, with one value for whatever is above.
 */

import { Layout } from '@keysweep/kernels/cpu';
import { PARTITION_BITS, topDigit } from './places.js';
import type { Job, KeyOrder, Seat } from './seat.js';

/** A split into 2^width values. */
export interface Split {
  /** Of the kernels that count and scatter by it. */
  readonly layout: number;
  /** The digit's lowest bit, or how many bits of mantissa a magnitude has. */
  readonly shift: number;
  readonly width: number;
  /** The value with which the order begins; it goes up from there and around. */
  readonly first: number;
  /** One above the highest bit in which records of this value may differ. */
  readonly rest: (value: number) => number;
}

/** Records that are looked at to tell which split is better. */
const LOOKS = 256;

/** A bucket with more than one record in so many is large: it holds eight times its share. */
const SHARE_OF_LARGE = 32;

/** Of records that would be in large buckets, the share that a better split may leave there. */
const SHARE_LEFT = 1 / 4;

/** The split of records that agree in all bits from `top` up, by their digit below. */
export function splitByDigit(order: KeyOrder, top: number): Split {
  const { shift, width } = topDigit(order.begin, top);
  const first = top === order.top ? order.first : 0;
  return { layout: order.layout, shift, width, first, rest: () => shift };
}

/** A split, and the value that it has for a word. */
interface Splitting {
  readonly split: Split;
  readonly valueIn: (word: number) => number;
}

/** What may split a whole segment better than its top digit does; none where words are not in the order of their bits. */
export function otherSplits({ keyBits }: Job, order: KeyOrder): readonly Splitting[] {
  const { shift } = topDigit(order.begin, order.top);
  const isInOrder = order.layout === order.bucketLayout && (order.layout & Layout.FLOAT) === 0;
  if (!isInOrder || keyBits !== undefined || shift === order.begin) return [];
  return [byNextDigit(order, shift), byMagnitude(order)];
}

/**
 * Which of the splits is better for records [start, end) at `from`, where `share` of them have the same top digit: the number of
 * splits where none is. Looks at some of them.
 */
export function chooseSplit(
  seat: Seat,
  splits: readonly Splitting[],
  from: number,
  [start, end]: readonly [number, number],
  share: number,
): number {
  const words = wordsOf(seat, from, start, end);
  const most = words.length * share * SHARE_LEFT;
  const best = splits.findIndex((splitting) => inLargeBuckets(words, splitting) < most);
  return best < 0 ? splits.length : best;
}

/** By the digit below bit `top`; all from there up have its last value. */
function byNextDigit(order: KeyOrder, top: number): Splitting {
  const { shift, width } = topDigit(order.begin, top);
  const last = 2 ** width - 1;
  const rest = (value: number): number => (value === last ? order.end : shift);
  const layout = order.layout | Layout.CAPPED;
  return {
    split: { layout, shift, width, first: 0, rest },
    valueIn: (word) => Math.min(Math.floor(word / 2 ** shift), last),
  };
}

/** By magnitude, with the most bits of mantissa for which there are values enough: see kernels/cpu/wasm/partition.ts. */
function byMagnitude(order: KeyOrder): Splitting {
  let mantissa = 0;
  while ((order.end - mantissa) << (mantissa + 1) <= 2 ** PARTITION_BITS) mantissa++;
  const rest = (value: number): number => Math.max((value >>> mantissa) - 1, 0);
  const layout = order.layout | Layout.MAGNITUDE;
  return {
    split: { layout, shift: mantissa, width: PARTITION_BITS, first: 0, rest },
    valueIn: (word) => {
      const exponent = Math.max(Math.floor(Math.log2(word)) - mantissa, 0);
      return exponent * 2 ** mantissa + Math.floor(word / 2 ** exponent);
    },
  };
}

/** The words of some of the records [start, end) at `from`, rounded where they have more than 53 bits. */
function wordsOf(
  { job, scratch, words, longs }: Seat,
  from: number,
  start: number,
  end: number,
): number[] {
  const { keyBytes, stride } = job.plan;
  const isWide = stride === 16 || keyBytes === 8;
  const bias = longs[scratch.order / 8 + 1] as bigint;
  return Array.from({ length: Math.min(LOOKS, end - start) }, (_, look) => {
    const record = start + Math.floor(((end - start) * look) / LOOKS);
    // A key is the last that a record has.
    const next = from + (record + 1) * stride;
    return isWide
      ? Number(BigInt.asUintN(64, (longs[next / 8 - 1] as bigint) - bias))
      : ((words[next / 4 - 1] as number) - Number(bias)) >>> 0;
  });
}

/** How many of these words would be in large buckets, with something left to sort. */
function inLargeBuckets(words: readonly number[], { split, valueIn }: Splitting): number {
  const seen = new Uint32Array(2 ** split.width);
  for (const word of words) (seen[valueIn(word)] as number)++;
  const isLarge = (value: number): boolean =>
    (seen[value] as number) > words.length / SHARE_OF_LARGE && split.rest(value) > 0;
  return seen.reduce((sum, many, value) => (isLarge(value) ? sum + many : sum), 0);
}
