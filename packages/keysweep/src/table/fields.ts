/**
 * Fields: what a column of numbers adds to the key of a row. A field is the key's word less the
 * least word of the column, so it has no more bits than the range of the keys needs. Nulls, and
 * NaNs where they are not where floats have them, make a field of their own before it.
 */

import {
  bitLength,
  FIELD_ROWS,
  type FieldKernels,
  type Integers,
  type KeyType,
  keyTraits,
  type Order,
  skippedBits,
  slicesOf,
} from '@keysweep/core';
import type { CheckedColumn, RowSelection } from './column.js';
import {
  ENDS,
  endsOfNulls,
  type Halves,
  NONE,
  NUMBER,
  type Numbers,
  narrowWords,
  wordsAndEnds,
} from './number-words.js';
import { alikeBits, boundsOf, emptyRange, TOP, type WordRange, widenByLows } from './word-range.js';

/**
 * The words of rows [from, to), at most FIELD_ROWS of them, or of those at `places[from]` up to
 * `places[to - 1]`. They are good until the next call.
 */
type ReadWords = (from: number, to: number, places: Uint32Array | undefined) => Halves<Integers>;

/** A value for each row: its word less `least`, without the lowest `skipped` bits. */
export interface Field {
  readonly read: ReadWords;
  /** Whether words have more than 32 bits. */
  readonly isWide: boolean;
  readonly least: bigint;
  /** Bits of the largest value. */
  readonly bits: number;
  readonly skipped: number;
  /** Whether all bits are inverted in the end. */
  readonly isInverted: boolean;
}

/** The bounds of no words. */
const NO_WORDS = { least: 0n, most: 0n, bits: 0, alike: 0 };

/**
 * The fields of a column: first the ends that rows go to, if there is more than one, then the
 * numbers. Text only has the first. O(rows); allocates 4 or 8 bytes a row, and 4
 * more for ends; nothing for integers of up to 32 bits without nulls.
 */
export function* fieldsOf(
  column: CheckedColumn,
  rows: RowSelection,
  precision: number | undefined,
  kernels: FieldKernels,
): Generator<undefined, readonly Field[]> {
  const endOfRow = column.valid === undefined ? undefined : yield* endsOfNulls(column, rows);
  if (column.numbers === undefined) return endOfRow === undefined ? [] : fieldOfEnds(endOfRow);
  if (endOfRow === undefined && rows.indices === undefined && isNarrowInteger(column.numbers)) {
    return [yield* fieldOfIntegers(column.numbers, column.order, precision, kernels)];
  }
  const order = precision === undefined ? column.order : 'ascending';
  const ordered = { ...column, order };
  const narrow =
    precision === undefined ? yield* narrowWords(ordered, rows, endOfRow, kernels) : undefined;
  const { ends, ...words } = narrow ?? (yield* wordsAndEnds(ordered, rows, endOfRow));
  const range = yield* rangeOf(words, ends, kernels);
  // Words rounded to a precision must be ascending.
  const isInverted = order !== column.order;
  const read = readerOf(words);
  const isWide = words.highs.length > 0;
  const field = { read, isWide, ...rounded(column.numbers.keyType, range, precision), isInverted };
  return ends === undefined ? [field] : [...fieldOfEnds(ends), field];
}

/** The bounds of words, and how many of their lowest bits all have in common. */
type Bounds = ReturnType<typeof boundsOf> & { readonly alike: number };

/**
 * The bits of a range that decide: as many as a precision asks for, or without those in which no
 * two words differ: the words of whole days since 2005 agree in their lowest 22.
 */
function rounded(
  keyType: KeyType,
  { least, most, bits, alike }: Bounds,
  precision: number | undefined,
): Pick<Field, 'least' | 'bits' | 'skipped'> {
  const skipped = precision === undefined ? alike : skippedBits(keyType, least, most, precision);
  return { least, bits: bits - skipped, skipped };
}

const isNarrowInteger = ({ keyType }: Numbers): boolean => {
  const { kind, bits } = keyTraits(keyType);
  return kind !== 'float' && bits <= 32;
};

/** The field of integers that are words as they are. */
function* fieldOfIntegers(
  { keys, keyType }: Numbers,
  order: Order,
  precision: number | undefined,
  kernels: FieldKernels,
): Generator<undefined, Field> {
  let room: Uint32Array | undefined;
  const read: ReadWords = (from, to, places) => {
    if (places === undefined) return { lows: keys.subarray(from, to) as Integers, highs: NONE };
    room ??= new Uint32Array(Math.min(keys.length, FIELD_ROWS));
    for (let i = from; i < to; i++) room[i - from] = keys[places[i] as number] as number;
    return { lows: room.subarray(0, to - from), highs: NONE };
  };
  const range = emptyRange();
  const flip = keyTraits(keyType).kind === 'signed' ? TOP : 0;
  for (const [from, to] of slicesOf(keys.length, FIELD_ROWS)) {
    widenByLows(range, kernels.range(keys.subarray(from, to) as Integers, flip));
    yield;
  }
  const bounds = keys.length === 0 ? NO_WORDS : { ...boundsOf(range), alike: 0 };
  const kept = rounded(keyType, bounds, precision);
  const least = BigInt((range.minLow ^ flip) >>> 0);
  return { read, isWide: false, ...kept, least, isInverted: order === 'descending' };
}

