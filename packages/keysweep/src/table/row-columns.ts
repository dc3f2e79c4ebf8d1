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
  /** Decides the order of strings. Default: as `Array.prototype.sort()` orders them. */
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
  const properties: Record<string, unknown> = { ...given };
  const other = Object.keys(properties).find((property) => !NAMES.includes(property));
  if (other !== undefined) {
    throw new TypeError(`${name} has '${other}', but a key has only ${NAMES.join(', ')}`);
  }
  const { key, ...options } = properties;
  if (typeof key !== 'string' && typeof key !== 'function') {
    throw new TypeError(
      `${name}.key must be the name of a property or a function of a row, got ${describe(key)}`,
    );
  }
  // Their values are checked with the column. What is undefined is not there.
  const said = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...checkKey<T>(`${name}.key`, key), options: Object.fromEntries(said) };
}

/** What has been read of a column. */
interface Reading {
  /** The kind of its values; undefined as long as all are nulls. */
  kind: Kind | undefined;
  /** The row of the first value. */
  first: number;
  /** The value of each row: the time of a date, 0 or '' for a null. */
  values: Float64Array | Uint8Array | unknown[];
  /** A bit for each row that has a value; undefined as long as all have. */
  valid: Uint8Array | undefined;
  /** A value that is not like those before it. */
  next: unknown;
}

/** A column of what a key reads. */
function* columnOf<T>(rows: readonly T[], key: Key<T>): Generator<undefined, Column> {
  const { length } = rows;
  const { collator, ...options } = key.options;
  const values = new Float64Array(0);
  const reading: Reading = {
    kind: undefined,
    first: -1,
    values,
    valid: undefined,
    next: undefined,
  };
  for (const [from, to] of slicesOf(length, SLICE)) {
    for (let row = from; row < to; row++) {
      row = readAlike(rows, key, reading, row, to);
      if (row < to) takeNext(reading, row, length, key.name);
    }
    yield;
  }
  const { kind, valid } = reading;
  const keys = yield* keysOf(reading, length, key.name);
  const isPlain = valid === undefined && Object.keys(options).length === 0;
  // Keys without a description take no time to be made into words.
  if (isPlain && kind === 'number') return keys as Float64Array;
  return {
    keys,
    ...(valid && { valid }),
    ...options,
    ...(kind === 'string' && collator !== undefined && { collator }),
  };
}

/** The keys of what was read. Those of nulls do not count. */
function* keysOf(
  { kind, values }: Reading,
  length: number,
  name: string,
): Generator<undefined, ColumnOptions['keys']> {
  if (kind === undefined) return new Uint8Array(length);
  if (kind === 'bigint') return yield* bigintsOf(values as unknown[], name);
  return values as Float64Array | Uint8Array | string[];
}

// Engines run a loop in a function of its own several times as fast as one in a generator.

/** Reads rows as long as their values are like those before. Returns the row of another value. */
function readAlike<T>(
  rows: readonly T[],
  key: Key<T>,
  reading: Reading,
  from: number,
  to: number,
): number {
  const { kind, values } = reading;
  if (kind === 'Date') return readDates(rows, key, reading, from, to);
  for (let row = from; row < to; row++) {
    const value = valueIn(rows, row, key);
    if (typeof value !== kind) {
      reading.next = value;
      return row;
    }
    values[row] = value;
  }
  return to;
}

function readDates<T>(
  rows: readonly T[],
  key: Key<T>,
  reading: Reading,
  from: number,
  to: number,
): number {
  const times = reading.values;
  for (let row = from; row < to; row++) {
    const value = valueIn(rows, row, key);
    if (!(value instanceof Date) || !isDate(value)) {
      reading.next = value;
      return row;
    }
    times[row] = timeOf(value);
  }
  return to;
}

/** The time of a date, whatever its class makes of `getTime`. */
const timeOf = (date: Date): number => Date.prototype.getTime.call(date);

/** Takes the next value, of `row`: the first one, or a null. @throws TypeError for any other. */
function takeNext(reading: Reading, row: number, length: number, name: string): void {
  const value = reading.next;
  if (value === null || value === undefined) {
    reading.valid ??= new Uint8Array(Math.ceil(length / 8)).fill(255);
    const byte = reading.valid[row >> 3] as number;
    reading.valid[row >> 3] = byte & ~(1 << (row & 7));
    if (reading.kind === 'string') reading.values[row] = '';
    return;
  }
  const kind = kindOf(value, row, name);
  if (reading.kind === undefined) {
    reading.kind = kind;
    reading.first = row;
    reading.values = roomFor(kind, length);
    if (kind === 'string') (reading.values as unknown[]).fill('', 0, row);
  } else if (reading.kind !== kind) {
    throw new TypeError(
      `a column has values of one kind, but rows[${row}]${name} is a ${kind}, and ` +
        `rows[${reading.first}]${name} is a ${reading.kind}`,
    );
  }
  reading.values[row] = kind === 'Date' ? timeOf(value as Date) : value;
}

function roomFor(kind: Kind, length: number): Reading['values'] {
  if (kind === 'boolean') return new Uint8Array(length);
  return kind === 'number' || kind === 'Date' ? new Float64Array(length) : new Array(length);
}

function valueIn<T>(rows: readonly T[], row: number, { property, read }: Key<T>): unknown {
  const object = rows[row] as T;
  if (property === undefined) return read(object);
  if (object === null || object === undefined) {
    throw new TypeError(`rows[${row}] is ${object}, which has no properties`);
  }
  return (object as Record<string, unknown>)[property];
}

type Kind = 'number' | 'bigint' | 'string' | 'boolean' | 'Date';

const KINDS = ['number', 'bigint', 'string', 'boolean'];

/** The kind of a value that is no null. @throws TypeError for a value of no kind. */
function kindOf(value: unknown, row: number, name: string): Kind {
  const kind = typeof value;
  if (KINDS.includes(kind)) return kind as Kind;
  if (isDate(value)) return 'Date';
  throw new TypeError(
    `rows[${row}]${name} must be a number, bigint, string, boolean, Date, null or undefined, got ` +
      describe(value),
  );
}

/** Dates of other realms, too. An object that only says that it is a date has no time. */
function isDate(value: unknown): boolean {
  try {
    timeOf(value as Date);
    return true;
  } catch {
    return false;
  }
}

const isNull = (value: unknown): boolean => value === null || value === undefined;

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
  for (const [from, to] of slicesOf(length, SLICE)) {
    for (let row = from; row < to; row++) if (!isNull(values[row])) keys[row] = at(row);
    yield;
  }
  return keys;
}
