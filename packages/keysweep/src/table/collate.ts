/**
 * Orders strings by a collator. Most strings are in order once they are sorted by the letters of an
 * alphabet, as plain numbers. Only strings that are spelt alike, or cannot be spelt, are
 * compared.
 */

import { identitySteps, slicesOf } from '@keysweep/core';
import { isConsistent, learnAlphabet, letterOf } from '../collation/alphabet.js';
import { Comparing } from '../collation/comparing.js';
import { isWhole } from '../collation/speller.js';
import { Spelling } from '../collation/spelling.js';
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

/** Groups of at most this many strings are compared without a pause. */
const FEW = 64;

/** Larger groups that begin alike are sorted by their further letters before they are compared. */
const INSERTED = 16;

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
 * others. Allocates 28 bytes a string, and 2 for each of its characters.
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
  const spelling = yield* spellingOf(texts, collator);
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
    while (start > 0 && ties[order[start] as number] === 1) start--;
    for (let i = start; i < end; i++) reversed[at++] = order[i] as number;
    end = start;
  }
  return reversed;
}

/** Sorts the strings that are spelt: by words that they begin with, and what is alike by more. */
function* sortSpelt(comparing: Comparing, spelling: Spelling, table: Table): TableSteps<void> {
  const { words, rests } = yield* spelling.words();
  const order = comparing.order.subarray(0, spelling.spelt);
  if (order.length > 1) yield requestOf(table, words, order);
  const large = new Ties();
  const begun = new BegunAlike(comparing, spelling, rests, large);
  const halves = new Uint32Array(words.buffer);
  for (let from = 0; from < order.length; ) {
    from = begun.sort(halves, from, from + READ);
    yield;
  }
  if (large.count > 0) yield* sortLarge(comparing, spelling, large, table);
}

/** Sorts groups of strings that begin alike, if they are small. */
class BegunAlike {
  readonly #comparing: Comparing;
  readonly #symbols: Uint16Array;
  readonly #starts: Uint32Array;
  readonly #rests: Float64Array;
  /** Larger groups are added here. */
  readonly #large: Ties;

  constructor(
    comparing: Comparing,
    { symbols, starts }: Spelling,
    rests: Float64Array,
    large: Ties,
  ) {
    this.#comparing = comparing;
    this.#rests = rests;
    this.#symbols = symbols;
    this.#starts = starts;
    this.#large = large;
  }

  /** Sorts the groups that start in [from, to), by their sorted words. Returns where they end. */
  sort(halves: Uint32Array, from: number, to: number): number {
    const count = halves.length / 2;
    let start = from;
    while (start < to && start < count) {
      const low = halves[2 * start];
      const high = halves[2 * start + 1];
      let end = start + 1;
      while (end < count && halves[2 * end] === low && halves[2 * end + 1] === high) end++;
      if (end - start > 1) this.#sortGroup(start, end);
      start = end;
    }
    return start;
  }

  #sortGroup(start: number, end: number): void {
    const { order, ties } = this.#comparing;
    const first = order[start] as number;
    const rest = this.#rests[first];
    // Most groups are one string, several times.
    let difference = 0;
    let tied = start;
    while (difference === 0 && ++tied < end) {
      const other = order[tied] as number;
      if (this.#rests[other] !== rest) difference = this.#compare(first, other);
    }
    if (tied < end && end - start > INSERTED) {
      this.#large.add(start, end);
      return;
    }
    for (let i = start + 1; i < tied; i++) ties[order[i] as number] = 1;
    for (let i = tied; i < end; i++) {
      const element = order[i] as number;
      if (i > tied) difference = this.#compare(order[i - 1] as number, element);
      let at = i;
      while (difference > 0) {
        order[at] = order[at - 1] as number;
        at--;
        if (at === start) break;
        difference = this.#compare(order[at - 1] as number, element);
      }
      order[at] = element;
      ties[element] = Number(difference === 0);
    }
  }

