/**
 * The order of a table of one column of numbers: a plain argsort of its keys. Rows that go to an
 * end of the order whatever their keys, nulls and sometimes NaNs, are moved there afterwards,
 * because that takes less than to leave them out.
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

/** Orders the keys whatever a row without a value holds, and moves rows to the ends they go to. */
function* orderChosen(table: OneColumn, column: CheckedColumn): TableSteps<Uint32Array> {
  const { rows } = table;
  const bits = column.valid === undefined ? undefined : yield* validBits(column, rows);
  const hasNulls = bits !== undefined && hasNull(bits, rows.count);
  const isPlain = rows.indices === undefined && column.zeros === 'ordered';
  if (!hasNulls && column.nans === undefined && isPlain) return yield* orderAll(table, column);
  const keys = isPlain ? keysOf(column) : yield* copyKeys(column, rows);
  const order = (yield requestOf(table, column, keys)) as Uint32Array;
  const numbers = hasNulls ? yield* moveNulls(order, bits, column.nulls) : order;
  if (column.nans !== undefined) moveNans(numbers, keys as Float64Array, column.nans);
  return order;
}

/** Row i has a value if bit `i + shift` of `bytes` is 1, counted from the lowest of a byte. */
interface ValidBits {
  readonly bytes: Uint8Array;
  readonly shift: number;
}

function* validBits(column: CheckedColumn, rows: Rows): Generator<undefined, ValidBits> {
  const { count, indices } = rows;
  if (indices === undefined) {
    const { valid, validOffset } = column;
    const bytes = (valid as Uint8Array).subarray(Math.floor(validOffset / 8));
    return { bytes, shift: validOffset % 8 };
  }
  const bytes = new Uint8Array(Math.ceil(count / 8));
  for (const [from, to] of slicesOf(count, FIELD_ROWS)) {
    pickBits(bytes, column, indices, from, to);
    yield;
  }
  return { bytes, shift: 0 };
}

/** Moves nulls to an end of the order, in the order of their rows. Returns the others' part. */
function* moveNulls(
  order: Uint32Array,
  bits: ValidBits,
  end: 'first' | 'last',
): Generator<undefined, Uint32Array> {
  const { length } = order;
  let next = end === 'last' ? 0 : length;
  for (const [from, to] of slicesOf(length, FIELD_ROWS)) {
    if (end === 'last') next = packForward(order, bits, from, to, next);
    else next = packBackward(order, bits, length - to, length - from, next);
    yield;
  }
  const [front, back] = [order.subarray(0, next), order.subarray(next)];
  const [nulls, others] = end === 'last' ? [back, front] : [front, back];
  listNulls(nulls, bits);
  return others;
}

// Each loop is a function of its own, because engines compile generators less well. The first ones
// have no branch on whether a row has a value, because nulls may be anywhere.

/** Writes the rows of [from, to) that have a value from `next` up. Returns the place after them. */
function packForward(
  order: Uint32Array,
  { bytes, shift }: ValidBits,
  from: number,
  to: number,
  next: number,
): number {
  let end = next;
  for (let i = from; i < to; i++) {
    const row = order[i] as number;
    const bit = row + shift;
    order[end] = row;
    end += ((bytes[bit >>> 3] as number) >> (bit & 7)) & 1;
  }
  return end;
}

/** The same from `next` down. Returns where they begin. */
function packBackward(
  order: Uint32Array,
  { bytes, shift }: ValidBits,
  from: number,
  to: number,
  next: number,
): number {
  let start = next;
  for (let i = to - 1; i >= from; i--) {
    const row = order[i] as number;
    const bit = row + shift;
    order[start - 1] = row;
    start -= ((bytes[bit >>> 3] as number) >> (bit & 7)) & 1;
  }
  return start;
}

/** Fills `places`, one for each null, with their rows. Eight rows with a value take one step. */
function listNulls(places: Uint32Array, { bytes, shift }: ValidBits): void {
  let missing = ~(bytes[0] as number) & 0xff & (0xff << shift);
  for (let at = 0, next = 0; next < places.length; missing = ~(bytes[++at] as number) & 0xff) {
    for (; missing !== 0 && next < places.length; missing &= missing - 1) {
      places[next++] = 8 * at + 31 - Math.clz32(missing & -missing) - shift;
    }
  }
}

/** Whether one of the first `count` rows has no value. Eight rows with one take a single step. */
function hasNull({ bytes, shift }: ValidBits, count: number): boolean {
  for (let bit = shift; bit < count + shift; bit++) {
    const byte = bytes[bit >>> 3] as number;
    if (byte === 0xff) bit |= 7;
    else if (((byte >> (bit & 7)) & 1) === 0) return true;
  }
  return false;
}

function pickBits(
  bytes: Uint8Array,
  column: CheckedColumn,
  indices: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const bit = Number(isValid(column, indices[i] as number));
    bytes[i >>> 3] = (bytes[i >>> 3] as number) | (bit << (i & 7));
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

/** The keys of the rows. Where zeros tie, all are +0. */
function* copyKeys(
  column: CheckedColumn,
  { count, indices }: Rows,
): Generator<undefined, KeyArray> {
  const keys = keysOf(column);
  const copy = emptyLike(keys, count);
  if (indices !== undefined) yield* pickSteps(keys, indices, bitsOf(copy));
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
