/** unique, rank and groupBy: runs of equal keys in an order. */

import {
  type BitsArray,
  bitsOf,
  copyOf,
  emptyLike,
  identity,
  type KeyArray,
  type KeyType,
  keyTraits,
  type OnArrayBuffer,
  type Order,
  type OrderWords,
  pickSteps,
  slicesOf,
  traitsOf,
} from '@keysweep/core';
import {
  type CheckedColumn,
  type Column,
  checkDescribedColumns,
  isValid,
} from '../table/column.js';
import { startsOfRuns } from './runs.js';
import { readWords, SLICE, type Steps, wordsOf } from './steps.js';

/** What `unique` finds. */
export interface Unique<K extends KeyArray> {
  /** The different keys, in order. */
  keys: OnArrayBuffer<K>;
  /** How often each of them is there, if you asked for it. */
  counts?: OnArrayBuffer<Uint32Array>;
  /** Where each of them is for the first time, if you asked for it. */
  indices?: OnArrayBuffer<Uint32Array>;
}

/** How keys that tie are ranked. */
export type Ties = 'min' | 'max' | 'dense' | 'ordinal' | 'average';

/** The steps of `unique`. */
export function* uniqueSteps<K extends KeyArray>(
  given: K,
  order: Order,
  wants: { readonly counts: boolean; readonly indices: boolean },
): Steps<Unique<K>> {
  // A sort of bare keys leaves NaNs in any order.
  const nan = wants.indices ? undefined : firstNaNOf(given);
  const copy: KeyArray = copyOf(given);
  let sorted = copy;
  let rows: Uint32Array | undefined;
  if (wants.indices) {
    rows = (yield { argsort: copy, order }) as Uint32Array;
    sorted = emptyLike(copy);
    for (const _ of pickSteps(copy, rows, bitsOf(sorted))) yield 0;
  } else {
    yield { sort: copy };
  }
  // Sorted in place they ascend whatever is asked for: runs of equal keys are then read backwards.
  const isReversed = rows === undefined && order === 'descending';
  const starts = yield* startsOfRuns(sorted);
  const groups = starts.length - 1;
  const firsts = isReversed ? starts.slice(0, groups).reverse() : starts.subarray(0, groups);
  const areAll = groups === sorted.length && !isReversed;
  const keys: KeyArray = areAll ? sorted : emptyLike(copy, groups);
  if (!areAll) for (const _ of pickSteps(sorted, firsts, bitsOf(keys))) yield 1;
  if (nan !== undefined) bitsOf(keys).set(nan, isReversed ? 0 : bitsOf(keys).length - nan.length);
  const counts = wants.counts ? countsOf(starts) : undefined;
  return {
    keys: keys as OnArrayBuffer<K>,
    ...(counts && { counts: isReversed ? counts.reverse() : counts }),
    ...(rows && { indices: firsts.map((place) => (rows as Uint32Array)[place] as number) }),
  };
}

/** How many rows each run has. */
function countsOf(starts: Uint32Array): OnArrayBuffer<Uint32Array> {
  const counts = new Uint32Array(starts.length - 1);
  for (let i = 0; i < counts.length; i++) {
    counts[i] = (starts[i + 1] as number) - (starts[i] as number);
  }
  return counts;
}

/** The bits of the first NaN among keys; undefined if there is none. */
function firstNaNOf(keys: KeyArray): BitsArray | undefined {
  if (traitsOf(keys).kind !== 'float') return undefined;
  const floats = keys as Float64Array;
  let at = 0;
  while (at < floats.length && !Number.isNaN(floats[at])) at++;
  if (at === floats.length) return undefined;
  const bits = bitsOf(keys);
  const units = bits.length / floats.length;
  return bits.slice(at * units, (at + 1) * units);
}

/** The steps of `rank`. */
export function* rankSteps(
  given: KeyArray,
  order: Order,
  ties: Ties,
): Steps<OnArrayBuffer<Uint32Array | Float64Array>> {
  const copy: KeyArray = copyOf(given);
  const rows = (yield { argsort: copy, order }) as Uint32Array;
  const ranks = ties === 'average' ? new Float64Array(copy.length) : new Uint32Array(copy.length);
  if (ties === 'ordinal') {
    for (let i = 0; i < rows.length; i++) ranks[rows[i] as number] = i;
    return ranks;
  }
  const sorted = emptyLike(copy);
  for (const _ of pickSteps(copy, rows, bitsOf(sorted))) yield 0;
  const starts = yield* startsOfRuns(sorted);
  const fill = ties === 'dense' ? rankDense : rankRuns;
  // How far after the first rank of a run, from `start` to `end`, the rank of all of it lies.
  const share = { min: 0, max: 1, dense: 0, average: 0.5 }[ties];
  for (let from = 0, to = 0; from < starts.length - 1; from = to) {
    const stop = (starts[from] as number) + SLICE;
    while (to < starts.length - 1 && (starts[to] as number) < stop) to++;
    fill(ranks, rows, starts, share, from, to);
    yield (starts[to] as number) / rows.length;
  }
  return ranks;
}

