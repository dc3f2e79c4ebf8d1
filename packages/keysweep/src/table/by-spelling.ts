/**
 * Orders rows by strings with a collator after other columns, such as by a date and a name, without
 * a rank for each string: by the words that the strings begin with, and in full only where rows tie
 * in these and in all columns before. Ranks take two more sorts, and twice the memory.
 */

import { slicesOf } from '@keysweep/core';
import type { Spelling } from '../collation/spelling.js';
import { areFewTies, orderInTurn } from './by-columns-in-turn.js';
import { type ReadStrings, readCollated } from './collate.js';
import type { CheckedColumn } from './column.js';
import { requestOf, type Table, type TableSteps } from './order-table.js';
import { type Known, rowsToRead, withRanks } from './strings.js';

/** Fewer rows are ordered by ranks: they take less time than a second order of rows that tie. */
const LEAST = 2 ** 15;

/** Rows between two pauses. */
const READ = 2 ** 14;

/** Strings of a sample that are compared. */
const CHECKED = 2 ** 13;

/** Comparisons between two pauses. */
const PAUSED = 2 ** 9;

/**
 * The order of a table whose rows hardly tie by then; undefined for another table. `known` has then
 * what was read of its strings. O(rows); allocates 28 bytes a row.
 */
export function* orderBySpelling(
  table: Table,
  known: Known,
  orderOf: (table: Table) => TableSteps<Uint32Array>,
): TableSteps<Uint32Array | undefined> {
  const { columns, rows } = table;
  const late = columns.findIndex(({ strings }) => strings !== undefined);
  const { strings, collator } = columns[late] ?? {};
  if (late < 1 || strings === undefined || collator === undefined) return undefined;
  const before = columns.slice(0, late);
  if (rows.count < LEAST || before.some(({ numbers }) => numbers === undefined)) return undefined;
  const column = columns[late] as CheckedColumn;
  const chosen = yield* rowsToRead(column, rows);
  const read = yield* readCollated(strings, collator, chosen, table, false);
  known.set(column, read);
  const { spelling, numbers, texts } = read;
  // Rows with equal strings tie in too much, and a string that is not spelt has no word.
  if (numbers !== undefined || spelling?.spelt !== texts.length) return undefined;
  const { highs, lows } = yield* wordsOfRows(spelling, chosen, strings.length);
  // Nulls are apart by the first of both.
  const low = { ...withRanks(column, lows), valid: undefined };
  const first = [...before, withRanks(column, highs), low];
  if (!areFewTies(first, rows)) return undefined;
  if (yield* areInOrder(read, table)) return yield* orderInTurn(table, first, late, orderOf);
  known.set(column, { ...read, spelling: undefined });
  return undefined;
}

/** The halves of the word of each row; 0 for rows that are not chosen. */
function* wordsOfRows(
  { words }: Spelling,
  chosen: Uint32Array | undefined,
  length: number,
): Generator<undefined, Record<'highs' | 'lows', Uint32Array>> {
  const halves = new Uint32Array(words.buffer, words.byteOffset, 2 * words.length);
  const highs = new Uint32Array(length);
  const lows = new Uint32Array(length);
  for (const [from, to] of slicesOf(words.length, READ)) {
    spread(halves, chosen, highs, lows, from, to);
    yield;
  }
  return { highs, lows };
}

// A function of its own, because engines compile generators less well.
function spread(
  halves: Uint32Array,
  chosen: Uint32Array | undefined,
  highs: Uint32Array,
  lows: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const row = chosen === undefined ? i : (chosen[i] as number);
    lows[row] = halves[2 * i] as number;
    highs[row] = halves[2 * i + 1] as number;
  }
}

/**
 * Whether a sample of the strings is in the collator's order once it is in that of the words. A
 * letter of four characters or more is none that an alphabet learns.
 */
function* areInOrder({ spelling, compare }: ReadStrings, table: Table): TableSteps<boolean> {
  const { words } = spelling as Spelling;
  const step = Math.max(1, words.length / CHECKED);
  const numbers = Uint32Array.from({ length: Math.min(words.length, CHECKED) }, (_, i) =>
    Math.floor(i * step),
  );
  const sampled = BigUint64Array.from(numbers, (number) => words[number] as bigint);
  yield requestOf(table, sampled, numbers);
  for (let i = 1; i < numbers.length; i++) {
    if (i % PAUSED === 0) yield;
    // What the words do not tell, comparing does.
    if (sampled[i - 1] === sampled[i]) continue;
    if (compare(numbers[i - 1] as number, numbers[i] as number) > 0) return false;
  }
  return true;
}
