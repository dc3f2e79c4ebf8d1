/** Rows by a prepared column that has no ties: the rank of a row is its place. */

import { FIELD_ROWS, slicesOf } from '@keysweep/core';
import type { CheckedColumn } from './column.js';
import { type OneColumn, orderOneColumn } from './one-column.js';
import type { TableSteps } from './order-table.js';

/** More rows are written all over the memory: threads sort them in less time. */
const MAX_ROWS = 2 ** 21;

/** Milliseconds that placing rows should take, by what a million took on a Zen 4. */
export const expectedPlacing = (rows: number): number => 4e-6 * rows;

/** Stands at a place that no row has been written to. */
const EMPTY = 2 ** 32 - 1;

/** The steps that order all rows by such a column and no other; undefined for any other table. */
export function placeRanks(table: OneColumn): TableSteps<Uint32Array> | undefined {
  const { columns, rows, segments } = table;
  const [column] = columns as [CheckedColumn];
  if (columns.length > 1 || !column.areRanksApart || column.length > MAX_ROWS) return undefined;
  return rows.indices === undefined && segments === undefined ? place(table, column) : undefined;
}

function* place(table: OneColumn, column: CheckedColumn): TableSteps<Uint32Array> {
  const { length } = column;
  const order = new Uint32Array(length).fill(EMPTY);
  for (const [from, to] of slicesOf(length, FIELD_ROWS)) {
    placeRows(column, order, from, to);
    yield;
  }
  // The caller may have changed the ranks, so that they tie or lead nowhere.
  if (!order.includes(EMPTY)) return order;
  return yield* orderOneColumn(table) as TableSteps<Uint32Array>;
}

/** Writes the rows [from, to) to their places. */
function placeRows(
  { numbers, order: direction }: CheckedColumn,
  order: Uint32Array,
  from: number,
  to: number,
): void {
  const ranks = numbers?.keys as Uint32Array;
  const [first, sign] = direction === 'ascending' ? [0, 1] : [order.length - 1, -1];
  for (let row = from; row < to; row++) order[first + sign * (ranks[row] as number)] = row;
}
