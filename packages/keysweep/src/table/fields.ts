/**
 * Fields: what a column of numbers adds to the key of a row. A field is the key's word less the
 * least word of the column, so it has no more bits than the range of the keys needs. Nulls, and
 * NaNs where they are not where floats have them, make a field of their own before it.
 */

import {
  bitLength,
  bitsOf,
  emptyLike,
  FIELD_ROWS,
  type FieldKernels,
  type Integers,
  type KeyArray,
  type KeyType,
  keyTraits,
  keyTransform,
  type Order,
  orderWords,
  pickSteps,
  runAtOnce,
  skippedBits,
  slicesOf,
} from '@keysweep/core';
import { type CheckedColumn, isValid } from './column.js';
import { alikeBits, boundsOf, emptyRange, type Range, TOP, widenByLows } from './range.js';

/** The rows of a table that are ordered: all, or those with these numbers. */
export interface Rows {
  readonly count: number;
  readonly indices: Uint32Array | undefined;
}

/**
 * Words in two halves; `highs` is empty where 32 bits are enough. Narrower integers count as 32
 * bits, signed ones as many as their sign.
 */
interface Halves<Lows = Uint32Array> {
  readonly lows: Lows;
  readonly highs: Uint32Array;
}

/**
 * The words of rows [from, to), at most FIELD_ROWS of them, or of those at `places[from]` up to
 * `places[to - 1]`. They are good until the next call.
 */
type ReadWords = (from: number, to: number, places: Uint32Array | undefined) => Halves<Integers>;

/** Of each row its word less `least`, without its lowest `skipped` bits. */
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

type Numbers = NonNullable<CheckedColumn['numbers']>;

const NONE = new Uint32Array(0);

/** The bounds of no words. */
const NO_WORDS = { least: 0n, most: 0n, bits: 0, alike: 0 };

/** The places of rows without a number, and of those with one. */
const PLACES = ['null first', 'nan first', 'number', 'nan last', 'null last'] as const;
const NUMBER = PLACES.indexOf('number');

/**
 * The fields of a column: first that of the places, where there is more than one, then that of the
 * numbers. Of text only the first. O(rows); allocates 4 or 8 bytes a row, and 4 more for places;
 * nothing for integers of up to 32 bits without nulls.
 */