/** Reads words that are written. */
function readerOf({ lows, highs }: Halves): ReadWords {
  const roomFor = (halves: Uint32Array) => new Uint32Array(Math.min(halves.length, FIELD_ROWS));
  let room: Halves | undefined;
  return (from, to, places) => {
    if (places === undefined) {
      return { lows: lows.subarray(from, to), highs: highs.subarray(from, to) };
    }
    room ??= { lows: roomFor(lows), highs: roomFor(highs) };
    pickWords(lows, places, from, to, room.lows);
    if (highs.length > 0) pickWords(highs, places, from, to, room.highs);
    return { lows: room.lows.subarray(0, to - from), highs: room.highs };
  };
}

function pickWords(
  words: Uint32Array,
  places: Uint32Array,
  from: number,
  to: number,
  picked: Uint32Array,
): void {
  for (let i = from; i < to; i++) picked[i - from] = words[places[i] as number] as number;
}

/** A field of the ends that rows go to. */
function fieldOfEnds(endOfRow: Uint32Array): readonly Field[] {
  const occurring = ENDS.map((_, end) => end).filter((end) => endOfRow.includes(end));
  if (occurring.length === 1) return [];
  const valueFor = Uint32Array.from(ENDS, (_, end) => occurring.indexOf(end));
  for (let i = 0; i < endOfRow.length; i++) endOfRow[i] = valueFor[endOfRow[i] as number] as number;
  const bits = bitLength(BigInt(occurring.length - 1));
  const read = readerOf({ lows: endOfRow, highs: NONE });
  return [{ read, isWide: false, least: 0n, bits, skipped: 0, isInverted: false }];
}

/** The range of the words of rows that have a number; other rows get its least word. */
function* rangeOf(
  { lows, highs }: Halves,
  endOfRow: Uint32Array | undefined,
  kernels: FieldKernels,
): Generator<undefined, Bounds> {
  const range = emptyRange();
  const isPlain = highs.length === 0 && endOfRow === undefined;
  let isEmpty = lows.length === 0 || !isPlain;
  for (const [from, to] of slicesOf(lows.length, FIELD_ROWS)) {
    if (isPlain) widenByLows(range, kernels.range(lows.subarray(from, to), 0));
    else if (widenByHalves(range, { lows, highs }, endOfRow, from, to)) isEmpty = false;
    yield;
  }
  if (isEmpty) return NO_WORDS;
  if (endOfRow !== undefined) {
    const { minLow, minHigh } = range;
    for (let i = 0; i < lows.length; i++) {
      if (endOfRow[i] === NUMBER) continue;
      lows[i] = minLow;
      if (highs.length > 0) highs[i] = minHigh;
    }
  }
  return { ...boundsOf(range), alike: highs.length > 0 ? alikeBits(range) : 0 };
}

/** Widens a range by the words of rows [from, to) that have a number. Whether any row had one. */
function widenByHalves(
  range: WordRange,
  { lows, highs }: Halves,
  endOfRow: Uint32Array | undefined,
  from: number,
  to: number,
): boolean {
  let { minLow, minHigh, maxLow, maxHigh, differingLow, differingHigh } = range;
  const isWide = highs.length > 0;
  let hasNumbers = minHigh <= maxHigh;
  // Each word is compared with one of the words before.
  let [otherLow, otherHigh] = [minLow, minHigh];
  for (let i = from; i < to; i++) {
    if (endOfRow !== undefined && endOfRow[i] !== NUMBER) continue;
    const low = lows[i] as number;
    const high = isWide ? (highs[i] as number) : 0;
    if (!hasNumbers) [otherLow, otherHigh, hasNumbers] = [low, high, true];
    differingLow |= low ^ otherLow;
    differingHigh |= high ^ otherHigh;
    if (high < minHigh || (high === minHigh && low < minLow)) {
      minLow = low;
      minHigh = high;
    }
    if (high > maxHigh || (high === maxHigh && low > maxLow)) {
      maxLow = low;
      maxHigh = high;
    }
  }
  Object.assign(range, { minLow, minHigh, maxLow, maxHigh, differingLow, differingHigh });
  return hasNumbers;
}
