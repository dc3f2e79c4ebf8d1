/** Random columns of every kind, and their order by a comparator of values. */

import { ARRAY_CLASSES, fillSpecial } from '@keysweep/conformance/data';
import type { KeyArray, Order } from '@keysweep/core';
import type { ColumnOptions } from 'keysweep';
import { chance, oneOf, random } from '../draws.js';

/** A value of a column: a number, a text as an array of units, or undefined for none. */
type Value = number | bigint | readonly number[] | undefined;

/** A column and what it means, written down value by value. */
export interface Case {
  readonly column: ColumnOptions;
  readonly values: readonly Value[];
}

/** Less than 0 where `a` comes first, by the words of the contract alone. */
function compare(a: Value, b: Value, column: ColumnOptions, order: Order): number {
  const { nulls = 'last', zeros = 'ordered' } = column;
  const own = column.order ?? order;
  const nans = column.nans ?? (own === 'ascending' ? 'last' : 'first');
  const place = (value: Value): number => {
    if (value === undefined) return nulls === 'first' ? -2 : 2;
    if (Number.isNaN(value)) return nans === 'first' ? -1 : 1;
    return 0;
  };
  if (place(a) !== place(b) || place(a) !== 0) return place(a) - place(b);
  const difference = compareValues(a as number, b as number, zeros === 'ordered');
  return own === 'ascending' ? difference : -difference;
}

function compareValues(a: Value, b: Value, areZerosOrdered: boolean): number {
  if (Array.isArray(a) && Array.isArray(b)) {
    const at = a.findIndex((unit, i) => unit !== b[i]);
    return at < 0 ? a.length - b.length : at >= b.length ? 1 : a[at] - b[at];
  }
  if ((a as number) < (b as number)) return -1;
  if ((a as number) > (b as number)) return 1;
  if (!areZerosOrdered) return 0;
  return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
}

export function expected(
  cases: readonly Case[],
  rows: Uint32Array,
  order: Order,
  segments: readonly number[] = [0],
): Uint32Array {
  const compareRows = (a: number, b: number): number => {
    for (const { column, values } of cases) {
      const difference = compare(values[a], values[b], column, order);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const sorted = segments.map((start, i) =>
    Array.from(rows.subarray(start, segments[i + 1] ?? rows.length)).sort(compareRows),
  );
  return Uint32Array.from(sorted.flat());
}

/** Half the time with nulls, from any bit on, and with bits set where there are no rows. */
function bitmap(rows: number): {
  options: Partial<ColumnOptions>;
  has: (row: number) => boolean;
} {
  if (chance(2)) return { options: {}, has: () => true };
  const validOffset = chance(2) ? 0 : random.below(70);
  const valid = random.fill(new Uint8Array(Math.ceil((rows + validOffset) / 8) + random.below(3)));
  if (chance(4)) valid.fill(255);
  if (chance(6)) valid.fill(0);
  const has = (row: number): boolean => {
    const bit = row + validOffset;
    return ((valid[bit >> 3] as number) >> (bit & 7)) % 2 === 1;
  };
  return { options: validOffset === 0 ? { valid } : { valid, validOffset }, has };
}

const directions = (): Partial<ColumnOptions> => ({
  ...(chance(2) ? { order: oneOf(['ascending', 'descending'] as const) } : {}),
  ...(chance(2) ? { nulls: oneOf(['first', 'last'] as const) } : {}),
});

function numbers(rows: number): Case {
  const { create } = oneOf(ARRAY_CLASSES);
  const keys = create(rows);
  if (chance(3)) fillSpecial(keys, random);
  else if (chance(2)) random.fill(new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength));
  else for (let i = 0; i < rows; i++) keys[i] = few(keys) as never;
  // Doubles that are whole numbers, but for a few.
  if (keys instanceof Float64Array && chance(2)) {
    const others = oneOf([
      [],
      [Number.NaN],
      [Number.NaN, -0],
      [Number.NaN, 0.5],
      [2 ** 31],
      [-(2 ** 31)],
    ]);
    for (let i = 0; i < rows; i++) {
      keys[i] = others.length > 0 && chance(30) ? oneOf(others) : random.below(99) - 50;
    }
  }
  const { options, has } = bitmap(rows);
  const column: ColumnOptions = {
    keys,
    ...options,
    ...directions(),
    ...(chance(3) ? { nans: oneOf(['first', 'last'] as const) } : {}),
    ...(chance(3) ? { zeros: oneOf(['equal', 'ordered'] as const) } : {}),
  };
  return {
    column,
    values: Array.from(keys as ArrayLike<Value>, (key, row) => (has(row) ? key : undefined)),
  };
}

const few = (keys: KeyArray): number | bigint =>
  typeof keys[0] === 'bigint' ? BigInt(random.below(3)) : random.below(3);

/** Texts that share prefixes, and end in zeros now and then. */
function units(rows: number, most: number): number[][] {
  const prefix = Array.from({ length: oneOf([0, 0, 1, 7, 8, 9, 40, 300]) }, () =>
    random.below(most),
  );
  const letters = oneOf([2, 3, 26, most]);
  return Array.from({ length: rows }, () => {
    const length = random.below(oneOf([1, 4, 9, 30]));
    const own = Array.from({ length }, () => (chance(5) ? 0 : random.below(letters)));
    return chance(9) ? own : [...prefix, ...own];
  });
}

function strings(rows: number): Case {
  // Up to all code units, so with surrogates that have no partner.
  const texts = units(rows, oneOf([128, 256, 65536]));
  const keys = texts.map((text) => String.fromCharCode(...text));
  const { options, has } = bitmap(rows);
  const column = { keys, ...options, ...directions() };
  return { column, values: texts.map((text, row) => (has(row) ? text : undefined)) };
}

function utf8(rows: number): Case {
  const texts = units(rows, 256);
  const before = random.below(20);
  const offsets = [before];
  for (const text of texts) offsets.push((offsets.at(-1) as number) + text.length);
  const bytes = new Uint8Array((offsets.at(-1) as number) + random.below(9));
  random.fill(bytes);
  bytes.set(texts.flat(), before);
  const kinds = [Int32Array.from(offsets), Uint32Array.from(offsets)];
  const keys = {
    offsets: chance(3) ? BigInt64Array.from(offsets, BigInt) : oneOf(kinds),
    bytes,
  };
  const { options, has } = bitmap(rows);
  const column = { keys, ...options, ...directions() };
  return { column, values: texts.map((text, row) => (has(row) ? text : undefined)) };
}

function binary(rows: number): Case {
  const width = oneOf([1, 3, 8, 10, 16, 33]);
  const bytes = new Uint8Array(width * rows);
  for (let i = 0; i < bytes.length; i++) bytes[i] = random.below(oneOf([2, 256]));
  const values = Array.from({ length: rows }, (_, row) => [
    ...bytes.subarray(row * width, row * width + width),
  ]);
  const { options, has } = bitmap(rows);
  const column = { keys: { width, bytes }, ...options, ...directions() };
  return { column, values: values.map((text, row) => (has(row) ? text : undefined)) };
}

export const KINDS = { numbers, strings, utf8, binary };
