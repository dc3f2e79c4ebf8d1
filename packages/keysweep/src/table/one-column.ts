/**
 * The order of a table of one column of numbers: a plain argsort of its keys. If some rows are
 * nulls, the others are chosen for it, and nulls are listed meanwhile. NaNs that go to the other
 * end of the order are moved there afterwards.
 */

import {
  bitsOf,
  type ChosenRows,
  copySteps,
  countOnes,
  emptyLike,
  FIELD_ROWS,
  identitySteps,
  type KeyArray,
  type KeyType,
  keyTypeOf,
  listRows,
  pickSteps,
  plainShape,
  type SortRequest,
  slicesOf,
  touchPages,
} from '@keysweep/core';
import { type CheckedColumn, isValid, type RowSelection } from './column.js';
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
  const areAllInPlace = valid === undefined && nans === undefined;
  if (areAllInPlace && zeros === 'ordered' && rows.indices === undefined) {
    return orderAll(table, column);
  }
  // A precision is a part of the numbers' own range, without the keys of nulls.
  if (!areAllInPlace && table.precision !== undefined) return undefined;
  return segments === undefined ? orderChosen(table, column) : undefined;
}

const keysOf = ({ numbers }: CheckedColumn): KeyArray => numbers?.keys as KeyArray;

/** Orders the keys as they are. */
function* orderAll(table: OneColumn, column: CheckedColumn): TableSteps<Uint32Array> {
  return (yield numbersRequest(table, column, keysOf(column), table.out)) as Uint32Array;
}

/** An argsort of a column's keys, or of a copy of some of them. */
function numbersRequest(
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

/** Orders the rows that have a value, and moves rows to the ends they go to. */
function* orderChosen(table: OneColumn, column: CheckedColumn): TableSteps<Uint32Array> {
  const { rows } = table;
  const { count } = rows;
  const bits = column.valid === undefined ? undefined : yield* validBits(column, rows);
  const others = bits?.valid ?? count;
  const nullCount = count - others;
  const isPlain = rows.indices === undefined && column.zeros === 'ordered';
  if (nullCount === 0 && column.nans === undefined && isPlain) {
    return yield* orderAll(table, column);
  }
  if (nullCount > 0 && others === 0) return yield* identitySteps(count);
  const keys = isPlain ? keysOf(column) : yield* copyKeys(column, rows);
  const request = numbersRequest(table, column, keys);
  const from = column.nulls === 'first' ? nullCount : 0;
  let order: Uint32Array;
  if (bits === undefined || nullCount === 0) {
    order = (yield request) as Uint32Array;
  } else {
    order = new Uint32Array(count);
    const out = order.subarray(from, from + others);
    const rest = (function* () {
      yield* listRows(bits, 0, order.subarray(from > 0 ? 0 : others));
      yield* touchPages(out);
    })();
    const shape = { ...request.shape, length: others };
    const sorted = (yield {
      ...request,
      shape,
      chosen: bits,
      out,
      meanwhile: () => rest,
    }) as Uint32Array;
    yield* rest;
    if (sorted !== out) yield* copySteps(out, sorted);
  }
  if (column.nans !== undefined) {
    moveNans(order.subarray(from, from + others), keys as Float64Array, column.nans);
  }
  return order;
}

/** The rows with a value. */
interface ValidBits extends ChosenRows {
  /** How many there are. */
  readonly valid: number;
}

function* validBits(
  column: CheckedColumn,
  { count, indices }: RowSelection,
): Generator<undefined, ValidBits> {
  const { valid, validOffset } = column;
  const first = Math.floor(validOffset / 8);
  const shift = indices === undefined ? validOffset % 8 : 0;
  const words = new Int32Array(Math.ceil((shift + count) / 32));
  const bytes = new Uint8Array(words.buffer);
  if (indices === undefined) {
    bytes.set((valid as Uint8Array).subarray(first, Math.ceil((validOffset + count) / 8)));
  }
  for (const [from, to] of slicesOf(indices?.length ?? 0, FIELD_ROWS)) {
    pickBits(bytes, column, indices as Uint32Array, from, to);
    yield;
  }
  let ones = 0;
  for (const [from, to] of slicesOf(words.length, FIELD_ROWS)) {
    if (shift > 0) moveDown(words, shift, from, to);
    if (to === words.length) keepBits(words, count);
    ones += countOnes(words, from, to);
    yield;
  }
  return { words, rows: count, valid: ones };
}

/** Moves bits to lower places, in words [from, to). */
function moveDown(words: Int32Array, shift: number, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    words[at] = ((words[at] as number) >>> shift) | ((words[at + 1] ?? 0) << (32 - shift));
  }
}

/** Makes all bits after the first `count` ones 0. */
function keepBits(words: Int32Array, count: number): void {
  const last = count >>> 5;
  words[last] = (words[last] as number) & ~(-1 << (count & 31));
  words.fill(0, last + 1);
}

function pickBits(
  bytes: Uint8Array,
  column: CheckedColumn,
  indices: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    if (isValid(column, indices[i] as number))
      bytes[i >>> 3] = (bytes[i >>> 3] as number) | (1 << (i & 7));
  }
}

/** Moves NaNs, which are all at one end of the order, to the other end. */
function moveNans(order: Uint32Array, keys: Float64Array, end: 'first' | 'last'): void {
  const isNan = (place: number): boolean => Number.isNaN(keys[order[place] as number]);
  // Binary search of where numbers end, or begin.
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isNan(middle) === (end === 'last')) low = middle + 1;
    else high = middle;
  }
  const front = order.slice(0, low);
  order.copyWithin(0, low);
  order.set(front, order.length - low);
}

/** A copy of the keys of the rows. Where zeros tie, all are +0. */
function* copyKeys(
  column: CheckedColumn,
  { count, indices }: RowSelection,
): Generator<undefined, KeyArray> {
  const keys = keysOf(column);
  const copy = emptyLike(keys, count);
  if (indices !== undefined) yield* pickSteps(keys, indices, bitsOf(copy));
  else if (column.zeros === 'ordered') yield* copySteps(bitsOf(copy), bitsOf(keys));
  if (column.zeros === 'ordered') return copy;
  const source = (indices === undefined ? keys : copy) as Float64Array;
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