export function* fieldsOf(
  column: CheckedColumn,
  rows: Rows,
  precision: number | undefined,
  kernels: FieldKernels,
): Generator<undefined, readonly Field[]> {
  const places = column.valid === undefined ? undefined : yield* placesOfNulls(column, rows);
  if (column.numbers === undefined) return places === undefined ? [] : fieldOfPlaces(places);
  if (places === undefined && rows.indices === undefined && isNarrowInteger(column.numbers)) {
    return [yield* fieldOfIntegers(column.numbers, column.order, precision, kernels)];
  }
  const order = precision === undefined ? column.order : 'ascending';
  const ordered = { ...column, order };
  const narrow =
    precision === undefined ? yield* narrowWords(ordered, rows, places, kernels) : undefined;
  const { places: all, ...words } = narrow ?? (yield* wordsAndPlaces(ordered, rows, places));
  const range = yield* rangeOf(words, all, kernels);
  // Words rounded to a precision must be ascending.
  const isInverted = order !== column.order;
  const read = readerOf(words);
  const isWide = words.highs.length > 0;
  const field = { read, isWide, ...rounded(column.numbers.keyType, range, precision), isInverted };
  return all === undefined ? [field] : [...fieldOfPlaces(all), field];
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
  const least = BigInt((range.leastLow ^ flip) >>> 0);
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

type Places = Uint32Array | undefined;

function* wordsAndPlaces(
  column: CheckedColumn,
  rows: Rows,
  places: Places,
): Generator<undefined, Placed> {
  const words = yield* wordsOf(column, rows);
  if (column.nans === undefined) return { ...words, places };
  return { ...words, places: yield* placesOfNans(column, words, places) };
}

/** Words in two halves, and the places of rows without a number. */
type Placed = Halves & { readonly places: Places };

/**
 * Words of 32 bits for doubles that are whole numbers, or multiples of a greater one, such as days
 * in milliseconds: half as wide as their own, and of fewer bits. Undefined where a row has another
 * number; most often one of a few rows has.
 */
function* narrowWords(
  column: CheckedColumn,
  rows: Rows,
  places: Places,
  kernels: FieldKernels,
): Generator<undefined, Placed | undefined> {
  const { keys, keyType } = column.numbers as Numbers;
  if (keyType !== 'f64') return undefined;
  const divisor = divisorOf(keys as Float64Array, rows, places);
  if (divisor === undefined) return undefined;
  const found = yield* multiples(column, rows, places, divisor, kernels);
  // Rows that were not looked at may have no such divisor.
  if (found !== undefined || divisor === 1) return found;
  return yield* multiples(column, rows, places, 1, kernels);
}

/** Keys that are looked at for a common divisor. */
const DIVIDED = 64;

/**
 * The greatest divisor of some of the keys, 1 if these are all 0 or NaN. Undefined if one of them
 * is not whole, or so large that it may be a rounded one.
 */
function divisorOf(
  keys: Float64Array,
  { count, indices }: Rows,
  places: Places,
): number | undefined {
  let divisor = 0;
  const step = Math.ceil(count / DIVIDED);
  for (let at = 0; at < count; at += step) {
    const key = keys[indices === undefined ? at : (indices[at] as number)] as number;
    if (Number.isNaN(key) || (places !== undefined && places[at] !== NUMBER)) continue;
    if (!Number.isSafeInteger(key)) return undefined;
    // Euclid's algorithm.
    for (let rest = Math.abs(key); rest > 0; ) [divisor, rest] = [rest, divisor % rest];
  }
  return divisor || 1;
}

/** The words of doubles that are all multiples of `divisor`: their factors. */
function* multiples(
  { numbers, order, nans, zeros }: CheckedColumn,
  { count, indices }: Rows,
  given: Places,
  divisor: number,
  kernels: FieldKernels,
): Generator<undefined, Placed | undefined> {
  const { keys } = numbers as Numbers;
  const lows = new Uint32Array(count);
  const flip = order === 'ascending' ? 1 << 31 : ~(1 << 31);
  const ofNan = nans ?? (order === 'ascending' ? 'last' : 'first');
  const placeOfNan = PLACES.indexOf(`nan ${ofNan}`);
  let own: Places;
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
      // Those given are needed as they are where a later row has another number.
      own ??= given?.slice() ?? new Uint32Array(count).fill(NUMBER);
      own[i] = placeOfNan;
    }
    yield;
  }
  return { lows, highs: NONE, places: own ?? given };
}

function* placesOfNulls(
  column: CheckedColumn,
  { count, indices }: Rows,
): Generator<undefined, Uint32Array | undefined> {
  const place = PLACES.indexOf(`null ${column.nulls}`);
  const places = new Uint32Array(count).fill(NUMBER);
  let hasNulls = false;
  for (const [from, to] of slicesOf(count, FIELD_ROWS)) {
    for (let i = from; i < to; i++) {
      if (isValid(column, indices === undefined ? i : (indices[i] as number))) continue;
      places[i] = place;
      hasNulls = true;
    }
    yield;
  }
  return hasNulls ? places : undefined;
}

/** A field of the places that occur. */
function fieldOfPlaces(places: Uint32Array): readonly Field[] {
  const occurring = PLACES.map((_, place) => place).filter((place) => places.includes(place));
  if (occurring.length === 1) return [];
  const valueFor = Uint32Array.from(PLACES, (_, place) => occurring.indexOf(place));
  for (let i = 0; i < places.length; i++) places[i] = valueFor[places[i] as number] as number;
  const bits = bitLength(BigInt(occurring.length - 1));
  const read = readerOf({ lows: places, highs: NONE });
  return [{ read, isWide: false, least: 0n, bits, skipped: 0, isInverted: false }];
}

