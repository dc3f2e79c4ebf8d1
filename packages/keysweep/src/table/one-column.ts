/**
 * The order of a table of one column of numbers: a plain argsort of its keys. Rows that go to an
 * end of the order whatever their keys, nulls and sometimes NaNs, are moved there afterwards. Few
 * nulls all get one key for the sort, so that they lie together in its result; of many nulls only
 * the other rows are sorted.
 */

import {
  bitsOf,
  copySteps,
  emptyLike,
  FIELD_ROWS,
  identitySteps,
  type KeyArray,
  type KeyType,
  keyTypeOf,
  pickSteps,
  plainShape,
  type SortRequest,
  slicesOf,
} from '@keysweep/core';
import { type CheckedColumn, isValid, type Rows } from './column.js';
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

/**
 * If more than one row in eight is a null, the others are sorted as pairs of a key and a row. Fewer
 * nulls are sorted along with the others, because that takes less than copying the others.
 */
const APART_FROM = 8;

/** Orders the keys whatever a row without a value holds, and moves rows to the ends they go to. */
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
  const from = column.nulls === 'first' ? nullCount : 0;
  let order: Uint32Array;
  if (nullCount * APART_FROM > count) {
    order = new Uint32Array(count);
    const values = order.subarray(from, from + others);
    // Not copied from a list of their own: a page of fresh memory takes as long as its rows.
    yield* listRowsWith(1, bits as ValidBits, values);
    const picked = emptyLike(keys, others);
    yield* pickSteps(keys, values, bitsOf(picked));
    const request = requestOf(table, column, picked);
    const shape = { ...request.shape, operation: 'sortPairs', valueBytes: 4 } as const;
    const nulls = listRowsWith(0, bits as ValidBits, order.subarray(from > 0 ? 0 : others));
    yield { ...request, shape, values, meanwhile: () => nulls };
    yield* nulls;
  } else {
    const nulls = new Uint32Array(nullCount);
    if (bits !== undefined) yield* listRowsWith(0, bits, nulls);
    // Their keys might be of a range of their own.
    const alike = nullCount > 0 ? { rows: nulls, like: firstOther(nulls) } : undefined;
    order = (yield { ...requestOf(table, column, keys), alike }) as Uint32Array;
    if (alike) leaveOut(order, nulls);
    if (from > 0) order.copyWithin(from, 0, others);
    order.set(nulls, from > 0 ? 0 : others);
  }
  if (column.nans !== undefined) {
    moveNans(order.subarray(from, from + others), keys as Float64Array, column.nans);
  }
  return order;
}

/** Writes the rows with this bit to `places`, ascending. */
function* listRowsWith(
  bit: 0 | 1,
  { words, shift }: ValidBits,
  places: Uint32Array,
): Generator<undefined, void> {
  let listed = 0;
  for (const [from, to] of slicesOf(words.length, FIELD_ROWS)) {
    listed = listRows(words, bit - 1, shift, from, to, places, listed);
    yield;
  }
}

/** How many of the 32 bits of a word are 1: sums of 2, 4 and 8 bits side by side. */
function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  const bytes = (fours + (fours >>> 4)) & 0x0f0f_0f0f;
  return Math.imul(bytes, 0x0101_0101) >>> 24;
}

/** Row i has a value if bit `i + shift` of `words` is 1. All bits of no row are 1. */
interface ValidBits {
  readonly words: Int32Array;
  readonly shift: number;
  /** How many rows have a value. */
  readonly valid: number;
}

function* validBits(
  column: CheckedColumn,
  { count, indices }: Rows,
): Generator<undefined, ValidBits> {
  const { valid, validOffset } = column;
  const first = Math.floor(validOffset / 8);
  const shift = indices === undefined ? validOffset % 8 : 0;
  const bytes = new Uint8Array(4 * Math.ceil((shift + count) / 32));
  if (indices === undefined) {
    bytes.set((valid as Uint8Array).subarray(first, Math.ceil((validOffset + count) / 8)));
  }
  for (const [from, to] of slicesOf(indices?.length ?? 0, FIELD_ROWS)) {
    pickBits(bytes, column, indices as Uint32Array, from, to);
    yield;
  }
  for (let bit = 0; bit < shift; bit++) setBit(bytes, bit);
  for (let bit = shift + count; bit < 8 * bytes.length; bit++) setBit(bytes, bit);
  const words = new Int32Array(bytes.buffer);
  let ones = 0;
  for (const [from, to] of slicesOf(words.length, FIELD_ROWS)) {
    for (let at = from; at < to; at++) ones += onesIn(words[at] as number);
    yield;
  }
  return { words, shift, valid: ones - 8 * bytes.length + count };
}

function setBit(bytes: Uint8Array, bit: number): void {
  bytes[bit >>> 3] = (bytes[bit >>> 3] as number) | (1 << (bit & 7));
}

function pickBits(
  bytes: Uint8Array,
  column: CheckedColumn,
  indices: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) if (isValid(column, indices[i] as number)) setBit(bytes, i);
}

// Each loop is a function of its own, because engines compile generators less well.

/**
 * Writes the places of ones in words [from, to), or of zeros if `flip` is −1, from `next` on.
 * Returns where they end. Bits of no row are ones: those before the first are passed over, and for
 * those after the last there is no room.
 */
function listRows(
  words: Int32Array,
  flip: number,
  shift: number,
  from: number,
  to: number,
  places: Uint32Array,
  next: number,
): number {
  let end = next;
  for (let at = from; at < to; at++) {
    let bits = (words[at] as number) ^ flip;
    if (at === 0) bits &= -1 << shift;
    for (; bits !== 0; bits &= bits - 1) {
      places[end++] = 32 * at + 31 - Math.clz32(bits & -bits) - shift;
    }
  }
  return end;
}

/** The first row that is not a null. */
function firstOther(nulls: Uint32Array): number {
  let first = 0;
  while (nulls[first] === first) first++;
  return first;
}

/**
 * Leaves out nulls that have the key of another row. From the first row to the last null they lie
 * together with the rows of that key, in the order of their numbers.
 */
function leaveOut(order: Uint32Array, nulls: Uint32Array): void {
  const start = order.indexOf(0);
  const last = order.indexOf(nulls[nulls.length - 1] as number, start) + 1;
  let end = start;
  for (let i = start, at = 0; i < last; i++) {
    const row = order[i] as number;
    if (row === nulls[at]) at++;
    else order[end++] = row;
  }
  order.copyWithin(end, last);
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
  { count, indices }: Rows,
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
