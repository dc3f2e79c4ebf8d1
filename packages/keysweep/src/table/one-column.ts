/**
 * The order of a table of one column of numbers: a plain argsort of its keys, without those that go
 * to an end of the order whatever the others are: nulls, and NaNs where floats do not have them.
 */

import {
  bitsOf,
  emptyLike,
  FIELD_ROWS,
  type KeyArray,
  type KeyType,
  keyTypeOf,
  pickSteps,
  plainShape,
  type SortRequest,
  slicesOf,
} from '@keysweep/core';
import { type CheckedColumn, isValid } from './column.js';
import type { Rows } from './fields.js';
import type { Table, TableSteps } from './order-table.js';

/** A table without loops for its fields, which one column does not need. */
export interface OneColumn extends Omit<Table, 'kernels'> {
  /** Where the order of all rows may be written. */
  readonly out: Uint32Array | undefined;
}

/**
 * The steps that order a table of one column, as those of `orderTable`; undefined where the table
 * has others, its keys are read as another type than their own, or segments are not of its keys.
 */
export function orderOneColumn(table: OneColumn): TableSteps<Uint32Array> | undefined {
  const { columns, rows, segments } = table;
  const [column] = columns as [CheckedColumn];
  const { numbers, valid, nans, zeros } = column;
  if (columns.length > 1 || numbers === undefined) return undefined;
  if (numbers.keyType !== keyTypeOf(numbers.keys)) return undefined;
  const isPlain = valid === undefined && nans === undefined && zeros === 'ordered';
  if (isPlain && rows.indices === undefined) return orderAll(table, column);
  return segments === undefined ? orderChosen(table, column) : undefined;
}

const keysOf = ({ numbers }: CheckedColumn): KeyArray => numbers?.keys as KeyArray;

/** Orders the keys as they are. */
function* orderAll(table: OneColumn, column: CheckedColumn): TableSteps<Uint32Array> {
  return (yield requestOf(table, column, keysOf(column), table.out)) as Uint32Array;
}

/** An argsort of a column's keys, or of a copy of some of them. */
function requestOf(
  { segments, precision, signal, onProgress }: OneColumn,
  { order }: CheckedColumn,
  keys: KeyArray,
  out?: Uint32Array,
): SortRequest {
  const shape = {
    ...plainShape('argsort', keyTypeOf(keys) as KeyType, keys.length),
    order,
    precision,
    segmentCount: segments?.length ?? 1,
  };
  return { shape, columns: [keys], values: undefined, segments, out, signal, onProgress };
}

/** Marks of a row: it has a number that decides, no value, or a NaN that goes to an end. */
const [NUMBER, NULL, NAN] = [0, 1, 2];

/** Orders a copy of the keys that decide, and puts the other rows where they belong. */
function* orderChosen(table: OneColumn, column: CheckedColumn): TableSteps<Uint32Array> {
  const { rows } = table;
  const { nulls, nans, zeros } = column;
  const marks = yield* markRows(column, rows);
  const parts = yield* split(marks);
  if (parts === undefined && rows.indices === undefined && zeros === 'ordered') {
    return yield* orderAll(table, column);
  }
  const keys = yield* copyKeys(column, rows, parts?.numbers);
  if (parts === undefined) return (yield requestOf(table, column, keys)) as Uint32Array;
  const { numbers, others } = parts;
  const withMark = (mark: number): Uint32Array => others.filter((place) => marks[place] === mark);
  const [ofNulls, ofNans] = nans === undefined ? [others, NONE] : [withMark(NULL), withMark(NAN)];
  // Nulls are at the very end, behind NaNs.
  const before = [nulls === 'first' ? ofNulls : NONE, nans === 'first' ? ofNans : NONE];
  const behind = [nans === 'first' ? NONE : ofNans, nulls === 'first' ? NONE : ofNulls];
  const all = new Uint32Array(rows.count);
  let at = 0;
  const put = (places: Uint32Array): void => {
    all.set(places, at);
    at += places.length;
  };
  before.forEach(put);
  const room = all.subarray(at, at + numbers.length);
  const order = (yield requestOf(table, column, keys, room)) as Uint32Array;
  for (const [from, to] of slicesOf(order.length, FIELD_ROWS)) {
    putOrder(room, numbers, order, from, to);
    yield;
  }
  at += order.length;
  behind.forEach(put);
  return all;
}

