/** groupBy: an order of rows, and where rows begin that differ from those before. */

import { type OnArrayBuffer, type Order, slicesOf } from '@keysweep/core';
import { type Column, checkDescribedColumns } from '../table/column.js';
import { type Texts, textsOf, wordColumns } from './group-words.js';
import { SLICE, type Steps } from './steps.js';

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
