/**
 * Candidates: rows that are enough to find the first ones of an order, or the key at a place,
 * without a sort of all. A sample of the keys says where to look. (Floyd and Rivest, "Expected time
 * bounds for selection", 1975.)
 */

import {
  bitsOf,
  emptyLike,
  FIELD_ROWS,
  type KeyArray,
  type KeyFinder,
  type KeyType,
  keyTypeOf,
  lengthOf,
  type Order,
  type OrderWords,
  orderWords,
  pickSteps,
  roomForWords,
  runAtOnce,
  setArray,
  slicesOf,
  subarrayOf,
} from '@keysweep/core';

/** Keys of a sample: of few keys, and of this many or more. */
const SAMPLES = { few: 2 ** 12, many: 2 ** 13, manyFrom: 2 ** 20 } as const;

/** Standard deviations that the sample may be wrong by before a sort of all has to serve. */
const SURE = 4;

/** A selection pays only if at most one in this many keys is a candidate. */
export const MAX_SHARE = 4;

/** Keys, and what finds some of them. */
export interface Source {
  readonly keys: KeyArray;
  readonly order: Order;
  /** Compiled, or {@link plainFinder}. */
  readonly finder: KeyFinder;
}

/**
 * The share of the keys that are looked at first: the k-th of these is a nearer bound for all
 * others than the sample has. The first 100 of 10^7 keys then have some 1,460 candidates, by
 * expectation; with a quarter 1,830, with a sixteenth 1,880.
 */
const FRONT_SHARE = 8;

/**
 * Rows that hold the first `k` of an order, as they come, or undefined where there would be too
 * many of them. O(n); allocates 8 bytes a candidate.
 */
export function* firstRows(
  source: Source,
  k: number,
): Generator<undefined, Uint32Array | undefined> {
  if (k === 0) return new Uint32Array(0);
  const length = lengthOf(source.keys);
  const sample = new SortedWords(source, sampleRows(length));
  const rank = rankIn(sample, k / length, SURE);
  if (rank >= sample.size / MAX_SHARE) return undefined;
  const keep = (rows: Uint32Array): Uint32Array => rows.slice();
  const range = { first: 0n, last: sample.wordAt(rank), maxTies: k };
  const middle = Math.ceil(length / FRONT_SHARE);
  const { candidates: front, ties } = yield* find(source, [0, middle], range, keep);
  // Ties with the k-th so far come too late.
  const nearer =
    front.length < k
      ? { ...range, maxTies: k - ties }
      : { ...range, last: new SortedWords(source, front).wordAt(k - 1), maxTies: 0 };
  const { candidates: back } = yield* find(source, [middle, length], nearer, keep);
  const rows = joined([front, back]);
  return rows.length < k ? undefined : rows;
}

/** The position of the key that is at a place of an order. */
export interface Around {
  /** Keys that hold it. */
  readonly candidates: KeyArray;
  /** Its place among them in the order. */
  readonly place: number;
}

/**
 * A few keys, one of which is at place `k` of an order; undefined if the sample misled.
 * O(n); allocates two keys a candidate.
 */
export function* keysAround(source: Source, k: number): Generator<undefined, Around | undefined> {
  const length = lengthOf(source.keys);
  const share = k / length;
  const sample = new SortedWords(source, sampleRows(length));
  const first = sample.wordAt(rankIn(sample, share, -SURE));
  const last = sample.wordAt(rankIn(sample, share, SURE));
  const range = { first, last, maxTies: 1 };
  // Keys are picked while their slice is in the caches.
  const { before, candidates, ties } = yield* find(source, [0, length], range, (rows) => {
    const picked: KeyArray = emptyLike(source.keys, rows.length);
    runAtOnce(pickSteps(source.keys, rows, bitsOf(picked)));
    return picked;
  });
  const place = k - before;
  if (place < 0) return undefined;
  const between = lengthOf(candidates) - Math.min(ties, 1);
  if (place < between) return { candidates, place };
  // All ties with the last word have the key; the first of them was kept.
  return place < between + ties ? { candidates, place: between } : undefined;
}

/** The rows of a sample: the same ones in every run, each somewhere in a part of its own. */
function sampleRows(length: number): Uint32Array {
  const size = length < SAMPLES.manyFrom ? SAMPLES.few : SAMPLES.many;
  const rows = new Uint32Array(size);
  for (let i = 0; i < size; i++) {
    const turns = i * 0.618_033_988_75;
    rows[i] = Math.floor(((i + turns - Math.floor(turns)) / size) * length);
  }
  return rows;
}

/** The rank that a share of all keys has in a sample, give or take some deviations. */
function rankIn({ size }: SortedWords, share: number, deviations: number): number {
  const mean = size * share;
  const deviation = Math.sqrt(mean * (1 - share)) + 1;
  return Math.floor(mean + deviations * deviation);
}

/** Words of some rows' keys, in order. */
class SortedWords {
  readonly size: number;
  /** Words of 32 bits, or of 64, in the order asked for. */
  readonly #words: Uint32Array | BigUint64Array;

