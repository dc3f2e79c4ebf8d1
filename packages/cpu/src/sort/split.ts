/**
 * What a partition splits records by: the most significant digit of their keys or, where that leaves too many together, what tells more.
 *
 * Keys may lie close together but for a few: floats from 0 to 1 have few exponents, and of them half have the same. Then a finer digit
 * tells enough within a window that most keys are in, with one value for whatever is below, and one for what is above. And of keys
 * that are spread over many magnitudes (counts, sizes, ranks: what Zipf's law is about) most have zeros for their top digit, and
 * of those again most have for the next. Their magnitudes are as many as their bits.
 */

import { Layout } from '@keysweep/kernels/cpu';
import { PARTITION_BITS, topDigit } from './arena-layout.js';
import type { Job, KeyOrder, Seat } from './job-context.js';

/** A split into 2^width values. */
export interface Split {
  /** Of the kernels that count and scatter by it. */
  readonly layout: number;
  /** The digit's lowest bit, or how many bits of mantissa a magnitude has. */
  readonly shift: number;
  readonly width: number;
  /** The word that a window begins with; 0 for other splits. */
  readonly low: bigint;
  /** The value with which the order begins; it goes up from there and around. */
  readonly first: number;
}

/** Records that are looked at to tell which split is better. */
const LOOKS = 256;

/** Of these, the least and the most that are out of a window. */
const OUT_OF_WINDOW = 8;

/** Of records that would be in giant buckets, the share that a better split may leave there. */
const SHARE_LEFT = 1 / 4;

/** The split of records that agree in all bits from `top` up, by their digit below. */
export function splitByDigit(order: KeyOrder, top: number): Split {
  const { shift, width } = topDigit(order.begin, top);
  const first = top === order.top ? order.first : 0;
  return { layout: order.layout, shift, width, low: 0n, first };
}

/** What is told of a split that is not by the digit: in which bits, from which word on. A magnitude has neither. */
export interface OtherSplit {
  readonly isWindow: boolean;
  readonly shift: number;
  readonly low: bigint;
}

/** Whether other splits than by the digit can be made: where words are in the order of their bits, and something is left to sort. */
export function canSplitOtherwise({ keyBits }: Job, order: KeyOrder): boolean {
  const isInOrder = order.layout === order.bucketLayout && (order.layout & Layout.FLOAT) === 0;
  return isInOrder && keyBits === undefined && topDigit(order.begin, order.top).shift > order.begin;
}

/**
 * A split of records [start, end) at `from` that leaves less than a quarter as many in giant buckets, of `giant` records, as the
 * digit does, which leaves `most` in one; undefined where none is found. Looks at some of them.
 */
export function findSplit(
  seat: Seat,
  order: KeyOrder,
  from: number,
  [start, end]: readonly [number, number],
  most: number,
  giant: number,
): OtherSplit | undefined {
  const { kernels, scratch } = seat;
  const words = wordsOf(seat, from, start, end);
  const share = words.length / (end - start);
  return [windowOf(words), { isWindow: false, shift: 0, low: 0n }].find((other) => {
    const split = splitOtherwise(order, other);
    writeSplit(seat, order, split);
    const rest = (value: number): number => kernels.rest(scratch.split, value);
    const seen = new Uint32Array(2 ** split.width);
    for (const word of words) (seen[valueIn(other, split, word)] as number)++;
    const isGiant = (value: number): boolean =>
      (seen[value] as number) >= giant * share && rest(value) > order.begin;
    const inGiants = seen.reduce((sum, many, value) => (isGiant(value) ? sum + many : sum), 0);
    return inGiants < most * share * SHARE_LEFT;
  });
}

/** The window that nearly all of these words are in, by the finest digit that has values enough for it. */
function windowOf(words: Float64Array): OtherSplit {
  const inside = words.toSorted().subarray(OUT_OF_WINDOW, -OUT_OF_WINDOW);
  const [least, most] = [inside[0] as number, inside.at(-1) as number];
  let shift = 0;
  const unit = (word: number): number => Math.floor(word / 2 ** shift);
  while (unit(most) - unit(least) >= 2 ** PARTITION_BITS) shift++;
  return { isWindow: true, shift, low: BigInt(unit(least)) << BigInt(shift) };
}

/** The split that is told. */
export function splitOtherwise(order: KeyOrder, { isWindow, shift, low }: OtherSplit): Split {
  const width = PARTITION_BITS;
  if (isWindow) return { layout: order.layout | Layout.WINDOW, shift, width, low, first: 0 };
  // The most bits of mantissa with which there are values enough.
  let mantissa = 0;
  while ((order.end - mantissa) << (mantissa + 1) <= 2 ** width) mantissa++;
  return { layout: order.layout | Layout.MAGNITUDE, shift: mantissa, width, low, first: 0 };
}

/** Writes a split into the scratch, and the word that a window begins with into the order. */
export function writeSplit({ words, longs, scratch }: Seat, order: KeyOrder, split: Split): void {
  const kind = split.layout & (Layout.WINDOW | Layout.MAGNITUDE);
  const { shift, width, first, low } = split;
  words.set([kind, shift, width, first, Number(order.descending), order.end], scratch.split / 4);
  // No other kernel of integers reads it.
  if (kind === Layout.WINDOW) longs[scratch.order / 8 + 3] = low;
}

/** The value that a split has for a word: see kernels/cpu/wasm/partition.ts. */
function valueIn({ isWindow }: OtherSplit, { shift, width, low }: Split, word: number): number {
  if (isWindow) {
    const above = Math.floor((word - Number(low)) / 2 ** shift);
    return Math.min(Math.max(above, 0), 2 ** width - 1);
  }
  const exponent = Math.max(Math.floor(Math.log2(word)) - shift, 0);
  return exponent * 2 ** shift + Math.floor(word / 2 ** exponent);
}

/** The words of some of the records [start, end) at `from`, rounded where they have more than 53 bits. */
function wordsOf(
  { job, scratch, words, longs }: Seat,
  from: number,
  start: number,
  end: number,
): Float64Array {
  const { keyBytes, stride } = job.plan;
  const isWide = stride === 16 || keyBytes === 8;
  const bias = longs[scratch.order / 8 + 1] as bigint;
  return Float64Array.from({ length: LOOKS }, (_, look) => {
    const record = start + Math.floor(((end - start) * look) / LOOKS);
    // A key is the last that a record has.
    const next = from + (record + 1) * stride;
    return isWide
      ? Number(BigInt.asUintN(64, (longs[next / 8 - 1] as bigint) - bias))
      : ((words[next / 4 - 1] as number) - Number(bias)) >>> 0;
  });
}
