/**
 * Words whose ascending order is that of a column of keys, with its direction, its ties and its
 * key bits.
 */

import {
  type BitsArray,
  bitsOf,
  type KeyArray,
  type KeyTraits,
  type KeyType,
  keyTraits,
  keyTypeOf,
} from '../elements.js';
import type { KeyBits, Order } from './order.js';
import { type KeyTransform, keyTransform } from './transform.js';

/** A column of keys, and the order that its keys decide. */
export interface OrderedColumn {
  /** The keys, one a row. */
  readonly keys: KeyArray;
  /** What the bits of the keys are, where it is not what their class says. */
  readonly keyType?: KeyType | undefined;
  /** In descending order the greatest key gets the least word. */
  readonly order: Order;
  /** The bits of unsigned keys that decide; all of them by default. */
  readonly keyBits?: KeyBits | undefined;
}

/**
 * One word a key, in two halves for 64-bit keys; `highs` is empty for others. Ties have equal
 * words.
 */
export interface OrderWords {
  /** The lower 32 bits of each word. */
  readonly lows: Uint32Array;
  /** The upper 32 bits, only for 64-bit keys. */
  readonly highs: Uint32Array;
}

const traitsOfColumn = ({ keys, keyType }: OrderedColumn): KeyTraits =>
  keyTraits(keyType ?? (keyTypeOf(keys) as KeyType));

/** Whether a column's keys are their own words, so that `orderWords` need not write them. */
export function areOrderWords(column: OrderedColumn): boolean {
  const { order, keyBits } = column;
  return traitsOfColumn(column).keyType === 'u32' && order === 'ascending' && keyBits === undefined;
}

/** Room for the words of `length` keys as wide as a column's: 4 bytes each, or 8. */
export function roomForWords(column: OrderedColumn, length: number): OrderWords {
  const highs = traitsOfColumn(column).bits === 64 ? length : 0;
  return { lows: new Uint32Array(length), highs: new Uint32Array(highs) };
}

/**
 * The words of a column: inverted for descending order, with 0 for bits that do not decide.
 * They are written to `room` from `at` on, and the result is views of them. Where keys are
 * their own words the result is a view of the keys. O(n); allocates nothing but views.
 */
export function orderWords(column: OrderedColumn, room: OrderWords, at = 0): OrderWords {
  const { keys, order, keyBits } = column;
  if (areOrderWords(column)) return { lows: bitsOf(keys) as Uint32Array, highs: NONE };
  const { keyType, bits } = traitsOfColumn(column);
  const { begin, end } = keyBits ?? { begin: 0, end: bits };
  const decisive = (1n << BigInt(end)) - (1n << BigInt(begin));
  const flip = order === 'descending' ? -1 : 0;
  const [source, transform] = [bitsOf(keys), keyTransform(keyType)];
  const lows = room.lows.subarray(at, at + keys.length);
  const highs = room.highs.subarray(at, at + keys.length);
  if (bits === 64) write64(source, transform, flip, decisive, lows, highs);
  else write32(source, bits, transform, flip, signed(decisive), lows);
  return { lows, highs };
}

const NONE = new Uint32Array(0);

/**
 * The sign bit of 32-bit numbers. With it inverted, signed integers compare as unsigned ones
 * do.
 */
const TOP = 1 << 31;

// Without branches by the sign: random keys would have every other one mispredicted.

function write32(
  source: BitsArray,
  bits: number,
  { negative, positive, bias, ceiling }: KeyTransform,
  flip: number,
  decisive: number,
  words: Uint32Array,
): void {
  const [ifPositive, differs, subtract] = [
    signed(positive),
    signed(negative ^ positive),
    signed(bias),
  ];
  const [sign, all, most] = [bits - 1, signed(2n ** BigInt(bits) - 1n), signed(ceiling) ^ TOP];
  const back = flip ^ TOP;
  for (let i = 0; i < words.length; i++) {
    const raw = source[i] as number;
    const word = ((raw ^ ifPositive ^ (-(raw >>> sign) & differs)) - subtract) & all;
    words[i] = (Math.min(word ^ TOP, most) ^ back) & decisive;
  }
}

function write64(
  source: BitsArray,
  { negative, positive, bias, ceiling }: KeyTransform,
  flip: number,
  decisive: bigint,
  lows: Uint32Array,
  highs: Uint32Array,
): void {
  const [positiveLow, positiveHigh] = halves(positive);
  const [differsLow, differsHigh] = halves(negative ^ positive);
  const [biasLow, biasHigh] = halves(bias);
  const [ceilingLow, ceilingHigh] = halves(ceiling);
  const [decisiveLow, decisiveHigh] = halves(decisive);
  const [maxLow, maxHigh] = [ceilingLow ^ TOP, ceilingHigh ^ TOP];
  for (let i = 0; i < lows.length; i++) {
    const rawHigh = (source[2 * i + 1] as number) | 0;
    const isNegative = rawHigh >> 31;
    const masked = (source[2 * i] as number) ^ positiveLow ^ (isNegative & differsLow);
    const borrow = Number((masked ^ TOP) < (biasLow ^ TOP));
    const low = (masked - biasLow) ^ TOP;
    const high = ((rawHigh ^ positiveHigh ^ (isNegative & differsHigh)) - biasHigh - borrow) ^ TOP;
    const isTie = high > maxHigh || (high === maxHigh && low > maxLow);
    lows[i] = ((isTie ? maxLow : low) ^ TOP ^ flip) & decisiveLow;
    highs[i] = ((isTie ? maxHigh : high) ^ TOP ^ flip) & decisiveHigh;
  }
}

/** The lowest 32 bits as a signed integer, which compilers then know that it is. */
const signed = (value: bigint): number => Number(BigInt.asIntN(32, value)) | 0;

const halves = (value: bigint): [low: number, high: number] => [
  signed(value),
  signed(value >> 32n),
];