const NONE = new Uint32Array(0);

/** A mark for each row. O(rows). */
function* markRows(column: CheckedColumn, rows: Rows): Generator<undefined, Uint8Array> {
  const marks = new Uint8Array(rows.count);
  const { valid, nans } = column;
  for (const [from, to] of slicesOf(rows.count, FIELD_ROWS)) {
    const slice = marks.subarray(from, to);
    if (nans !== undefined) markNans(slice, keysOf(column) as Float64Array, rows.indices, from);
    if (valid !== undefined) markNulls(slice, column, rows.indices, from);
    yield;
  }
  return marks;
}

function markNans(
  marks: Uint8Array,
  keys: Float64Array,
  indices: Uint32Array | undefined,
  from: number,
): void {
  for (let i = 0; i < marks.length; i++) {
    const row = indices === undefined ? from + i : (indices[from + i] as number);
    marks[i] = Number.isNaN(keys[row]) ? NAN : NUMBER;
  }
}

/** Without branches: nulls may be anywhere. */
function markNulls(
  marks: Uint8Array,
  column: CheckedColumn,
  indices: Uint32Array | undefined,
  from: number,
): void {
  if (indices !== undefined) {
    for (let i = 0; i < marks.length; i++) {
      if (!isValid(column, indices[from + i] as number)) marks[i] = NULL;
    }
    return;
  }
  const first = column.validOffset + from;
  const bytes = (column.valid as Uint8Array).subarray(Math.floor(first / 8));
  for (let i = 0, bit = first % 8; i < marks.length; i++, bit++) {
    const isNull = (((bytes[bit >> 3] as number) >> (bit & 7)) & 1) ^ 1;
    marks[i] = ((marks[i] as number) & (isNull - 1)) | isNull;
  }
}

// Each loop is a function of its own, because engines compile generators less well.

/** `order` may be the target itself. */
function putOrder(
  target: Uint32Array,
  places: Uint32Array,
  order: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) target[i] = places[order[i] as number] as number;
}

/** Places with a number, and others. */
interface Parts {
  readonly numbers: Uint32Array;
  readonly others: Uint32Array;
}

/** Splits places by their marks; undefined where all have a number. O(rows). */
function* split(marks: Uint8Array): Generator<undefined, Parts | undefined> {
  if (!marks.includes(NULL) && !marks.includes(NAN)) return undefined;
  const numbers = new Uint32Array(marks.length);
  const others = new Uint32Array(marks.length);
  let found = 0;
  for (const [from, to] of slicesOf(marks.length, FIELD_ROWS)) {
    found = splitSlice(marks, from, to, numbers, others, found);
    yield;
  }
  return {
    numbers: numbers.subarray(0, found),
    others: others.subarray(0, marks.length - found),
  };
}

/**
 * Splits places without branches: each is written to both lists, and kept in one. `found` of those
 * before have a number; returns how many have then.
 */
function splitSlice(
  marks: Uint8Array,
  from: number,
  to: number,
  numbers: Uint32Array,
  others: Uint32Array,
  found: number,
): number {
  let next = found;
  for (let i = from; i < to; i++) {
    numbers[next] = i;
    others[i - next] = i;
    // Marks of places without a number are 1 or 2.
    next += ((marks[i] as number) - 1) >>> 31;
  }
  return next;
}

/** The keys of these places in the rows, or of all rows. Where zeros tie, all are +0. */
function* copyKeys(
  column: CheckedColumn,
  { count, indices }: Rows,
  places: Uint32Array | undefined,
): Generator<undefined, KeyArray> {
  const keys = keysOf(column);
  const copy = emptyLike(keys, places?.length ?? count);
  const chosen = indices && places ? places.map((place) => indices[place] as number) : indices;
  const rows = chosen ?? places;
  if (rows !== undefined) yield* pickSteps(keys, rows, bitsOf(copy));
  if (column.zeros === 'ordered') return copy;
  const source = (rows === undefined ? keys : copy) as Float64Array;
  for (const [from, to] of slicesOf(copy.length, FIELD_ROWS)) {
    addZero(source, copy as Float64Array, from, to);
    yield;
  }
  return copy;
}

/** −0 and +0 add up to +0. NaNs may lose their bits: they tie. */
function addZero(source: Float64Array, copy: Float64Array, from: number, to: number): void {
  for (let i = from; i < to; i++) copy[i] = (source[i] as number) + 0;
}
