/** Columns of JavaScript's strings: each string is read once, before the rows are ordered. */

import { bitLength, copySteps, FIELD_ROWS, identitySteps, slicesOf } from '@keysweep/core';
import { collate, orderOf, type ReadStrings, ranksOf, readCollated } from './collate.js';
import { type CheckedColumn, isValid, type RowSelection } from './column.js';
import { orderTable, type Table, type TableSteps } from './order-table.js';
import { newOffsets, type Text, type UnitOffsets, unitsText } from './text.js';

/** Strings with a collator that have been read already. */
export type Known = Map<CheckedColumn, ReadStrings>;

/**
 * A table with its strings read: in their place are their units, or their ranks by a collator.
 * O(units); allocates them, and 8 bytes a row.
 */
export function* readStrings(table: Table, known?: Known): TableSteps<Table> {
  const columns: CheckedColumn[] = [];
  for (const column of table.columns) {
    const { strings, collator } = column;
    if (strings === undefined) {
      columns.push(column);
    } else if (collator === undefined) {
      const rows = yield* rowsToRead(column, table.rows);
      const text = yield* unitsOf(strings, rows ?? (yield* identitySteps(strings.length)));
      columns.push({ ...column, strings: undefined, text });
    } else {
      const rows = yield* rowsToRead(column, table.rows);
      const read = known?.get(column) ?? (yield* readCollated(strings, collator, rows, table));
      const collated = yield* collate(read, table);
      columns.push(withRanks(column, ranksOf(collated, rows, strings.length)));
      yield;
    }
  }
  return { ...table, columns };
}

/** A column that has numbers in the place of its strings. */
export const withRanks = (column: CheckedColumn, keys: Uint32Array): CheckedColumn => ({
  ...column,
  strings: undefined,
  collator: undefined,
  numbers: { keys, keyType: 'u32' },
});

/**
 * The order of a table of one column with a collator, which is known once its strings are ordered;
 * undefined for another table.
 */
export function* orderStrings(table: Table): TableSteps<Uint32Array | undefined> {
  const { columns, rows, segments } = table;
  const [column] = columns as readonly [CheckedColumn];
  const { strings, collator, valid } = column;
  if (columns.length > 1 || strings === undefined || collator === undefined) return undefined;
  if (rows.indices !== undefined || valid !== undefined || segments !== undefined) return undefined;
  const read = yield* readCollated(strings, collator, undefined, table);
  const collated = yield* collate(read, table);
  const order = orderOf(collated, column.order === 'descending');
  if (order !== undefined) return order;
  const ranks = ranksOf(collated, undefined, strings.length);
  return yield* orderTable({ ...table, columns: [withRanks(column, ranks)] });
}

/** The rows of a column that have a value and are ordered, each once; undefined for all. */
export function* rowsToRead(
  column: CheckedColumn,
  { count, indices }: RowSelection,
): Generator<undefined, Uint32Array | undefined> {
  if (indices === undefined && column.valid === undefined) return undefined;
  const rows = new Uint32Array(Math.min(count, column.length));
  const isRead = indices && new Uint8Array(column.length);
  let read = 0;
  for (let i = 0; i < count; i++) {
    if (i % FIELD_ROWS === FIELD_ROWS - 1) yield;
    const row = indices === undefined ? i : (indices[i] as number);
    if (isRead?.[row] || !isValid(column, row)) continue;
    if (isRead) isRead[row] = 1;
    rows[read++] = row;
  }
  return rows.subarray(0, read);
}

/** Strings read between two pauses. */
const READ = 2 ** 12;

/** The code units of the strings of `rows`; other rows are empty. */
function* unitsOf(strings: readonly string[], rows: Uint32Array): Generator<undefined, Text> {
  const room = yield* offsetsIn(strings, rows);
  const { length, starts, ends } = room;
  let units: Uint8Array | Uint16Array = new Uint8Array(length);
  let seen = 1;
  for (const [from, to] of slicesOf(rows.length, READ)) {
    const some = rows.subarray(from, to);
    seen |= copyUnits(strings, some, starts, units);
    if (seen > 255 && units instanceof Uint8Array) {
      const wide = new Uint16Array(length);
      yield* copySteps(wide, units);
      units = wide;
      copyUnits(strings, some, starts, units);
    }
    yield;
  }
  return unitsText(units, starts, ends, bitLength(BigInt(seen)));
}

/** Where the units of each row go, one row after the other. */
function* offsetsIn(strings: readonly string[], rows: Uint32Array) {
  let length = 0;
  for (const [from, to] of slicesOf(rows.length, FIELD_ROWS)) {
    for (const row of rows.subarray(from, to)) length += (strings[row] as string).length;
    yield;
  }
  const starts = newOffsets(length, strings.length);
  const ends = newOffsets(length, strings.length);
  let at = 0;
  for (const [from, to] of slicesOf(rows.length, FIELD_ROWS)) {
    for (const row of rows.subarray(from, to)) {
      starts[row] = at;
      at += (strings[row] as string).length;
      ends[row] = at;
    }
    yield;
  }
  return { length, starts, ends };
}

/** Copies the units of strings to where they start. Returns all bits that they have. */
function copyUnits(
  strings: readonly string[],
  rows: Uint32Array,
  starts: UnitOffsets,
  units: Uint8Array | Uint16Array,
): number {
  let seen = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    const string = strings[row] as string;
    const start = starts[row] as number;
    for (let at = 0; at < string.length; at++) {
      const code = string.charCodeAt(at);
      seen |= code;
      units[start + at] = code;
    }
  }
  return seen;
}
