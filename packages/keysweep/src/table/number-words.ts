/**
 * The words of a column's numbers, in its order, and the end of the order that each row without a
 * number goes to. Doubles that are all multiples of a whole number get words of half their width.
 */

import {
  bitsOf,
  emptyLike,
  FIELD_ROWS,
  type FieldKernels,
  type KeyArray,
  type KeyType,
  keyTraits,
  type Order,
  orderWords,
  pickSteps,
  runAtOnce,
  slicesOf,
} from '@keysweep/core';
import { type CheckedColumn, isValid, type RowSelection } from './column.js';
import { wordOf } from './float-words.js';

/**
 * Words in two halves; `highs` is empty where 32 bits are enough. Narrower integers count as 32
 * bits, signed ones as many as their sign.
 */
export interface Halves<Lows = Uint32Array> {
  readonly lows: Lows;
  readonly highs: Uint32Array;
}

export type Numbers = NonNullable<CheckedColumn['numbers']>;

export const NONE: Uint32Array<ArrayBuffer> = new Uint32Array(0);

/** Which end of the order a row goes to: 2 is 'has a number'. */
export const ENDS = ['null first', 'nan first', 'number', 'nan last', 'null last'] as const;
export const NUMBER: number = ENDS.indexOf('number');

/** Which of the `ENDS` each row goes to; undefined if all rows have a number. */
type EndOfRow = Uint32Array | undefined;

export function* endsOfNulls(
  column: CheckedColumn,
  { count, indices }: RowSelection,
): Generator<undefined, Uint32Array | undefined> {
  const end = ENDS.indexOf(`null ${column.nulls}`);
  const endOfRow = new Uint32Array(count).fill(NUMBER);
  let hasNulls = false;
  for (const [from, to] of slicesOf(count, FIELD_ROWS)) {
    for (let i = from; i < to; i++) {
      if (isValid(column, indices === undefined ? i : (indices[i] as number))) continue;
      endOfRow[i] = end;
      hasNulls = true;
    }
    yield;
  }
  return hasNulls ? endOfRow : undefined;
}

export function* wordsAndEnds(
  column: CheckedColumn,
  rows: RowSelection,
  endOfRow: EndOfRow,
): Generator<undefined, WordsAndEnds> {
  const words = yield* wordsOf(column, rows);
  if (column.nans === undefined) return { ...words, ends: endOfRow };
  return { ...words, ends: yield* endsOfNans(column, words, endOfRow) };
}

/** Words in two halves, and the ends that rows without a number go to. */
type WordsAndEnds = Halves & { readonly ends: EndOfRow };

/**
 * Words of 32 bits for doubles that are whole numbers, or multiples of a greater one, such as days
 * in milliseconds: half as wide as their own, and of fewer bits. Undefined where a row has another
 * number; most often one of a few rows has.
 */
export function* narrowWords(
  column: CheckedColumn,
  rows: RowSelection,
  endOfRow: EndOfRow,
  kernels: FieldKernels,
): Generator<undefined, WordsAndEnds | undefined> {
  const { keys, keyType } = column.numbers as Numbers;
  if (keyType !== 'f64') return undefined;
  const divisor = divisorOf(keys as Float64Array, rows, endOfRow);
  if (divisor === undefined) return undefined;
  const found = yield* multiples(column, rows, endOfRow, divisor, kernels);
  // Rows that were not looked at may have no such divisor.
  if (found !== undefined || divisor === 1) return found;
  return yield* multiples(column, rows, endOfRow, 1, kernels);
}

/** Keys that are looked at for a common divisor. */
const DIVIDED = 64;

/**
 * The greatest divisor of some of the keys, 1 if these are all 0 or NaN. Undefined if one of them
 * is not whole, or so large that it may be a rounded one.
 */
function divisorOf(
  keys: Float64Array,
  { count, indices }: RowSelection,
  endOfRow: EndOfRow,
): number | undefined {
  let divisor = 0;
  const step = Math.ceil(count / DIVIDED);
  for (let at = 0; at < count; at += step) {
    const key = keys[indices === undefined ? at : (indices[at] as number)] as number;
    if (Number.isNaN(key) || (endOfRow !== undefined && endOfRow[at] !== NUMBER)) continue;
    if (!Number.isSafeInteger(key)) return undefined;
    // Euclid's algorithm.
    for (let rest = Math.abs(key); rest > 0; ) [divisor, rest] = [rest, divisor % rest];
  }
  return divisor || 1;
}

