/**
 * Ranks of strings by a collator. Most strings are in order once they are sorted by the letters of
 * an alphabet, as plain numbers. Only strings that are spelt alike, and those that cannot be spelt,
 * are compared.
 */

import { identitySteps, slicesOf } from '@keysweep/core';
import {
  type Alphabet,
  isConsistent,
  learnAlphabet,
  roomFor,
  spell,
  UNSPELT,
} from '../collation/alphabet.js';
import { Comparing } from '../collation/comparing.js';
import { PLAIN_COLUMN } from './column.js';
import { orderAndTies, type Table, type TableSteps, Ties } from './order-table.js';
import { newPlaces, type Text, unitsText } from './text.js';

/** Fewer strings are only compared: an alphabet costs as much. */
const SPELT_FROM = 2 ** 12;

/** Strings that are looked at to see how many are distinct, and what they are written in. */
const SAMPLE = 2 ** 13;

/** Groups of at most this many strings are compared without a pause. */
const FEW = 64;

/** The most pairs of neighbours that are compared in the end. Of more pairs, every k-th is. */
const CHECKED = 2 ** 16;

/** Strings read between two pauses. */
const READ = 2 ** 12;

/**
 * The rank of each row's string, from 0 on: strings that tie have one rank. Rows that are not in
 * `rows` have 0. O(n) for strings in an alphabet, O(n log n) comparisons for others; allocates 4
 * bytes a row for the result, and while it runs 35 a string and its letters.
 */
export function* ranksOf(
  strings: readonly string[],
  collator: Intl.Collator,
  rows: Uint32Array,
  table: Table,
): TableSteps<Uint32Array> {
  const { firsts, numbers } = yield* distinct(strings, rows);
  const { order, spelt, ties } = yield* presort(strings, firsts, collator, table);
  const { compare } = collator;
  const comparing = new Comparing(order, (a, b) => {
    const x = strings[firsts[a] as number] as string;
    const y = strings[firsts[b] as number] as string;
    return x === y ? 0 : compare(x, y);
  });
  yield* sortAlike(comparing, ties);
  yield* checkOrder(comparing, spelt);
  yield* comparing.sort(spelt, order.length);
  yield* comparing.merge(0, spelt, order.length);
  const ranks = ranksInOrder(comparing);
  yield;
  const ofRows = new Uint32Array(strings.length);
  spread(ranks, rows, numbers, ofRows);
  return ofRows;
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

function spread(
  ranks: Uint32Array,
  rows: Uint32Array,
  numbers: Uint32Array | undefined,
  ofRows: Uint32Array,
): void {
  for (let i = 0; i < rows.length; i++) {
    ofRows[rows[i] as number] = ranks[numbers === undefined ? i : (numbers[i] as number)] as number;
  }
}

/** Strings that have to be ordered. */
interface Distinct {
  /** A row of each. */
  readonly firsts: Uint32Array;
  /** The number of the string of each row; undefined if each row has one of its own. */
  readonly numbers: Uint32Array | undefined;
}

/**
 * The distinct strings of rows, if they are few enough to be looked up in a cache. Otherwise all,
 * because then it takes longer to find out which are equal than to sort them.
 */
function* distinct(strings: readonly string[], rows: Uint32Array): Generator<undefined, Distinct> {
  const sampled = [...sampleOf(rows)].map((row) => strings[row]);
  const areMany = new Set(sampled).size > 0.88 * SAMPLE;
  if (areMany) return { firsts: rows, numbers: undefined };
  const numberOf = new Map<string, number>();
  const firsts: number[] = [];
  const numbers = new Uint32Array(rows.length);
  for (const [from, to] of slicesOf(rows.length, READ)) {
    for (let i = from; i < to; i++) {
      const row = rows[i] as number;
      const string = strings[row] as string;
      let number = numberOf.get(string);
      if (number === undefined) {
        number = firsts.push(row) - 1;
        numberOf.set(string, number);
      }
      numbers[i] = number;
    }
    yield;
  }
  return { firsts: Uint32Array.from(firsts), numbers };
}

/** At most SAMPLE rows, in equal distances. */
function* sampleOf(rows: Uint32Array): Generator<number, void> {
  const step = Math.max(1, rows.length / SAMPLE);
  for (let at = 0; at < rows.length; at += step) yield rows[Math.floor(at)] as number;
}

/** Numbers of strings, the first `spelt` of them in the order of their letters. */
interface Presorted {
  readonly order: Uint32Array;
  readonly spelt: number;
  /** Groups of strings that are spelt alike. */
  readonly ties: Ties;
}

function* presort(
  strings: readonly string[],
  firsts: Uint32Array,
  collator: Intl.Collator,
  table: Table,
): TableSteps<Presorted> {
  const sampled = Array.from(sampleOf(firsts), (row) => strings[row] as string);
  const isSpelt = firsts.length >= SPELT_FROM && hasOwnOrder(collator);
  const alphabet = isSpelt ? learnAlphabet(collator, sampled) : undefined;
  yield;
  const all = alphabet && (yield* spellAll(strings, firsts, alphabet));
  if (alphabet === undefined || all === undefined || !isConsistent(alphabet)) {
    return { order: yield* identitySteps(firsts.length), spelt: 0, ties: new Ties() };
  }
  yield;
  const { spelt, unspelt, text } = all;
  const { order, ties } = yield* orderAndTies({
    ...table,
    columns: [{ ...PLAIN_COLUMN, length: spelt.length, text }],
    rows: { count: spelt.length, indices: undefined },
    precision: undefined,
    segments: undefined,
  });
  const sorted = new Uint32Array(firsts.length);
  for (let i = 0; i < spelt.length; i++) sorted[i] = spelt[order[i] as number] as number;
  sorted.set(unspelt, spelt.length);
  return { order: sorted, spelt: spelt.length, ties };
}

/** Whether `compare` is the language's own, and not what a program has put in its place. */
function hasOwnOrder(collator: Intl.Collator): boolean {
  const own = Object.getOwnPropertyDescriptor(Intl.Collator.prototype, 'compare')?.get;
  return own?.call(collator) === collator.compare;
}

/** Numbers of strings with the letters that they have, and of those without. */
interface Spelt {
  readonly spelt: Uint32Array;
  readonly unspelt: readonly number[];
  /** The letters of each string that is spelt. */
  readonly text: Text;
}

function* spellAll(
  strings: readonly string[],
  firsts: Uint32Array,
  alphabet: Alphabet,
): Generator<undefined, Spelt> {
  let length = 0;
  for (const row of firsts) length += roomFor(alphabet, (strings[row] as string).length);
  yield;
  const letters = new Uint8Array(length);
  const starts = newPlaces(length, firsts.length);
  const ends = newPlaces(length, firsts.length);
  const numbers = new Uint32Array(firsts.length);
  const unspelt: number[] = [];
  let spelt = 0;
  let at = 0;
  const spellSome = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      const end = spell(strings[firsts[i] as number] as string, alphabet, letters, at);
      if (end === UNSPELT) {
        unspelt.push(i);
        continue;
      }
      starts[spelt] = at;
      ends[spelt] = end;
      numbers[spelt++] = i;
      at = end;
    }
  };
  for (const [from, to] of slicesOf(firsts.length, READ)) {
    spellSome(from, to);
    yield;
  }
  const text = unitsText(letters, starts, ends, alphabet.bits);
  return { spelt: numbers.subarray(0, spelt), unspelt, text };
}
