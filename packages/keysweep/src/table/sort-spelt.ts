/**
 * Sorts strings that are spelt: by the words that they begin with, then those whose words are equal
 * by more of their letters, or by comparing them.
 */

import { FIELD_ROWS, slicesOf } from '@keysweep/core';
import { isWhole, letterOf } from '../collation/alphabet.js';
import type { Comparing } from '../collation/comparing.js';
import type { Spelling, Symbols } from '../collation/spelling.js';
import { PLAIN_COLUMN } from './column.js';
import { orderAndTies, placesOf, requestOf, type Table, type TableSteps } from './order-table.js';
import { unitsText } from './text.js';
import { TiedGroups } from './tied-groups.js';

/**
 * Groups of at most this many strings are compared at once, because it takes longer to read all of
 * their letters.
 */
const FEW = 16;

/** The most pairs of neighbours that are compared in the end. Of more pairs, every k-th is. */
const CHECKED = 2 ** 15;

/** Strings read between two pauses. */
const READ = 2 ** 12;

/** Sorts the strings that are spelt: by words that they begin with, and what is alike by more. */
export function* sortSpelt(
  comparing: Comparing,
  spelling: Spelling,
  table: Table,
): TableSteps<void> {
  const { words, rests, spelt } = spelling;
  const order = comparing.order.subarray(0, spelt);
  if (spelt > 1) yield requestOf(table, words, order);
  const halves = new Uint32Array(words.buffer, 0, 2 * spelt);
  const picked = new Float64Array(READ);
  const few = new TiedGroups();
  const many = new TiedGroups();
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
  for (let i = from; i < to; i++) picked[i - from] = rests[order[i] as number] ?? Number.NaN;
}

/**
 * Finds groups of equal strings by their sorted words and their rests, among those that start in
 * [from, to), of which the rests are picked. Only where rests do not tell are strings looked at.
 * Adds groups of equal words of which some strings differ to `few` or `many`. Returns where the
 * last group ends.
 */
function findEqual(
  { order, ties }: Comparing,
  halves: Uint32Array,
  { rests, strings }: Spelling,
  picked: Float64Array,
  from: number,
  to: number,
  few: TiedGroups,
  many: TiedGroups,
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
      const other = (end < to ? picked[end - from] : rests[order[end] as number]) ?? Number.NaN;
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
  groups: TiedGroups,
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
  const alike = new TiedGroups();
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
  groups: TiedGroups,
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
export function* checkSpeltOrder(comparing: Comparing, count: number): Generator<undefined, void> {
  const step = Math.ceil(count / CHECKED);
  const broken: number[] = [];
  for (let i = 1, work = 0; i < count; i += step, work++) {
    if (comparing.ties[i] === 1) continue;
    comparing.findRuns(i - 1, i + 1, broken);
    if (broken.length > 0) return yield* comparing.sort(0, count);
    if (work % READ === READ - 1) yield;
  }
}
