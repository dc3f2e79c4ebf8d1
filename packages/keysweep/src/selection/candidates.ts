/**
 * Candidates: rows that are enough to find the first ones of an order, or the key at a place,
 * without a sort of all. A sample of the keys says where to look. (Floyd and Rivest, "Expected time
 * bounds for selection", 1975.)
 */

import {
  bitsOf,
  emptyLike,
  type KeyArray,
  lengthOf,
  type Order,
  type OrderWords,
  orderWords,
  pickSteps,
  roomForWords,
  runAtOnce,
  slicesOf,
  subarrayOf,
} from '@keysweep/core';

/** Keys of a sample: of a few, and from so many keys on of more. */
const SAMPLES = { few: 2 ** 12, many: 2 ** 15, manyFrom: 2 ** 20 } as const;

/** Standard deviations that the sample may be wrong by before a sort of all has to serve. */
const SURE = 4;

/** More than one in so many keys would not be worth it. */
const MOST_SHARE = 4;

/** Keys between two pauses: some tenths of a millisecond. */
const STEP = 2 ** 15;

/** A word of a key in two halves. */
interface Word {
  readonly low: number;
  readonly high: number;
}

const LEAST: Word = { low: 0, high: 0 };

/**
 * Rows that hold the first `k` of an order, as they come, or undefined where there would be too
 * many of them. O(n); allocates 8 bytes a candidate.
 */
export function* firstRows(
  keys: KeyArray,
  order: Order,
  k: number,
): Generator<undefined, Uint32Array | undefined> {
  const sample = new Sample(keys, order);
  const rank = sample.rankOf(k / lengthOf(keys), SURE);
  if (rank >= sample.size / MOST_SHARE) return undefined;
  const key = sample.keyAt(rank);
  // Zeros differ, NaNs tie: that words know, and comparisons do not.
  const isComparable = typeof key === 'number' && key !== 0 && !Number.isNaN(key);
  const rows = isComparable
    ? yield* findByKeys(keys, order, key, k)
    : (yield* find(keys, order, LEAST, sample.wordAt(rank), k)).rows;
  return rows.length < k ? undefined : Uint32Array.from(rows);
}

/** Where the key at a place of an order is. */
export interface Around {
  /** Rows of which one has it. */
  readonly rows: Uint32Array;
  /** Its place among them in the order. */
  readonly place: number;
}

/**
 * A few rows of which one has the key at place `k` of an order; undefined where the sample misled.
 * O(n); allocates 8 bytes a candidate.
 */
export function* rowsAround(
  keys: KeyArray,
  order: Order,
  k: number,
): Generator<undefined, Around | undefined> {
  const share = k / lengthOf(keys);
  const sample = new Sample(keys, order);
  const first = sample.wordAt(sample.rankOf(share, -SURE));
  const last = sample.wordAt(sample.rankOf(share, SURE));
  const { before, rows, ties } = yield* find(keys, order, first, last, 1);
  const place = k - before;
  if (place < 0) return undefined;
  const between = rows.length - Math.min(ties, 1);
  if (place < between) return { rows: Uint32Array.from(rows), place };
  // All ties with the last word have the key; the first of them was kept.
  return place < between + ties ? { rows: Uint32Array.from(rows), place: between } : undefined;
}

/** Words of some keys, in order. */
class Sample {
  readonly size: number;
  readonly #order: Order;
  /** The keys in ascending order. */
  readonly #keys: KeyArray;
  /** Words of 32 bits, or of 64, in the order asked for. */
  readonly #words: Uint32Array | BigUint64Array;

  constructor(keys: KeyArray, order: Order) {
    const length = lengthOf(keys);
    const size = length < SAMPLES.manyFrom ? SAMPLES.few : SAMPLES.many;
    // The same ones in every run, each somewhere in a part of its own.
    const rows = Uint32Array.from({ length: size }, (_, i) =>
      Math.floor(((i + ((i * 0.618_033_988_75) % 1)) / size) * length),
    );
    const picked: KeyArray = emptyLike(keys, size);
    runAtOnce(pickSteps(keys, rows, bitsOf(picked)));
    const column = { keys: picked, order };
    const { lows, highs } = orderWords(column, roomForWords(column, size));
    this.size = size;
    this.#order = order;
    this.#keys = picked.sort();
    this.#words =
      highs.length === 0
        ? lows.slice().sort()
        : BigUint64Array.from(
            lows,
            (low, i) => (BigInt(highs[i] as number) << 32n) | BigInt(low),
          ).sort();
  }

