/**
 * Orders strings by a collator. Most strings are in order once they are sorted by the letters of an
 * alphabet, as plain numbers. Only strings that are spelt alike, or cannot be spelt, are
 * compared.
 */

import { identitySteps, slicesOf } from '@keysweep/core';
import { isConsistent, learnAlphabet } from '../collation/alphabet.js';
import { Comparing } from '../collation/comparing.js';
import { Spelling } from '../collation/spelling.js';
import type { Table, TableSteps } from './order-table.js';
import { checkSpeltOrder, sortSpelt } from './sort-spelt.js';

/** Fewer strings are only compared: an alphabet costs as much. */
const SPELT_FROM = 2 ** 12;

/** Strings that are looked at to see how many are distinct, and what they are written in. */
const SAMPLE = 2 ** 13;

/** Strings read between two pauses. */
const READ = 2 ** 12;

/** Strings that are to be ordered by a collator, once they have been read. */
export interface ReadStrings {
  readonly texts: readonly string[];
  /** The number of the text of each row; undefined if each row has one of its own. */
  readonly numbers: Uint32Array | undefined;
  /** Undefined if the texts have to be compared. */
  readonly spelling: Spelling | undefined;
  /** Compares texts by their numbers. */
  readonly compare: (a: number, b: number) => number;
}

/** Strings in their order. */
export interface Collated {
  /** Rows in the order of their strings, if none is left out because it ties with another. */
  readonly comparing: Comparing;
  /** The number of the string of each row; undefined if each row has one of its own. */
  readonly numbers: Uint32Array | undefined;
}

/**
 * Reads the strings of `rows`, or all. O(n); allocates 20 bytes a string. Without `keepsRests` it
 * is 8 bytes, and to order equal strings takes longer.
 */
export function* readCollated(
  strings: readonly string[],
  collator: Intl.Collator,
  rows: Uint32Array | undefined,
  table: Table,
  keepsRests = true,
): TableSteps<ReadStrings> {
  const { texts, numbers } = yield* distinct(strings, rows);
  const { compare } = collator;
  return {
    texts,
    numbers,
    spelling: yield* spellingOf(texts, collator, table, keepsRests),
    compare: (a, b) => {
      const x = texts[a] as string;
      const y = texts[b] as string;
      return x === y ? 0 : compare(x, y);
    },
  };
}

/**
 * Orders strings: O(n) if they are spelt in an alphabet, O(n log n) comparisons for others.
 * Allocates a byte a string, and where many begin alike, 2 for each of the characters of these.
 */
export function* collate(
  { texts, numbers, spelling, compare }: ReadStrings,
  table: Table,
): TableSteps<Collated> {
  if (spelling === undefined) {
    const comparing = new Comparing(yield* identitySteps(texts.length), compare);
    yield* comparing.sort(0, texts.length);
    return { comparing, numbers };
  }
  const { spelt } = spelling;
  const comparing = new Comparing(spelling.numbers, compare);
  yield* sortSpelt(comparing, spelling, table);
  yield* checkSpeltOrder(comparing, spelt);
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
  keepsRests: boolean,
): TableSteps<Spelling | undefined> {
  if (texts.length < SPELT_FROM || !hasOwnOrder(collator)) return undefined;
  const alphabet = learnAlphabet(collator, sampleOf(texts));
  if (alphabet === undefined) return undefined;
  yield;
  const spelling = new Spelling(texts, alphabet, kernels, keepsRests);
  yield* spelling.spellAll(signal);
  return isConsistent(alphabet, spelling.seen) ? spelling : undefined;
}

/** Whether `compare` is the language's own, and not what a program has put in its place. */
function hasOwnOrder(collator: Intl.Collator): boolean {
  const own = Object.getOwnPropertyDescriptor(Intl.Collator.prototype, 'compare')?.get;
  return own?.call(collator) === collator.compare;
}