  #compare(a: number, b: number): number {
    const symbols = this.#symbols;
    const starts = this.#starts;
    let at = starts[a] as number;
    let other = starts[b] as number;
    const endOfA = starts[a + 1] as number;
    const endOfB = starts[b + 1] as number;
    let areSame = at < endOfA && isWhole(symbols, at);
    for (; at < endOfA && other < endOfB; at++, other++) {
      const symbol = symbols[at] as number;
      const otherSymbol = symbols[other] as number;
      if (symbol === otherSymbol) continue;
      const difference = letterOf(symbol) - letterOf(otherSymbol);
      if (difference !== 0) return difference;
      areSame = false;
    }
    if (at < endOfA) return 1;
    if (other < endOfB) return -1;
    return areSame ? 0 : this.#comparing.compare(a, b);
  }
}

/** Sorts groups by all of their letters, and then what is spelt alike. */
function* sortLarge(
  comparing: Comparing,
  spelling: Spelling,
  groups: Ties,
  table: Table,
): TableSteps<void> {
  const { order } = comparing;
  const indices = yield* placesOf(order, groups);
  const { starts, letterBits } = spelling;
  const text = unitsText(yield* spelling.letters(), starts, starts.subarray(1), letterBits);
  const sorted = yield* orderAndTies({
    ...table,
    columns: [{ ...PLAIN_COLUMN, length: order.length, text }],
    rows: { count: indices.length, indices },
    precision: undefined,
    segments: groups.segments(),
  });
  const from = indices === order ? indices.slice() : indices;
  const places = new Uint32Array(from.length);
  let at = 0;
  yield* groups.visit((start, end) => {
    for (let i = start; i < end; i++) {
      order[i] = from[sorted.order[at] as number] as number;
      places[at++] = i;
    }
  });
  const alike = new Ties();
  yield* sorted.ties.visit((start, end) => {
    const first = places[start] as number;
    alike.add(first, first + end - start);
  });
  yield* sortAlike(comparing, alike);
}

/** Sorts groups of strings that are spelt alike. Most are equal, or a few. */
function* sortAlike(comparing: Comparing, groups: Ties): Generator<undefined, void> {
  const broken: number[] = [];
  for (let i = 0, work = 0; i < groups.count; i++) {
    const start = groups.starts[i] as number;
    const end = groups.ends[i] as number;
    if (end - start <= FEW) {
      comparing.findRuns(start, end, broken);
      work += end - start;
      if (work >= READ) {
        work = 0;
        yield;
      }
      if (broken.length === 0) continue;
      broken.length = 0;
    }
    yield* comparing.sort(start, end);
  }
}

/**
 * Compares neighbours among the first `count` strings, because a letter of four characters or more
 * is none that an alphabet learns. Puts all in order by comparing where two are not.
 */
function* checkOrder(comparing: Comparing, count: number): Generator<undefined, void> {
  const step = Math.ceil(count / CHECKED);
  const broken: number[] = [];
  for (let i = 1, work = 0; i < count; i += step, work++) {
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
    const element = order[i] as number;
    rank += 1 - (ties[element] as number);
    ranks[element] = rank;
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
): Generator<undefined, Spelling | undefined> {
  if (texts.length < SPELT_FROM || !hasOwnOrder(collator)) return undefined;
  const alphabet = learnAlphabet(collator, sampleOf(texts));
  if (alphabet === undefined) return undefined;
  yield;
  const spelling = new Spelling(texts, alphabet);
  yield* spelling.spellAll();
  return isConsistent(alphabet) ? spelling : undefined;
}

/** Whether `compare` is the language's own, and not what a program has put in its place. */
function hasOwnOrder(collator: Intl.Collator): boolean {
  const own = Object.getOwnPropertyDescriptor(Intl.Collator.prototype, 'compare')?.get;
  return own?.call(collator) === collator.compare;
}
