/** Reads rows that are objects: each key once a row. Its values tell what the column is. */

import { describe, type Order, type SortOptions, slicesOf } from '@keysweep/core';
import type { Column, ColumnOptions } from './column.js';

/** A value to sort rows by. null and undefined are nulls. */
export type RowValue = number | bigint | string | boolean | Date | null | undefined;

/** The name of a property, or a function of a row. */
export type RowKey<T> = (keyof T & string) | ((row: T) => RowValue);

/** A key of rows with an order of its own. */
export interface RowColumn<T> {
  /** What the rows are sorted by. */
  readonly key: RowKey<T>;
  /** The order of this key. Default: the call's `order`. */
  readonly order?: Order | undefined;
  /** Where rows without a value go, whatever the order. Default 'last'. */
  readonly nulls?: 'first' | 'last' | undefined;
  /** Where NaNs and invalid dates go. Default: 'last' ascending, 'first' descending. */
  readonly nans?: 'first' | 'last' | undefined;
  /** Decides the order of strings. Default: that of `Array.prototype.sort()`. */
  readonly collator?: Intl.Collator | undefined;
}

/** What rows are sorted by: a key, or a list of keys of which the first is the major one. */
export type RowBy<T> = RowKey<T> | RowColumn<T> | ReadonlyArray<RowKey<T> | RowColumn<T>>;

/** Options of `sortRows` and `argsortRows`. */
export type SortRowsOptions = Pick<
  SortOptions,
  'order' | 'backend' | 'signal' | 'onProgress' | 'onReport'
>;

/** Rows that are read between two pauses. */
const SLICE = 2 ** 13;

/** @throws TypeError if `rows` is no array. */
export function checkRowArray<T>(rows: readonly T[]): readonly T[] {
  if (Array.isArray(rows)) return rows;
  throw new TypeError(`rows must be an array, got ${describe(rows)}`);
}

/** The steps of `columnsOf`. The rows must not change before the last one. */
export function* columnSteps<T>(rows: readonly T[], by: RowBy<T>): Generator<undefined, Column[]> {
  const isList = Array.isArray(by);
  if (isList && by.length === 0) {
    throw new TypeError('by must be a key or a list of keys, got an empty list');
  }
  const keys = (isList ? by : [by]).map((key, i) => checkKey<T>(isList ? `by[${i}]` : 'by', key));
  const columns: Column[] = [];
  for (const key of keys) columns.push(yield* columnOf(rows, key));
  return columns;
}

/** A checked key. */
interface Key<T> {
  /** What errors call a row's value: `rows[3]`, and this. */
  readonly name: string;
  /** The name of a property that is read, or undefined for a function. */
  readonly property: string | undefined;
  readonly read: (row: T) => unknown;
  readonly options: Omit<ColumnOptions, 'keys'> & { collator?: Intl.Collator };
}

const NAMES = ['key', 'order', 'nulls', 'nans', 'collator'];

function checkKey<T>(name: string, given: unknown): Key<T> {
  if (typeof given === 'string') {
    return { name: `.${given}`, property: given, read: () => undefined, options: {} };
  }
  if (typeof given === 'function') {
    const read = given as (row: T) => unknown;
    return { name: ` by ${name}`, property: undefined, read: (row) => read(row), options: {} };
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(
      `${name} must be the name of a property, a function of a row, or { key, \u2026 }, got ` +
        describe(given),
    );
  }
  const own: Record<string, unknown> = { ...given };
  const other = Object.keys(own).find((property) => !NAMES.includes(property));
  if (other !== undefined) {
    throw new TypeError(`${name} has '${other}', but a key has only ${NAMES.join(', ')}`);
  }
  const { key, ...options } = own;
  if (typeof key !== 'string' && typeof key !== 'function') {
    throw new TypeError(
      `${name}.key must be the name of a property or a function of a row, got ${describe(key)}`,
    );
  }
  // Their values are checked with the column. What is undefined is not there.
  const said = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...checkKey<T>(`${name}.key`, key), options: Object.fromEntries(said) };
}

/** A column of what a key reads. */
function* columnOf<T>(rows: readonly T[], key: Key<T>): Generator<undefined, Column> {
  const { length } = rows;
  const { collator, ...options } = key.options;
  // Most columns are numbers, or strings, which need no other place than one of these.
  const numbers = new Float64Array(length);
  let strings: string[] = [];
  const next: { value?: unknown } = {};
  let read = 0;
  while (read < length) {
    read = readAlike(rows, key, 'number', numbers, read, Math.min(read + SLICE, length), next);
    if ('value' in next) break;
    yield;
  }
  if (read === length) {
    // Keys without a description take no time to be made into words.
    return Object.keys(options).length === 0 ? numbers : { keys: numbers, ...options };
  }
  if (read === 0 && typeof next.value === 'string') {
    strings = new Array(length);
    strings[0] = next.value;
    delete next.value;
    for (read = 1; read < length; ) {
      read = readAlike(rows, key, 'string', strings, read, Math.min(read + SLICE, length), next);
      if ('value' in next) break;
      yield;
    }
    if (read === length) {
      return { keys: strings, ...options, ...(collator !== undefined && { collator }) };
    }
  }
  const values: unknown[] = new Array(length);
  yield* fill(values, length, (row) => {
    if (row < read) return (strings.length > 0 ? strings : numbers)[row];
    return row === read ? next.value : valueIn(rows, row, key);
  });
  const column: ColumnOptions = { ...(yield* columnOfValues(values, key.name)), ...options };
  const isText = Array.isArray(column.keys) && collator !== undefined;
  return isText ? Object.assign(column, { collator }) : column;
}

