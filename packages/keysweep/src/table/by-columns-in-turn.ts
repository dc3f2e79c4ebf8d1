/**
 * Orders rows by some columns first, and by the others only where these tie. That pays if the
 * others are strings, which take long to be read and compared, and few rows tie.
 */

import { FIELD_ROWS, slicesOf } from '@keysweep/core';
import type { CheckedColumn, RowSelection } from './column.js';
import { orderAndTies, placesOf, type Table, type TableSteps } from './order-table.js';
import { readStrings } from './strings.js';

/** Rows that are looked at to see how many tie. */
const SAMPLE = 2 ** 13;

/** Fewer rows are ordered by all columns at once. */
const LEAST = 2 ** 15;

/** The first column that is better ordered by after those before it; 0 if there is none. */
export function firstLate({ columns, rows }: Table): number {
  if (rows.count < LEAST) return 0;
  const late = columns.findIndex(({ strings }, i) => i > 0 && strings !== undefined);
  return late > 0 && areFewTies(columns.slice(0, late), rows) ? late : 0;
}

/** Whether half of all rows or fewer tie in some columns, as far as a sample tells. */
export function areFewTies(
  columns: readonly CheckedColumn[],
  { count, indices }: RowSelection,
): boolean {
  const step = count / SAMPLE;
  const seen = new Set<unknown>();
  for (let i = 0; i < SAMPLE; i++) {
    const place = Math.floor(i * step);
    const row = indices === undefined ? place : (indices[place] as number);
    const values = columns.map((column) => guessedValue(column, row));
    // To make text of a number takes longer than all else.
    seen.add(values.length === 1 ? values[0] : values.join());
  }
  // As many pairs among as many rows as squares of their numbers.
  const pairs = SAMPLE - seen.size;
  return 4 * pairs * count <= SAMPLE * SAMPLE;
}

/** A value for a guess. Text is not read: it may be long. */
const guessedValue = ({ numbers, strings }: CheckedColumn, row: number): unknown =>
  numbers?.keys[row] ?? strings?.[row];

/**
 * Orders a table by the columns `first`, and rows that tie in them by `orderOf` of the table's own
 * columns from `late` on.
 */
export function* orderInTurn(
  table: Table,
  first: readonly CheckedColumn[],
  late: number,
  orderOf: (table: Table) => TableSteps<Uint32Array>,
): TableSteps<Uint32Array> {
  const { columns, rows } = table;
  const before = yield* readStrings({ ...table, columns: first });
  const { order, ties } = yield* orderAndTies(before);
  if (ties.count === 0) return order;
  const places = (yield* placesOf(order, ties)).slice();
  const indices = places.slice();
  if (rows.indices !== undefined) {
    for (let i = 0; i < indices.length; i++) {
      indices[i] = rows.indices[places[i] as number] as number;
    }
  }
  const others = yield* orderOf({
    ...table,
    columns: columns.slice(late),
    rows: { count: indices.length, indices },
    segments: ties.segments(),
  });
  for (const [from, to] of slicesOf(others.length, FIELD_ROWS)) {
    for (let i = from; i < to; i++) indices[i] = places[others[i] as number] as number;
    yield;
  }
  let at = 0;
  yield* ties.visit((start, end) => {
    order.set(indices.subarray(at, at + end - start), start);
    at += end - start;
  });
  return order;
}
