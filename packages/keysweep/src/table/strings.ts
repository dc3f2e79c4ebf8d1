/** Columns of JavaScript's strings: each string is read once, before the rows are ordered. */

import { bitLength, copySteps, FIELD_ROWS, slicesOf } from '@keysweep/core';
import { ranksOf } from './collate.js';
import { type CheckedColumn, isValid } from './column.js';
import type { Rows } from './fields.js';
import type { Table, TableSteps } from './order-table.js';
import { newPlaces, type Places, type Text, unitsText } from './text.js';

/**
 * The same table without strings: in their place are their units, or their ranks by a collator.
 * O(units); allocates them, and 8 bytes a row.
 */
export function* readStrings(table: Table): TableSteps<Table> {
  const columns: CheckedColumn[] = [];
  for (const column of table.columns) {
    const { strings, collator } = column;
    if (strings === undefined) {
      columns.push(column);
    } else if (collator === undefined) {
      const text = yield* unitsOf(strings, yield* rowsToRead(column, table.rows));
      columns.push({ ...column, strings: undefined, text });
    } else {
      const rows = yield* rowsToRead(column, table.rows);
      const keys = yield* ranksOf(strings, collator, rows, table);
      const numbers = { keys, keyType: 'u32' } as const;
      columns.push({ ...column, strings: undefined, collator: undefined, numbers });
    }
  }
  return { ...table, columns };
}

/** The rows of a column that have a value and are ordered, each once. */
function* rowsToRead(
  column: CheckedColumn,
  { count, indices }: Rows,
): Generator<undefined, Uint32Array> {
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
  const room = yield* placesIn(strings, rows);
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
function* placesIn(strings: readonly string[], rows: Uint32Array) {
  let length = 0;
  for (const [from, to] of slicesOf(rows.length, FIELD_ROWS)) {
    for (const row of rows.subarray(from, to)) length += (strings[row] as string).length;
    yield;
  }
  const starts = newPlaces(length, strings.length);
  const ends = newPlaces(length, strings.length);
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
  starts: Places,
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