/** The words of doubles that are all multiples of `divisor`: their factors. */
function* multiples(
  { numbers, order, nans, zeros }: CheckedColumn,
  { count, indices }: RowSelection,
  given: EndOfRow,
  divisor: number,
  kernels: FieldKernels,
): Generator<undefined, WordsAndEnds | undefined> {
  const { keys } = numbers as Numbers;
  const lows = new Uint32Array(count);
  const flip = order === 'ascending' ? 1 << 31 : ~(1 << 31);
  const ofNan = nans ?? (order === 'ascending' ? 'last' : 'first');
  const endOfNan = ENDS.indexOf(`nan ${ofNan}`);
  let own: EndOfRow;
  for (const [from, to] of slicesOf(count, FIELD_ROWS)) {
    const slice = keys.subarray(from, to) as Float64Array;
    const words =
      indices === undefined && kernels.multiples?.(slice, divisor, flip, zeros === 'equal');
    if (words) {
      lows.set(words, from);
      yield;
      continue;
    }
    for (let i = from; i < to; i++) {
      const key = keys[indices === undefined ? i : (indices[i] as number)] as number;
      const factor = (key / divisor) | 0;
      lows[i] = factor ^ flip;
      // −0 is below 0, unless they tie.
      const isOne =
        factor * divisor === key && (factor !== 0 || zeros === 'equal' || !Object.is(key, -0));
      if (isOne || (given !== undefined && given[i] !== NUMBER)) continue;
      if (!Number.isNaN(key)) return undefined;
      // `given` is needed as it is if a later row has another number.
      own ??= given?.slice() ?? new Uint32Array(count).fill(NUMBER);
      own[i] = endOfNan;
    }
    yield;
  }
  return { lows, highs: NONE, ends: own ?? given };
}

/** Words in the column's order. */
function* wordsOf(
  { numbers, order, zeros }: CheckedColumn,
  { count, indices }: RowSelection,
): Generator<undefined, Halves> {
  const { keys, keyType } = numbers as Numbers;
  const isWide = keyTraits(keyType).bits === 64;
  const room = {
    lows: new Uint32Array(count),
    highs: isWide ? new Uint32Array(count) : NONE,
  };
  const picked = indices && emptyLike(keys, Math.min(count, FIELD_ROWS));
  for (const [from, to] of slicesOf(count, FIELD_ROWS)) {
    const slice = (picked ?? keys).subarray(...(picked ? [0, to - from] : [from, to])) as KeyArray;
    if (indices !== undefined) {
      runAtOnce(pickSteps(keys, indices.subarray(from, to), bitsOf(slice)));
    }
    const words = orderWords({ keys: slice, keyType, order }, room, from);
    // Keys that are their own words are not written.
    if (words.lows.buffer !== room.lows.buffer) room.lows.set(words.lows, from);
    yield;
  }
  if (zeros === 'equal') yield* joinZeros(room, keyType, order);
  return room;
}

/** Calls `each` with every row whose key is `value`, which is −0 or NaN, in slices. */
function* eachOf(
  { lows, highs }: Halves,
  value: number,
  keyType: KeyType,
  order: Order,
  each: (row: number) => void,
): Generator<undefined, void> {
  const { low, high } = wordOf(value, keyType, order);
  for (const [from, to] of slicesOf(lows.length, FIELD_ROWS)) {
    for (let i = from; i < to; i++) if (lows[i] === low && highs[i] === high) each(i);
    yield;
  }
}

/** Gives −0 the word of +0. */
function* joinZeros(halves: Halves, keyType: KeyType, order: Order): Generator<undefined, void> {
  const { low, high } = wordOf(0, keyType, order);
  yield* eachOf(halves, -0, keyType, order, (row) => {
    halves.lows[row] = low;
    if (high !== undefined) halves.highs[row] = high;
  });
}

/** The ends that nulls and NaNs go to; `given` has the ends of nulls. */
function* endsOfNans(
  { numbers, order, nans }: CheckedColumn,
  halves: Halves,
  given: Uint32Array | undefined,
): Generator<undefined, Uint32Array | undefined> {
  const end = ENDS.indexOf(`nan ${nans as 'first' | 'last'}`);
  let endOfRow = given;
  const { keyType } = numbers as Numbers;
  yield* eachOf(halves, Number.NaN, keyType, order, (row) => {
    endOfRow ??= new Uint32Array(halves.lows.length).fill(NUMBER);
    if (endOfRow[row] === NUMBER) endOfRow[row] = end;
  });
  return endOfRow;
}