/** Gives all rows of each of the runs [from, to) one rank. */
function rankRuns(
  ranks: Uint32Array | Float64Array,
  rows: Uint32Array,
  starts: Uint32Array,
  share: number,
  from: number,
  to: number,
): void {
  for (let run = from; run < to; run++) {
    const start = starts[run] as number;
    const end = starts[run + 1] as number;
    const rank = start + share * (end - 1 - start);
    for (let i = start; i < end; i++) ranks[rows[i] as number] = rank;
  }
}

/** Ranks the rows of each run by its number. */
function rankDense(
  ranks: Uint32Array | Float64Array,
  rows: Uint32Array,
  starts: Uint32Array,
  _: number,
  from: number,
  to: number,
): void {
  for (let run = from; run < to; run++) {
    const end = starts[run + 1] as number;
    for (let i = starts[run] as number; i < end; i++) ranks[rows[i] as number] = run;
  }
}

/** Where groups begin: at the first row, and wherever a row differs from the one before. */
function startsOfMarks(differs: Uint8Array): OnArrayBuffer<Uint32Array> {
  const { length } = differs;
  let groups = Math.min(length, 1);
  for (let i = 1; i < length; i++) groups += differs[i] as number;
  const starts = new Uint32Array(groups + 1);
  // Every row is written to the next group's start, which goes on only where a group begins.
  for (let i = 1, group = 1; i < length; i++) {
    starts[group] = i;
    group += differs[i] as number;
  }
  starts[groups] = length;
  return starts;
}

/** An order of rows, and where its groups begin. */
export interface Groups {
  /** The rows' numbers, in order. */
  order: OnArrayBuffer<Uint32Array>;
  /** Where each group begins in it, and the number of rows at the end. */
  starts: OnArrayBuffer<Uint32Array>;
}

/**
 * The steps of `groupBy`. At once, rows are sorted by plain words, so that no page has to download
 * what else orders tables.
 */
export function* groupSteps(
  given: Column | readonly Column[],
  order: Order,
  isSync: boolean,
): Steps<Groups> {
  const columns = checkDescribedColumns(given, order);
  const words = columns.flatMap((column) => wordColumns(column, isSync));
  const argsort = isSync ? words : given;
  const rows = (yield { argsort, order: isSync ? 'ascending' : order }) as Groups['order'];
  const texts = isSync ? [] : columns.flatMap((column) => textsOf(column) ?? []);
  const [only] = words;
  if (only !== undefined && words.length + texts.length === 1) {
    const starts = yield* startsOfNear(only);
    if (starts !== undefined) return { order: rows, starts };
  }
  const differs = new Uint8Array(rows.length);
  for (const [from, to] of slicesOf(rows.length, SLICE)) {
    for (const column of words) markRows(column, rows, differs, from, to);
    for (const column of texts) markTexts(column, rows, differs, from, to);
    yield to / rows.length;
  }
  return { order: rows, starts: startsOfMarks(differs) };
}

/**
 * Where groups of words begin once they are sorted, from how often each is there; undefined if they
 * are too far apart to be counted. Reads them in the order that they have, which the caches like.
 */
function* startsOfNear(words: Uint32Array): Steps<OnArrayBuffer<Uint32Array> | undefined> {
  const range: NearRange = { least: 2 ** 32 - 1, most: 0 };
  for (const [from, to] of slicesOf(words.length, SLICE)) {
    widen(range, words, from, to);
    if (range.most - range.least >= words.length / 2) return undefined;
    yield (0.5 * to) / words.length;
  }
  const counts = new Uint32Array(Math.max(0, range.most - range.least + 1));
  for (const [from, to] of slicesOf(words.length, SLICE)) {
    countWords(words, range.least, counts, from, to);
    yield 0.5 + (0.5 * to) / words.length;
  }
  const groups = counts.filter((count) => count > 0);
  const starts = new Uint32Array(groups.length + 1);
  for (let i = 0; i < groups.length; i++) {
    starts[i + 1] = (starts[i] as number) + (groups[i] as number);
  }
  return starts;
}

/** The least and the largest word. */
interface NearRange {
  least: number;
  most: number;
}

function widen(range: NearRange, words: Uint32Array, from: number, to: number): void {
  let { least, most } = range;
  for (let i = from; i < to; i++) {
    const word = words[i] as number;
    if (word < least) least = word;
    if (word > most) most = word;
  }
  Object.assign(range, { least, most });
}

function countWords(
  words: Uint32Array,
  least: number,
  counts: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const at = (words[i] as number) - least;
    counts[at] = (counts[at] as number) + 1;
  }
}

/**
 * Columns of words that are in ascending order as a column is, most significant first. Rows tie
 * if all their words are equal. Texts have ranks only if `hasRanks`, because these take a sort.
 */