/** Fills a list or an array of `length` elements, in slices. */
function* fill<T>(
  target: { [index: number]: T },
  length: number,
  valueAt: (index: number) => T,
): Generator<undefined, void> {
  for (const [from, to] of slicesOf(length, SLICE)) {
    for (let i = from; i < to; i++) target[i] = valueAt(i);
    yield;
  }
}

// Engines run a loop in a function of its own several times as fast as one in a generator.

/**
 * Reads the values of rows, of one type, to `values`. Returns the row of another value, which `next`
 * then has.
 */
function readAlike<T>(
  rows: readonly T[],
  key: Key<T>,
  type: 'number' | 'string',
  values: { [row: number]: unknown },
  from: number,
  to: number,
  next: { value?: unknown },
): number {
  for (let row = from; row < to; row++) {
    const value = valueIn(rows, row, key);
    if (typeof value !== type) {
      next.value = value;
      return row;
    }
    values[row] = value;
  }
  return to;
}

function valueIn<T>(rows: readonly T[], row: number, { property, read }: Key<T>): unknown {
  const own = rows[row] as T;
  if (property === undefined) return read(own);
  if (own === null || own === undefined) {
    throw new TypeError(`rows[${row}] is ${own}, which has no properties`);
  }
  return (own as Record<string, unknown>)[property];
}

type Kind = 'number' | 'bigint' | 'string' | 'boolean' | 'Date';

const KINDS = ['number', 'bigint', 'string', 'boolean'];

/** The kind of a value; undefined for a null. @throws TypeError for a value of no kind. */
function kindOf(value: unknown, row: number, name: string): Kind | undefined {
  if (value === null || value === undefined) return undefined;
  const kind = typeof value;
  if (KINDS.includes(kind)) return kind as Kind;
  if (isDate(value)) return 'Date';
  throw new TypeError(
    `rows[${row}]${name} must be a number, bigint, string, boolean, Date, null or undefined, got ` +
      describe(value),
  );
}

/** Dates of other realms, too. */
const isDate = (value: unknown): value is Date =>
  value instanceof Date || Object.prototype.toString.call(value) === '[object Date]';

/** A column of values of one kind, and nulls. */
function* columnOfValues(
  values: readonly unknown[],
  name: string,
): Generator<undefined, ColumnOptions> {
  const { length } = values;
  const valid = new Uint8Array(Math.ceil(length / 8));
  let first = -1;
  let kind: Kind | undefined;
  let nulls = 0;
  for (let row = 0; row < length; row++) {
    if (row % SLICE === SLICE - 1) yield;
    const own = kindOf(values[row], row, name);
    if (own === undefined) {
      nulls++;
      continue;
    }
    valid[row >> 3] = (valid[row >> 3] as number) | (1 << (row & 7));
    if (kind === undefined) [kind, first] = [own, row];
    if (own === kind) continue;
    throw new TypeError(
      `a column has values of one kind, but rows[${row}]${name} is a ${own}, and ` +
        `rows[${first}]${name} is a ${kind}`,
    );
  }
  const keys = yield* keysOf(values, kind, name);
  return nulls === 0 ? { keys } : { keys, valid };
}

const isNull = (value: unknown): boolean => value === null || value === undefined;

/** The keys of values of one kind. Those of nulls do not count. */
function* keysOf(
  values: readonly unknown[],
  kind: Kind | undefined,
  name: string,
): Generator<undefined, ColumnOptions['keys']> {
  const { length } = values;
  switch (kind) {
    case undefined:
      return new Uint8Array(length);
    case 'bigint':
      return yield* bigintsOf(values, name);
    case 'string': {
      const strings: string[] = new Array(length);
      yield* fill(strings, length, (row) => (isNull(values[row]) ? '' : (values[row] as string)));
      return strings;
    }
    case 'Date': {
      const times = new Float64Array(length);
      const { getTime } = Date.prototype;
      yield* fill(times, length, (row) => (isNull(values[row]) ? 0 : getTime.call(values[row])));
      return times;
    }
    default: {
      const numbers = new (kind === 'boolean' ? Uint8Array : Float64Array)(length);
      yield* fill(numbers, length, (row) => Number(values[row]));
      return numbers;
    }
  }
}

/** Bigints as signed integers of 64 bits if they all fit, else as unsigned ones. */
function* bigintsOf(
  values: readonly unknown[],
  name: string,
): Generator<undefined, BigInt64Array | BigUint64Array> {
  const { length } = values;
  let [least, most] = [-1, -1];
  const at = (row: number): bigint => (row < 0 ? 0n : (values[row] as bigint));
  for (let row = 0; row < length; row++) {
    if (row % SLICE === SLICE - 1) yield;
    if (isNull(values[row])) continue;
    if (at(row) < at(least)) least = row;
    if (at(row) > at(most)) most = row;
  }
  const isBelow = at(least) < -(2n ** 63n);
  if (isBelow || at(most) >= 2n ** 64n) {
    const row = isBelow ? least : most;
    throw new RangeError(
      `rows[${row}]${name} must be a bigint of 64 bits, from -2^63 to 2^64 - 1, got ${at(row)}n`,
    );
  }
  const isSigned = at(most) < 2n ** 63n;
  if (!isSigned && least >= 0) {
    throw new RangeError(
      `no 64-bit type holds all bigints of a column: rows[${least}]${name} is ${at(least)}n, and ` +
        `rows[${most}]${name} is ${at(most)}n`,
    );
  }
  const keys = new (isSigned ? BigInt64Array : BigUint64Array)(length);
  yield* fill(keys, length, (row) => (isNull(values[row]) ? 0n : at(row)));
  return keys;
}