  /** The rank that a share of all keys has here, give or take some deviations. */
  rankOf(share: number, deviations: number): number {
    const mean = this.size * share;
    const deviation = Math.sqrt(mean * (1 - share)) + 1;
    return Math.floor(mean + deviations * deviation);
  }

  keyAt(rank: number): number | bigint {
    const at = this.#order === 'ascending' ? rank : this.size - 1 - rank;
    return this.#keys[at] as number | bigint;
  }

  /** The word of a rank; the least of all words below the first rank. */
  wordAt(rank: number): Word {
    if (rank < 0) return LEAST;
    const word = BigInt(this.#words[Math.min(rank, this.size - 1)] as number);
    return { low: Number(word & 0xffff_ffffn), high: Number(word >> 32n) };
  }
}

/**
 * Rows of keys up to `last` in an order, as they come; at most `most` of ties with `last`, and of
 * NaNs. Floor: every key read once, and one comparison.
 */
function* findByKeys(
  keys: KeyArray,
  order: Order,
  last: number,
  most: number,
): Generator<undefined, readonly number[]> {
  const found: Found = { before: 0, rows: [], ties: 0 };
  const findIn = order === 'ascending' ? findUpTo : findDownTo;
  for (const [from, to] of slicesOf(lengthOf(keys), STEP)) {
    findIn(keys as Float64Array, last, from, to, most, found);
    yield;
  }
  return found.rows;
}

function findUpTo(
  keys: Float64Array,
  last: number,
  from: number,
  to: number,
  most: number,
  found: Found,
): void {
  for (let i = from; i < to; i++) {
    const key = keys[i] as number;
    // Not above, and no NaN: those come last.
    if (key <= last && (key < last || found.ties++ < most)) found.rows.push(i);
  }
}

function findDownTo(
  keys: Float64Array,
  last: number,
  from: number,
  to: number,
  most: number,
  found: Found,
): void {
  for (let i = from; i < to; i++) {
    const key = keys[i] as number;
    if (key < last) continue;
    // NaNs come first, and are ties.
    const isFound = key === last ? found.ties++ < most : key > last || found.before++ < most;
    if (isFound) found.rows.push(i);
  }
}

/** What was found between two words. */
interface Found {
  /** How many words come before the first one; by keys, how many NaNs do. */
  before: number;
  /** Rows of words from the first up to the last, as they come, but only some ties with that. */
  readonly rows: number[];
  /** How many words are the last one. */
  ties: number;
}

/** Finds words from `first` to `last`, and the rows of at most `mostTies` ties with `last`. */
function* find(
  keys: KeyArray,
  order: Order,
  first: Word,
  last: Word,
  mostTies: number,
): Generator<undefined, Found> {
  const length = lengthOf(keys);
  const room = roomForWords({ keys, order }, Math.min(length, STEP));
  const findIn = room.highs.length > 0 ? findWide : findNarrow;
  const found: Found = { before: 0, rows: [], ties: 0 };
  for (const [from, to] of slicesOf(length, STEP)) {
    const words = orderWords({ keys: subarrayOf(keys, from, to), order }, room);
    findIn(words, { first, last, from, count: to - from, mostTies }, found);
    yield;
  }
  return found;
}

/** What to find among the words of a slice. */
interface Sought {
  readonly first: Word;
  readonly last: Word;
  /** The row of the first word. */
  readonly from: number;
  readonly count: number;
  readonly mostTies: number;
}

function findNarrow(
  { lows }: OrderWords,
  { first, last, from, count, mostTies }: Sought,
  found: Found,
): void {
  const [least, most] = [first.low, last.low];
  for (let i = 0; i < count; i++) {
    const word = lows[i] as number;
    if (word > most) continue;
    if (word < least) found.before++;
    else if (word < most || found.ties++ < mostTies) found.rows.push(from + i);
  }
}

function findWide(
  { lows, highs }: OrderWords,
  { first, last, from, count, mostTies }: Sought,
  found: Found,
): void {
  for (let i = 0; i < count; i++) {
    const [low, high] = [lows[i] as number, highs[i] as number];
    if (high > last.high || (high === last.high && low > last.low)) continue;
    if (high < first.high || (high === first.high && low < first.low)) found.before++;
    else if (high < last.high || low < last.low || found.ties++ < mostTies) {
      found.rows.push(from + i);
    }
  }
}
