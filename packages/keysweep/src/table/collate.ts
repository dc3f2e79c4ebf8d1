/**
 * Orders strings by a collator. Most strings are in order once they are sorted by the letters of an
 * alphabet, as plain numbers. Only strings that are spelt alike, or cannot be spelt, are
 * compared.
 */

import { FIELD_ROWS, identitySteps, slicesOf } from '@keysweep/core';
import { isConsistent, isWhole, learnAlphabet, letterOf } from '../collation/alphabet.js';
import { Comparing } from '../collation/comparing.js';
import { Spelling, type Symbols } from '../collation/spelling.js';
import { PLAIN_COLUMN } from './column.js';
import {
  orderAndTies,
  placesOf,
  requestOf,
  type Table,
  type TableSteps,
  Ties,
} from './order-table.js';
import { unitsText } from './text.js';

/** Fewer strings are only compared: an alphabet costs as much. */
const SPELT_FROM = 2 ** 12;

/** Strings that are looked at to see how many are distinct, and what they are written in. */
const SAMPLE = 2 ** 13;

/**
 * Groups of at most this many strings are compared at once, because it takes longer to read all of
 * their letters.
 */
const FEW = 16;

/** The most pairs of neighbours that are compared in the end. Of more pairs, every k-th is. */
const CHECKED = 2 ** 15;

/** Strings read between two pauses. */
const READ = 2 ** 12;

/** Strings in their order. */
export interface Collated {
  /** Rows in the order of their strings, if none is left out because it ties with another. */
  readonly comparing: Comparing;
  /** The number of the string of each row; undefined if each row has one of its own. */
  readonly numbers: Uint32Array | undefined;
}

/**
 * Orders the strings of `rows`, or all: O(n) for strings in an alphabet, O(n log n) comparisons for
 * others. Allocates 21 bytes a string, and where many begin alike, 2 more for
 * each of the characters of these.
 */
export function* collate(
  strings: readonly string[],
  collator: Intl.Collator,
  rows: Uint32Array | undefined,
  table: Table,
): TableSteps<Collated> {
  const { texts, numbers } = yield* distinct(strings, rows);
  const { compare } = collator;
  const ofTexts = (a: number, b: number): number => {
    const x = texts[a] as string;
    const y = texts[b] as string;
    return x === y ? 0 : compare(x, y);
  };
  const spelling = yield* spellingOf(texts, collator, table);
  if (spelling === undefined) {
    const comparing = new Comparing(yield* identitySteps(texts.length), ofTexts);
    yield* comparing.sort(0, texts.length);
    return { comparing, numbers };
  }
  const { spelt } = spelling;
  const comparing = new Comparing(spelling.numbers, ofTexts);
  yield* sortSpelt(comparing, spelling, table);
  yield* checkOrder(comparing, spelt);
  yield* comparing.sort(spelt, texts.length);
  yield* comparing.merge(0, spelt, texts.length);
  // Strings that could be spelt are before others that they tie with, wherever these were.
  if (spelt > 0 && spelt < texts.length) yield* comparing.orderTies();
  return { comparing, numbers };
}

/**
 * The rank of each row's string, from 0 on: strings that tie have one rank. Rows that are not in
 * `rows` have 0. O(rows); allocates 4 bytes a row, and 4 a string.
 */
export function ranksOf(
  { comparing, numbers }: Collated,
  rows: Uint32Array | undefined,
  length: number,
): Uint32Array {
  const ranks = ranksInOrder(comparing);
  if (rows === undefined && numbers === undefined) return ranks;
  const ofRows = new Uint32Array(length);
  const count = rows?.length ?? length;
  for (let i = 0; i < count; i++) {
    const row = rows === undefined ? i : (rows[i] as number);
    ofRows[row] = ranks[numbers === undefined ? i : (numbers[i] as number)] as number;
  }
  return ofRows;
}

/**
 * All rows in the order of their strings, descending if asked for; undefined if their strings have
 * numbers. O(rows); allocates 4 bytes a row for a descending order.
 */
export function orderOf(
  { comparing, numbers }: Collated,
  isDescending: boolean,
): Uint32Array | undefined {
  const { order, ties } = comparing;
  if (numbers !== undefined) return undefined;
  if (!isDescending) return order;
  const reversed = new Uint32Array(order.length);
  for (let end = order.length, at = 0; end > 0; ) {
    let start = end - 1;
    while (start > 0 && ties[start] === 1) start--;
    for (let i = start; i < end; i++) reversed[at++] = order[i] as number;
    end = start;
  }
  return reversed;
}

/** Sorts the strings that are spelt: by words that they begin with, and what is alike by more. */
function* sortSpelt(comparing: Comparing, spelling: Spelling, table: Table): TableSteps<void> {
  const { words, rests, spelt } = spelling;
  const order = comparing.order.subarray(0, spelt);
  if (spelt > 1) yield requestOf(table, words, order);
  const halves = new Uint32Array(words.buffer, 0, 2 * spelt);
  const picked = new Float64Array(READ);
  const few = new Ties();
  const many = new Ties();
  for (let start = 0; start < spelt; ) {
    const end = Math.min(start + READ, spelt);
    pickRests(rests, order, picked, start, end);
    start = findEqual(comparing, halves, spelling, picked, start, end, few, many);
    yield;
  }
  yield* sortByComparing(comparing, spelling.strings, few);
  if (many.count > 0) yield* sortByLetters(comparing, spelling, many, table);
}