  constructor({ keys, order }: Source, rows: Uint32Array) {
    const size = rows.length;
    const picked: KeyArray = emptyLike(keys, size);
    runAtOnce(pickSteps(keys, rows, bitsOf(picked)));
    const column = { keys: picked, order };
    const { lows, highs } = orderWords(column, roomForWords(column, size));
    this.size = size;
    this.#words = (highs.length === 0 ? lows.slice() : wideWords(lows, highs)).sort();
  }

  /** The word of a rank; the least of all words below the first rank. */
  wordAt(rank: number): bigint {
    return rank < 0 ? 0n : BigInt(this.#words[Math.min(rank, this.size - 1)] as number);
  }
}

/** Words of 64 bits of their halves. */
function wideWords(lows: Uint32Array, highs: Uint32Array): BigUint64Array {
  const words = new BigUint64Array(lows.length);
  const halves = new Uint32Array(words.buffer);
  for (let i = 0; i < lows.length; i++) {
    halves[2 * i] = lows[i] as number;
    halves[2 * i + 1] = highs[i] as number;
  }
  return words;
}

/** Words that are sought, and how many ties with the last one are wanted at most. */
interface SoughtWords {
  readonly first: bigint;
  readonly last: bigint;
  readonly maxTies: number;
}

/** What was found among all keys. */
interface Found<C> {
  /** What was kept of the rows that are wanted, as they come. */
  readonly candidates: C;
  readonly before: number;
  readonly ties: number;
}

/**
 * Finds which of the keys [from, to) are in a range, slice by slice; `keep` makes an array of
 * some of their rows.
 */
function* find<C extends KeyArray>(
  { keys, order, finder }: Source,
  [from, to]: readonly [from: number, to: number],
  { first, last, maxTies }: SoughtWords,
  keep: (rows: Uint32Array) => C,
): Generator<undefined, Found<C>> {
  const findKeys = finder({ keyType: keyTypeOf(keys) as KeyType, order, first, last });
  const parts: C[] = [];
  let [before, ties] = [0, 0];
  for (const [start, end] of slicesOf(to - from, FIELD_ROWS)) {
    const slice = subarrayOf(keys, from + start, from + end);
    const found = findKeys(slice, from + start, Math.max(maxTies - ties, 0));
    if (found.rows.length > 0) parts.push(keep(found.rows));
    before += found.before;
    ties += found.ties;
    yield;
  }
  return { candidates: joined(parts.length > 0 ? parts : [keep(NO_ROWS)]), before, ties };
}

/** Joins one or more arrays. */
function joined<C extends KeyArray>(parts: readonly C[]): C {
  const count = parts.reduce((sum, part) => sum + lengthOf(part), 0);
  const all = emptyLike<KeyArray>(parts[0] as C, count) as C;
  let at = 0;
  for (const part of parts) {
    setArray(all, part, at);
    at += lengthOf(part);
  }
  return all;
}

const NO_ROWS = new Uint32Array(0);

/** Finds keys in plain TypeScript. Takes 12 bytes for each key of a slice. */
export const plainFinder: KeyFinder = ({ keyType, order, first, last }) => {
  const column = { keyType, order };
  const rows = new Uint32Array(FIELD_ROWS);
  const empty = { ...column, keys: NO_KEYS };
  const room = roomForWords(empty, FIELD_ROWS);
  const sought = { first: halves(first), last: halves(last) };
  const findIn = room.highs.length > 0 ? findWide : findNarrow;
  return (keys, row, maxTies) => {
    const words = orderWords({ ...column, keys }, room);
    const counts = findIn(words, keys.length, sought, maxTies, row, rows);
    return { ...counts, rows: rows.subarray(0, counts.found) };
  };
};

const NO_KEYS = new Uint8Array(0);

/** A word of a key in two halves. */
interface Word {
  readonly low: number;
  readonly high: number;
}

const halves = (word: bigint): Word => ({
  low: Number(word & 0xffff_ffffn),
  high: Number(word >> 32n),
});

/** What is sought in plain TypeScript. */
interface Halves {
  readonly first: Word;
  readonly last: Word;
}

/** How many rows were written, and how many words are otherwise. */
interface Counts {
  readonly found: number;
  readonly before: number;
  readonly ties: number;
}

function findNarrow(
  { lows }: OrderWords,
  count: number,
  { first, last }: Halves,
  maxTies: number,
  row: number,
  rows: Uint32Array,
): Counts {
  const [least, most] = [first.low, last.low];
  let [found, before, ties] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const word = lows[i] as number;
    if (word > most) continue;
    if (word < least) before++;
    else if (word < most || ties++ < maxTies) rows[found++] = row + i;
  }
  return { found, before, ties };
}

function findWide(
  { lows, highs }: OrderWords,
  count: number,
  { first, last }: Halves,
  maxTies: number,
  row: number,
  rows: Uint32Array,
): Counts {
  let [found, before, ties] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const [low, high] = [lows[i] as number, highs[i] as number];
    if (high > last.high || (high === last.high && low > last.low)) continue;
    if (high < first.high || (high === first.high && low < first.low)) before++;
    else if (high < last.high || low < last.low || ties++ < maxTies) rows[found++] = row + i;
  }
  return { found, before, ties };
}