/** Words in the column's order. */
function* wordsOf(
  { numbers, order, zeros }: CheckedColumn,
  { count, indices }: Rows,
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

/** The words that a float type has for +0, −0 and every NaN, in an order. */
function wordsOfFloats(keyType: KeyType, order: Order): Record<'zero' | 'minus' | 'nan', bigint> {
  const { bits } = keyTraits(keyType);
  const { positive, bias, ceiling } = keyTransform(keyType);
  const zero = BigInt.asUintN(bits, positive - bias);
  const inOrder = (word: bigint): bigint =>
    order === 'ascending' ? word : BigInt.asUintN(bits, ~word);
  return { zero: inOrder(zero), minus: inOrder(zero - 1n), nan: inOrder(ceiling) };
}

const low = (word: bigint): number => Number(word & 0xffff_ffffn);
const high = (word: bigint): number => Number(word >> 32n);

/** Calls `each` with every row whose word is `word`, in slices. */
function* eachOf(
  { lows, highs }: Halves,
  word: bigint,
  each: (row: number) => void,
): Generator<undefined, void> {
  const [ofLow, ofHigh] = [low(word), high(word)];
  const isWide = highs.length > 0;
  for (const [from, to] of slicesOf(lows.length, FIELD_ROWS)) {
    for (let i = from; i < to; i++) {
      if (lows[i] === ofLow && (!isWide || highs[i] === ofHigh)) each(i);
    }
    yield;
  }
}

/** Gives −0 the word of +0. */
function* joinZeros(halves: Halves, keyType: KeyType, order: Order): Generator<undefined, void> {
  const { zero, minus } = wordsOfFloats(keyType, order);
  const [ofLow, ofHigh] = [low(zero), high(zero)];
  yield* eachOf(halves, minus, (row) => {
    halves.lows[row] = ofLow;
    if (halves.highs.length > 0) halves.highs[row] = ofHigh;
  });
}

/** The places, including places for NaNs. */
function* placesOfNans(
  { numbers, order, nans }: CheckedColumn,
  halves: Halves,
  given: Uint32Array | undefined,
): Generator<undefined, Uint32Array | undefined> {
  const { nan } = wordsOfFloats((numbers as Numbers).keyType, order);
  const place = PLACES.indexOf(`nan ${nans as 'first' | 'last'}`);
  let places = given;
  yield* eachOf(halves, nan, (row) => {
    places ??= new Uint32Array(halves.lows.length).fill(NUMBER);
    if (places[row] === NUMBER) places[row] = place;
  });
  return places;
}

/** The range of the words of rows that have a number; other rows get its least word. */
function* rangeOf(
  { lows, highs }: Halves,
  places: Uint32Array | undefined,
  kernels: FieldKernels,
): Generator<undefined, Bounds> {
  const range = emptyRange();
  const isPlain = highs.length === 0 && places === undefined;
  let isEmpty = lows.length === 0 || !isPlain;
  for (const [from, to] of slicesOf(lows.length, FIELD_ROWS)) {
    if (isPlain) widenByLows(range, kernels.range(lows.subarray(from, to), 0));
    else if (widenByHalves(range, { lows, highs }, places, from, to)) isEmpty = false;
    yield;
  }
  if (isEmpty) return NO_WORDS;
  if (places !== undefined) {
    const { leastLow, leastHigh } = range;
    for (let i = 0; i < lows.length; i++) {
      if (places[i] === NUMBER) continue;
      lows[i] = leastLow;
      if (highs.length > 0) highs[i] = leastHigh;
    }
  }
  return { ...boundsOf(range), alike: highs.length > 0 ? alikeBits(range) : 0 };
}

/** Widens a range by the words of rows [from, to) that have a number. Whether any row had one. */
function widenByHalves(
  range: Range,
  { lows, highs }: Halves,
  places: Uint32Array | undefined,
  from: number,
  to: number,
): boolean {
  let { leastLow, leastHigh, mostLow, mostHigh, differingLow, differingHigh } = range;
  const isWide = highs.length > 0;
  let hasNumbers = leastHigh <= mostHigh;
  // Each word is compared with one of the words before.
  let [otherLow, otherHigh] = [leastLow, leastHigh];
  for (let i = from; i < to; i++) {
    if (places !== undefined && places[i] !== NUMBER) continue;
    const low = lows[i] as number;
    const high = isWide ? (highs[i] as number) : 0;
    if (!hasNumbers) [otherLow, otherHigh, hasNumbers] = [low, high, true];
    differingLow |= low ^ otherLow;
    differingHigh |= high ^ otherHigh;
    if (high < leastHigh || (high === leastHigh && low < leastLow)) {
      leastLow = low;
      leastHigh = high;
    }
    if (high > mostHigh || (high === mostHigh && low > mostLow)) {
      mostLow = low;
      mostHigh = high;
    }
  }
  Object.assign(range, { leastLow, leastHigh, mostLow, mostHigh, differingLow, differingHigh });
  return hasNumbers;
}