/**
 * The rests of strings in an order. Processors wait for several of them at once here, and for one
 * after the other where more is done with each.
 */
function pickRests(
  rests: Float64Array,
  order: Uint32Array,
  picked: Float64Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) picked[i - from] = rests[order[i] as number] as number;
}

/**
 * Finds groups of equal strings by their sorted words and their rests, among those that start in
 * [from, to), of which the rests are picked. Only where rests do not tell are strings looked at.
 * Adds groups of equal words of which some strings differ to `few` or `many`. Returns where the last
 * group ends.
 */
function findEqual(
  { order, ties }: Comparing,
  halves: Uint32Array,
  { rests, strings }: Spelling,
  picked: Float64Array,
  from: number,
  to: number,
  few: Ties,
  many: Ties,
): number {
  const count = halves.length / 2;
  let start = from;
  while (start < to) {
    const low = halves[2 * start];
    const high = halves[2 * start + 1];
    const rest = picked[start - from] as number;
    let areEqual = true;
    let end = start + 1;
    for (; end < count && halves[2 * end] === low && halves[2 * end + 1] === high; end++) {
      if (!areEqual) continue;
      const other = (end < to ? picked[end - from] : rests[order[end] as number]) as number;
      areEqual =
        rest === other ||
        (Number.isNaN(rest) &&
          Number.isNaN(other) &&
          strings[order[start] as number] === strings[order[end] as number]);
    }
    if (!areEqual) (end - start <= FEW ? few : many).add(start, end);
    else for (let i = start + 1; i < end; i++) ties[i] = 1;
    start = end;
  }
  return start;
}

/** Sorts groups by all of their letters, and then what is spelt alike. */
function* sortByLetters(
  comparing: Comparing,
  spelling: Spelling,
  groups: Ties,
  table: Table,
): TableSteps<void> {
  const { order } = comparing;
  const found = yield* placesOf(order, groups);
  const numbers = found === order ? found.slice() : found;
  const spelt = yield* spelling.symbolsOf(numbers);
  const { symbols, starts } = spelt;
  const letters = new Uint8Array(starts.at(-1) as number);
  for (const [from, to] of slicesOf(letters.length, FIELD_ROWS)) {
    for (let i = from; i < to; i++) letters[i] = letterOf(symbols[i] as number);
    yield;
  }
  const text = unitsText(letters, starts, starts.subarray(1), spelling.letterBits);
  const sorted = yield* orderAndTies({
    ...table,
    columns: [{ ...PLAIN_COLUMN, length: numbers.length, text }],
    rows: { count: numbers.length, indices: undefined },
    precision: undefined,
    segments: groups.segments(),
  });
  const places = new Uint32Array(numbers.length);
  let at = 0;
  yield* groups.visit((start, end) => {
    for (let i = start; i < end; i++) {
      order[i] = numbers[sorted.order[at] as number] as number;
      places[at++] = i;
    }
  });
  const alike = new Ties();
  yield* sorted.ties.visit((start, end) => {
    const first = places[start] as number;
    if (areEqual(spelt, sorted.order, start, end)) {
      comparing.ties.fill(1, first + 1, first + end - start);
    } else {
      alike.add(first, first + end - start);
    }
  });
  yield* sortByComparing(comparing, spelling.strings, alike);
}

/** Whether strings of an order that are spelt alike are equal, by their symbols. */
function areEqual(
  { symbols, starts }: Symbols,
  order: Uint32Array,
  from: number,
  to: number,
): boolean {
  const first = starts[order[from] as number] as number;
  const length = (starts[(order[from] as number) + 1] as number) - first;
  if (length === 0 || !isWhole(symbols, first)) return false;
  for (let i = from + 1; i < to; i++) {
    const other = starts[order[i] as number] as number;
    for (let at = 0; at < length; at++) {
      if (symbols[first + at] !== symbols[other + at]) return false;
    }
  }
  return true;
}

/**
 * Sorts groups of strings, each in the order of their numbers, by comparing those that differ: a
 * comparison takes longer than to find an equal string.
 */
function* sortByComparing(
  comparing: Comparing,
  strings: readonly string[],
  groups: Ties,
): Generator<undefined, void> {
  const { order, ties } = comparing;
  const broken: number[] = [];
  for (let i = 0, work = 0; i < groups.count; i++) {
    const start = groups.starts[i] as number;
    const end = groups.ends[i] as number;
    const numbersOf = new Map<string, number[]>();
    for (let at = start; at < end; at++) {
      const number = order[at] as number;
      const equal = numbersOf.get(strings[number] as string);
      if (equal === undefined) numbersOf.set(strings[number] as string, [number]);
      else equal.push(number);
      if (++work % READ === 0) yield;
    }
    // The first one of each.
    let last = start;
    for (const [number] of numbersOf.values()) order[last++] = number as number;
    if (last - start <= FEW) comparing.findRuns(start, last, broken);
    if (last - start > FEW || broken.length > 0) yield* comparing.sort(start, last);
    broken.length = 0;
    if (last < end) putEqual(order, ties, strings, numbersOf, start, last);
  }
}

