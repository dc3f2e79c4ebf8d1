/** The first rows of an order, without a sort of all of them. */

import {
  type KeyArray,
  keyTypeOf,
  lengthOf,
  type Order,
  orderWords,
  roomForWords,
} from '@keysweep/core';
import type { Column, ColumnOptions, SelectionOptions, Sorter } from 'keysweep';
import { describedColumn } from './neighbours.js';

/** With more rows that may be among the first, a sort of all takes no longer. */
const MAX_SHARE = 4;
/** Rows that are looked at together. */
const ROWS_AT_ONCE = 2 ** 15;

/** The first column, if it has numbers that decide by themselves which rows come before others. */
function numbersIn(column: ColumnOptions): KeyArray | undefined {
  const { keys, as, nulls, valid, nans, zeros } = column;
  if (keyTypeOf(keys) === undefined || as !== undefined) return undefined;
  if ((nulls === 'first' && valid !== undefined) || nans !== undefined || zeros !== undefined)
    return undefined;
  return keys as KeyArray;
}

/**
 * The first `count` rows of the order that `columns` give, or undefined where all rows have to be
 * sorted for them. The first column of numbers says which rows can be among them, and only these
 * are sorted by all columns.
 */
export async function firstRows(
  sorter: Sorter,
  columns: Column | readonly Column[],
  count: number,
  options: SelectionOptions & { readonly order: Order },
): Promise<Uint32Array | undefined> {
  const all = (Array.isArray(columns) ? columns : [columns]) as readonly Column[];
  const first = describedColumn(all[0] as Column);
  const numbers = numbersIn(first);
  if (numbers === undefined) return undefined;
  const order = first.order ?? options.order;
  const own = { ...options, order };
  // Nulls are last, so that they count only where there are too few values.
  const present = first.valid && validRows(first, lengthOf(numbers));
  if (present !== undefined && present.length < count) return undefined;
  const keys = present === undefined ? numbers : taken(numbers, present);
  const { keys: firstKeys, indices } = await sorter.topK(keys, count, own);
  if (present === undefined && all.length === 1) return indices;
  if (indices.length === 0) return indices;
  const last = firstKeys.subarray(-1) as KeyArray;
  const most = Math.floor(lengthOf(keys) / MAX_SHARE);
  const found = rowsUpTo(keys, last, order, most);
  if (found === undefined) return undefined;
  const rows = present === undefined ? found : found.map((at) => present[at] as number);
  const sorted = await sorter.argsort(all, { ...options, indices: rows });
  return sorted.subarray(0, count);
}

/** The rows that are not null. */
function validRows({ valid, validOffset = 0 }: ColumnOptions, rows: number): Uint32Array {
  const bits = valid as Uint8Array;
  const present = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const bit = validOffset + row;
    if (((bits[bit >> 3] as number) & (1 << (bit & 7))) !== 0) present[count++] = row;
  }
  return present.subarray(0, count);
}

function taken(keys: KeyArray, rows: Uint32Array): KeyArray {
  const some = keys.slice(0, rows.length) as KeyArray;
  for (let i = 0; i < rows.length; i++) some[i] = keys[rows[i] as number] as never;
  return some;
}

/** The rows whose key comes no later than `last`; undefined if they are over `most`. */
function rowsUpTo(
  keys: KeyArray,
  last: KeyArray,
  order: Order,
  most: number,
): Uint32Array | undefined {
  const wordsOf = (some: KeyArray, room = roomForWords({ keys: some, order }, lengthOf(some))) =>
    orderWords({ keys: some, order }, room);
  const bound = wordsOf(last);
  const [low, high] = [bound.lows[0] as number, bound.highs[0] ?? 0];
  const rows: number[] = [];
  const room = roomForWords({ keys, order }, ROWS_AT_ONCE);
  for (let from = 0; from < lengthOf(keys); from += ROWS_AT_ONCE) {
    const some = keys.subarray(from, from + ROWS_AT_ONCE) as KeyArray;
    const { lows, highs } = wordsOf(some, room);
    const isWide = highs.length > 0;
    for (let i = 0; i < lengthOf(some); i++) {
      const own = isWide ? (highs[i] as number) : 0;
      if (own < high || (own === high && (lows[i] as number) <= low)) rows.push(from + i);
    }
    if (rows.length > most) return undefined;
  }
  return Uint32Array.from(rows);
}
