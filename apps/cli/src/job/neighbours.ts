/** Whether rows are in order already: one read of neighbouring rows, without a sort. */

import { type KeyArray, keyTypeOf, type Order, orderWords, roomForWords } from '@keysweep/core';
import type { Column, ColumnOptions } from 'keysweep';

/** Rows that are compared at a time. */
const ROWS_AT_ONCE = 2 ** 15;

/** Compares row i with the row before it: above 0 where it belongs in front. */
type Compare = (row: number) => number;

/** A column with its options. */
export const describedColumn = (column: Column): ColumnOptions =>
  keyTypeOf(column) === undefined ? (column as ColumnOptions) : { keys: column as KeyArray };

/**
 * The first row that belongs before the one in front of it, or −1. `byDefault` is the order of
 * columns without one of their own. O(rows), up to the row that is found; allocates 8 bytes for
 * each of 2^15 rows and column.
 */
export function misplacedIn(columns: Column | readonly Column[], byDefault: Order): number {
  const described = (Array.isArray(columns) ? columns : [columns]).map(describedColumn);
  const rows = Math.max(0, ...described.slice(0, 1).map(rowsOf));
  for (let from = 1; from < rows; from += ROWS_AT_ONCE) {
    const to = Math.min(from + ROWS_AT_ONCE, rows);
    const compares = described.map((column) => comparison(column, byDefault, from, to));
    for (let row = from; row < to; row++) {
      let difference = 0;
      for (let i = 0; i < compares.length && difference === 0; i++) {
        difference = (compares[i] as Compare)(row);
      }
      if (difference > 0) return row;
    }
  }
  return -1;
}

function rowsOf({ keys }: ColumnOptions): number {
  if ('offsets' in keys) return keys.offsets.length - 1;
  if ('width' in keys) return keys.bytes.length / keys.width;
  return keys.length;
}

/** Compares rows [from, to) of a column with the rows before them. */
function comparison(column: ColumnOptions, byDefault: Order, from: number, to: number): Compare {
  const { valid, validOffset = 0, nulls = 'last' } = column;
  const compare = valuesOf(column, column.order ?? byDefault, from, to);
  if (valid === undefined) return compare;
  const isNull = (row: number): number => {
    const bit = validOffset + row;
    return 1 - (((valid[Math.floor(bit / 8)] as number) >> (bit % 8)) & 1);
  };
  const sign = nulls === 'first' ? -1 : 1;
  return (row) => {
    const [before, own] = [isNull(row - 1), isNull(row)];
    if (before + own === 0) return compare(row);
    return sign * (before - own);
  };
}

function valuesOf({ keys, as }: ColumnOptions, order: Order, from: number, to: number): Compare {
  const sign = order === 'ascending' ? 1 : -1;
  if ('bytes' in keys) {
    const { buffer, byteOffset, length } = keys.bytes;
    const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, length);
    const at =
      'width' in keys
        ? (row: number): number => row * keys.width
        : (row: number): number => Number(keys.offsets[row]);
    // The bytes of the row before end where those of the row begin.
    return (row) => sign * bytes.compare(bytes, at(row), at(row + 1), at(row - 1), at(row));
  }
  const numbers = (keys as KeyArray).subarray(from - 1, to) as KeyArray;
  const ordered = { keys: numbers, order, keyType: as };
  const { lows, highs } = orderWords(ordered, roomForWords(ordered, numbers.length));
  if (highs.length === 0) {
    return (row) => (lows[row - from] as number) - (lows[row - from + 1] as number);
  }
  return (row) =>
    (highs[row - from] as number) - (highs[row - from + 1] as number) ||
    (lows[row - from] as number) - (lows[row - from + 1] as number);
}