/** Puts the numbers of all strings of a group where the first ones of each are, in their order. */
function putEqual(
  order: Uint32Array,
  ties: Uint8Array,
  strings: readonly string[],
  numbersOf: ReadonlyMap<string, readonly number[]>,
  start: number,
  last: number,
): void {
  const firsts = order.slice(start, last);
  const tiesOfFirsts = ties.slice(start, last);
  let at = start;
  for (let i = 0; i < firsts.length; ) {
    let tied: number[] = [];
    do {
      tied = tied.concat(numbersOf.get(strings[firsts[i++] as number] as string) as number[]);
    } while (tiesOfFirsts[i] === 1);
    tied.sort((a, b) => a - b);
    order.set(tied, at);
    ties[at] = 0;
    ties.fill(1, at + 1, at + tied.length);
    at += tied.length;
  }
}

/**
 * Compares neighbours among the first `count` strings that do not tie, because a letter of four
 * characters or more is none that an alphabet learns. Puts all in order by comparing where two are
 * not.
 */
function* checkOrder(comparing: Comparing, count: number): Generator<undefined, void> {
  const step = Math.ceil(count / CHECKED);
  const broken: number[] = [];
  for (let i = 1, work = 0; i < count; i += step, work++) {
    if (comparing.ties[i] === 1) continue;
    comparing.findRuns(i - 1, i + 1, broken);
    if (broken.length > 0) return yield* comparing.sort(0, count);
    if (work % READ === READ - 1) yield;
  }
}

/** The rank of each string, which is one more than that of the string before unless they tie. */
function ranksInOrder({ order, ties }: Comparing): Uint32Array {
  const ranks = new Uint32Array(order.length);
  let rank = -1;
  for (let i = 0; i < order.length; i++) {
    rank += 1 - (ties[i] as number);
    ranks[order[i] as number] = rank;
  }
  return ranks;
}

/** Strings that have to be ordered. */
interface Distinct {
  readonly texts: readonly string[];
  /** The number of the string of each row; undefined if each row has one of its own. */
  readonly numbers: Uint32Array | undefined;
}

/**
 * The distinct strings of rows, if they are few enough to be looked up in a cache. Otherwise all,
 * because then it takes longer to find out which are equal than to sort them.
 */
function* distinct(
  strings: readonly string[],
  rows: Uint32Array | undefined,
): Generator<undefined, Distinct> {
  const texts = rows ? Array.from(rows, (row) => strings[row] as string) : strings;
  const sampled = [...sampleOf(texts)];
  const areMany = new Set(sampled).size > 0.88 * SAMPLE;
  if (areMany) return { texts, numbers: undefined };
  const numberOf = new Map<string, number>();
  const numbers = new Uint32Array(texts.length);
  for (const [from, to] of slicesOf(texts.length, READ)) {
    countTexts(texts, from, to, numberOf, numbers);
    yield;
  }
  return { texts: [...numberOf.keys()], numbers };
}

/** Numbers strings in the order in which they come first. */
function countTexts(
  texts: readonly string[],
  from: number,
  to: number,
  numberOf: Map<string, number>,
  numbers: Uint32Array,
): void {
  for (let i = from; i < to; i++) {
    const text = texts[i] as string;
    let number = numberOf.get(text);
    if (number === undefined) {
      number = numberOf.size;
      numberOf.set(text, number);
    }
    numbers[i] = number;
  }
}

/** At most SAMPLE strings, in equal distances. */
function* sampleOf(texts: readonly string[]): Generator<string, void> {
  const step = Math.max(1, texts.length / SAMPLE);
  for (let at = 0; at < texts.length; at += step) yield texts[Math.floor(at)] as string;
}

/** Strings spelt in an alphabet of the collator; undefined if there is none that can be used. */
function* spellingOf(
  texts: readonly string[],
  collator: Intl.Collator,
  { kernels, signal }: Table,
): TableSteps<Spelling | undefined> {
  if (texts.length < SPELT_FROM || !hasOwnOrder(collator)) return undefined;
  const alphabet = learnAlphabet(collator, sampleOf(texts));
  if (alphabet === undefined) return undefined;
  yield;
  const spelling = new Spelling(texts, alphabet, kernels);
  yield* spelling.spellAll(signal);
  return isConsistent(alphabet, spelling.seen) ? spelling : undefined;
}

/** Whether `compare` is the language's own, and not what a program has put in its place. */
function hasOwnOrder(collator: Intl.Collator): boolean {
  const own = Object.getOwnPropertyDescriptor(Intl.Collator.prototype, 'compare')?.get;
  return own?.call(collator) === collator.compare;
}
