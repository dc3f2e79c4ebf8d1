/** Compares neighbouring rows: are they in order already, and which of them tie? */

import { type KeyArray, keyTypeOf, type Order, orderWords, roomForWords } from '@keysweep/core';
import type { Column, ColumnOptions } from 'keysweep';

/** Rows that are compared at a time. */
const ROWS_AT_ONCE = 2 ** 15;

/** Compares the row at place i with the one before it: above 0 where it belongs in front. */
type Compare = (place: number) => number;

/** A column with its options. */
export const describedColumn = (column: Column): ColumnOptions =>
  keyTypeOf(column) === undefined ? (column as ColumnOptions) : { keys: column as KeyArray };

/**
 * The first row that belongs before the one in front of it, or −1. `byDefault` is the order of
 * columns without one of their own. O(rows), up to the row that is found; allocates 8 bytes for
 * each of 2^15 rows and column.
 */
export function misplacedIn(columns: Column | readonly Column[], byDefault: Order): number {
  const [first] = describedColumns(columns);
  const rows = first === undefined ? 0 : rowsOf(first);
  for (const { place, difference } of differences(columns, byDefault, undefined, rows)) {
    if (difference > 0) return place;
  }
  return -1;
}

/** Of rows in `order` that tie only the first, in new memory. */
export function firstOfTies(columns: readonly Column[], order: Uint32Array): Uint32Array {
  const first = order.slice();
  let count = Math.min(1, order.length);
  for (const { place, difference } of differences(columns, 'ascending', order, order.length)) {
    if (difference !== 0) first[count++] = order[place] as number;
  }
  return first.subarray(0, count);
}

/** How each row but the first differs from the one before it. It is the same object each time. */
function* differences(
  columns: Column | readonly Column[],
  byDefault: Order,
  order: Uint32Array | undefined,
  rows: number,
): Generator<{ readonly place: number; readonly difference: number }> {
  const described = describedColumns(columns);
  const given = { place: 0, difference: 0 };
  for (let from = 1; from < rows; from += ROWS_AT_ONCE) {
    const to = Math.min(from + ROWS_AT_ONCE, rows);
    const compares = described.map((column) => comparison(column, byDefault, order, from, to));
    for (let place = from; place < to; place++) {
      let difference = 0;
      for (let i = 0; i < compares.length && difference === 0; i++) {
        difference = (compares[i] as Compare)(place);
      }
      given.place = place;
      given.difference = difference;
      yield given;
    }
  }
}

const describedColumns = (columns: Column | readonly Column[]): readonly ColumnOptions[] =>
  (Array.isArray(columns) ? columns : [columns]).map(describedColumn);

function rowsOf({ keys }: ColumnOptions): number {
  if ('offsets' in keys) return keys.offsets.length - 1;
  if ('width' in keys) return keys.bytes.length / keys.width;
  return keys.length;
}

/** Compares rows of a column, at the places [from, to) of `order`, with those before them. */
function comparison(
  column: ColumnOptions,
  byDefault: Order,
  order: Uint32Array | undefined,
  from: number,
  to: number,
): Compare {
  const { valid, validOffset = 0, nulls = 'last' } = column;
  const compare = valuesOf(column, column.order ?? byDefault, order, from, to);
  if (valid === undefined) return compare;
  const isNull = (place: number): number => {
    const bit = validOffset + (order === undefined ? place : (order[place] as number));
    return 1 - (((valid[Math.floor(bit / 8)] as number) >> (bit % 8)) & 1);
  };
  const sign = nulls === 'first' ? -1 : 1;
  return (place) => {
    const [before, own] = [isNull(place - 1), isNull(place)];
    if (before + own === 0) return compare(place);
    return sign * (before - own);
  };
}

function valuesOf(
  { keys, as }: ColumnOptions,
  order: Order,
  rows: Uint32Array | undefined,
  from: number,
  to: number,
): Compare {
  const sign = order === 'ascending' ? 1 : -1;
  const rowAt = (place: number): number => (rows === undefined ? place : (rows[place] as number));
  if ('bytes' in keys) {
    const { buffer, byteOffset, length } = keys.bytes;
    const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, length);
    const at =
      'width' in keys
        ? (row: number): number => row * keys.width
        : (row: number): number => Number(keys.offsets[row]);
    return (place) => {
      const [before, own] = [rowAt(place - 1), rowAt(place)];
      return sign * bytes.compare(bytes, at(own), at(own + 1), at(before), at(before + 1));
    };
  }
  const numbers =
    rows === undefined
      ? ((keys as KeyArray).subarray(from - 1, to) as KeyArray)
      : taken(keys as KeyArray, rows.subarray(from - 1, to));
  const ordered = { keys: numbers, order, keyType: as };
  const { lows, highs } = orderWords(ordered, roomForWords(ordered, numbers.length));
  if (highs.length === 0) {
    return (place) => (lows[place - from] as number) - (lows[place - from + 1] as number);
  }
  return (place) =>
    (highs[place - from] as number) - (highs[place - from + 1] as number) ||
    (lows[place - from] as number) - (lows[place - from + 1] as number);
}

/** The keys of these rows, in new memory. */
function taken(keys: KeyArray, rows: Uint32Array): KeyArray {
  const some = keys.slice(0, rows.length) as KeyArray;
  for (let i = 0; i < rows.length; i++) some[i] = keys[rows[i] as number] as never;
  return some;
}