function wordColumns(column: CheckedColumn, hasRanks: boolean): Uint32Array[] {
  const { numbers, valid, length, order } = column;
  const texts = textsOf(column);
  const columns: Uint32Array[] = [];
  if (numbers !== undefined) {
    const { keys, keyType } = numbers;
    const isRead = order === 'ascending' && valid === undefined;
    const words = (isRead ? readWords : wordsOf)(keys, 'ascending', keyType);
    if (column.zeros === 'equal') tieZeros(words, keyType);
    if (column.nans !== undefined) columns.push(flagNaNs(words, keyType, column.nans === 'first'));
    const halves = words.highs.length > 0 ? [words.highs, words.lows] : [words.lows];
    if (order === 'descending') for (const half of halves) invert(half);
    columns.push(...halves);
  }
  if (texts !== undefined && hasRanks) columns.push(ranksOf(texts, length, order));
  if (valid === undefined) return columns;
  const flag = Number(column.nulls === 'first');
  const flags = Uint32Array.from({ length }, (_, row) => Number(isValid(column, row)) ^ flag ^ 1);
  // Nulls tie, whatever is in their rows.
  for (const words of columns) {
    for (let row = 0; row < length; row++) if (flags[row] !== flag) words[row] = 0;
  }
  return [flags, ...columns];
}

function invert(words: Uint32Array): void {
  for (let i = 0; i < words.length; i++) words[i] = ~(words[i] as number);
}

/** A column that puts NaNs first or last. */
function flagNaNs({ lows, highs }: OrderWords, keyType: KeyType, areFirst: boolean): Uint32Array {
  const nan = wordOf(Number.NaN, keyType);
  const flag = Number(areFirst);
  return lows.map((low, i) => Number(low === nan.low && highs[i] === nan.high) ^ flag);
}

/** Values that are compared, and which of them are there. */
interface Texts {
  readonly compare: (a: number, b: number) => number;
  readonly isThere: (row: number) => boolean;
}

/** The texts of a column; undefined of numbers. */
function textsOf(column: CheckedColumn): Texts | undefined {
  const { text, strings, collator } = column;
  const isThere = (row: number): boolean => isValid(column, row);
  if (text !== undefined) return { compare: (a, b) => text.compare(a, b, 0), isThere };
  if (strings === undefined) return undefined;
  const plain = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  const compare = collator?.compare ?? plain;
  return { compare: (a, b) => compare(strings[a] as string, strings[b] as string), isThere };
}

/** The ranks of texts, dense, in an order. Those that are not there tie. */
function ranksOf({ compare: own, isThere }: Texts, length: number, order: Order): Uint32Array {
  const sign = order === 'descending' ? -1 : 1;
  const compare = (a: number, b: number): number =>
    isThere(a) && isThere(b) ? sign * own(a, b) : Number(isThere(b)) - Number(isThere(a));
  const rows = identity(length).sort(compare);
  const ranks = new Uint32Array(rows.length);
  for (let i = 1, rank = 0; i < rows.length; i++) {
    if (compare(rows[i - 1] as number, rows[i] as number) !== 0) rank++;
    ranks[rows[i] as number] = rank;
  }
  return ranks;
}

function markRows(
  words: Uint32Array,
  rows: Uint32Array,
  differs: Uint8Array,
  from: number,
  to: number,
): void {
  let before = words[rows[Math.max(from - 1, 0)] as number];
  for (let i = from; i < to; i++) {
    const word = words[rows[i] as number];
    differs[i] = (differs[i] as number) | Number(word !== before);
    before = word;
  }
}

function markTexts(
  { compare, isThere }: Texts,
  rows: Uint32Array,
  differs: Uint8Array,
  from: number,
  to: number,
): void {
  for (let i = Math.max(from, 1); i < to; i++) {
    // Nulls tie with one another, and are told from values by a column of their own.
    if (differs[i] !== 0 || !isThere(rows[i] as number)) continue;
    differs[i] = Number(compare(rows[i - 1] as number, rows[i] as number) !== 0);
  }
}

/** Gives −0 the word of +0, which is the next one and differs in the lower half only. */
function tieZeros({ lows, highs }: OrderWords, keyType: KeyType): void {
  const { low, high } = wordOf(-0, keyType);
  for (let i = 0; i < lows.length; i++) {
    if (lows[i] === low && highs[i] === high) lows[i] = low + 1;
  }
}

/** The word of −0 or NaN. */
function wordOf(value: number, keyType: KeyType): { low: number; high: number | undefined } {
  const { bits } = keyTraits(keyType);
  // Not every runtime has an array of half floats.
  const half = (): Uint16Array => Uint16Array.of(value === 0 ? 0x8000 : 0x7e00);
  const keys = bits === 16 ? half() : bits === 32 ? Float32Array.of(value) : Float64Array.of(value);
  const { lows, highs } = wordsOf(keys, 'ascending', keyType);
  return { low: lows[0] as number, high: highs[0] };
}
