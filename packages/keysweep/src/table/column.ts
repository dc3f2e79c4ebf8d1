/** The columns of a table: how a caller describes them, and the form they have once checked. */

import { describe, type KeyArray, type KeyType, keyTypeOf, type Order } from '@keysweep/core';
import { checkArray } from '../call/check.js';
import { isPrepared, type PreparedColumn, ranksOfPrepared } from './prepared.js';
import { newOffsets, type Text, unitsText } from './text.js';

/**
 * A column of strings: JavaScript's, in the order of `Array.prototype.sort()`, or UTF-8 as Apache
 * Arrow keeps it (Utf8, LargeUtf8), in the order of its bytes. In the second form, row i has the
 * bytes from `offsets[i]` up to `offsets[i + 1]`, so there is one offset more than there are rows.
 */
export type StringColumn =
  | readonly string[]
  | {
      readonly offsets: Int32Array | Uint32Array | BigInt64Array;
      readonly bytes: Uint8Array;
    };

/** A column of values of `width` bytes each, without gaps, in the order of their bytes. */
export interface BinaryColumn {
  /** Bytes of a value, 1 or more. */
  readonly width: number;
  /** All values: `width` bytes a row. */
  readonly bytes: Uint8Array;
}

/** A column with an order of its own. */
export interface ColumnOptions {
  /** One key, string or value for each row. */
  readonly keys: KeyArray | StringColumn | BinaryColumn | PreparedColumn;
  /** The order of this column. Default: the call's `order`. */
  readonly order?: Order | undefined;
  /** Where rows without a value go, whatever the order. They tie. Default 'last'. */
  readonly nulls?: 'first' | 'last' | undefined;
  /**
   * Which rows have a value, as Apache Arrow keeps it: bit i & 7 of byte i >> 3, counted from the
   * lowest, is 1 if row i has one. By default all rows have one.
   */
  readonly valid?: Uint8Array | undefined;
  /** The bit of `valid` that belongs to the first row. Default 0. */
  readonly validOffset?: number | undefined;
  /** Where NaNs go. Default: 'last' in ascending order, 'first' in descending order. */
  readonly nans?: 'first' | 'last' | undefined;
  /** 'equal' lets −0 and +0 tie, as a comparator does. Default 'ordered': −0 before +0. */
  readonly zeros?: 'ordered' | 'equal' | undefined;
  /** 'f16' takes the numbers of a Uint16Array for the bits of half floats. */
  readonly as?: 'f16' | undefined;
  /**
   * Orders a `string[]` exactly as its `compare` does; strings for which it returns 0 tie. Whether
   * "10" comes after "9", and whether case and accents count, is up to the collator.
   */
  readonly collator?: Intl.Collator | undefined;
}

/** A column of `argsort`: keys in the order of the call, or with an order of their own. */
export type Column = KeyArray | ColumnOptions | PreparedColumn;

/** A column that has been checked. It has either numbers, or text, or strings not yet read. */
export interface CheckedColumn {
  readonly length: number;
  readonly numbers: { readonly keys: KeyArray; readonly keyType: KeyType } | undefined;
  readonly text: Text | undefined;
  readonly strings: readonly string[] | undefined;
  readonly collator: Intl.Collator | undefined;
  readonly order: Order;
  readonly nulls: 'first' | 'last';
  /** undefined if it makes no difference. */
  readonly nans: 'first' | 'last' | undefined;
  readonly zeros: 'ordered' | 'equal';
  readonly valid: Uint8Array | undefined;
  readonly validOffset: number;
  /** Whether the numbers are the ranks of a prepared column, and each row has one of its own. */
  readonly areRanksApart: boolean;
  /** What the caller said of the order and of NaNs. */
  readonly asked: {
    readonly order: Order | undefined;
    readonly nans: 'first' | 'last' | undefined;
  };
}

const NAMES = {
  column: ['keys', 'order', 'nulls', 'valid', 'validOffset', 'nans', 'zeros', 'as', 'collator'],
  prepared: ['keys', 'order', 'nulls'],
  strings: ['offsets', 'bytes'],
  binary: ['width', 'bytes'],
} as const;

const ORDERS = ['ascending', 'descending'] as const;
const ENDS = ['first', 'last'] as const;

const TAKES = 'a typed array, strings (string[] or { offsets, bytes }) or { width, bytes }';

/**
 * Checks the columns of a table: one, or a list of them, which must not change any more. O(rows)
 * for strings, and 8 bytes each for a copy of offsets.
 * @throws TypeError, RangeError: see `argsort`.
 */
export function checkDescribedColumns(given: unknown, order: Order): readonly CheckedColumn[] {
  const isList = Array.isArray(given);
  const columns = (isList ? given : [given]).map((column, i) =>
    checkColumn(isList ? `keys[${i}]` : 'keys', column, order),
  );
  const [first] = columns;
  const other = columns.findIndex(({ length }) => length !== first?.length);
  if (other > 0) {
    throw new RangeError(
      `all columns must be of one length, but keys[0] has ${first?.length} rows ` +
        `and keys[${other}] has ${columns[other]?.length}`,
    );
  }
  return columns;
}

/** A column whose values say all. */
export const PLAIN_COLUMN = {
  numbers: undefined,
  text: undefined,
  strings: undefined,
  collator: undefined,
  order: 'ascending',
  nulls: 'last',
  nans: undefined,
  zeros: 'ordered',
  valid: undefined,
  validOffset: 0,
  areRanksApart: false,
  asked: { order: undefined, nans: undefined },
} as const;

/** The prepared column that is given, bare or as the keys of a description. */
export function preparedIn(name: string, given: unknown): PreparedColumn | undefined {
  if (isPrepared(given)) return given;
  const described = given as { readonly keys?: unknown } | null;
  if (typeof given !== 'object' || !isPrepared(described?.keys)) return undefined;
  const own = readNames(name, given as Given, NAMES.prepared, 'a description of a prepared column');
  const { keys, order, nulls } = own as { keys: PreparedColumn } & Given;
  return {
    ...keys,
    order: checkChoice(`${name}.order`, order, ORDERS, keys.order),
    nulls: checkChoice(`${name}.nulls`, nulls, ENDS, keys.nulls),
  };
}

function checkColumn(name: string, given: unknown, order: Order): CheckedColumn {
  const prepared = keyTypeOf(given) === undefined ? preparedIn(name, given) : undefined;
  if (prepared !== undefined) {
    const own = { order: prepared.order ?? order, nulls: prepared.nulls };
    const ranks = ranksOfPrepared(name, prepared, own);
    return { ...PLAIN_COLUMN, length: prepared.length, ...ranks };
  }
  const own: Given =
    keyTypeOf(given) === undefined
      ? readNames(name, asObject(name, given), NAMES.column, 'a column')
      : { keys: given };
  const within = own.keys === given ? name : `${name}.keys`;
  const { numbers, text, strings, length } = checkValues(within, own);
  const valid = checkValid(name, own, length);
  if (text !== undefined && valid.valid !== undefined) {
    for (let row = 0; row < length; row++) if (!isValid(valid, row)) text.clear(row);
  }
  const isFloat = numbers?.keyType.startsWith('f') === true;
  const asked = {
    order: checkChoice(`${name}.order`, own.order, ORDERS, undefined),
    nulls: checkChoice(`${name}.nulls`, own.nulls, ENDS, 'last'),
    nans: checkChoice(`${name}.nans`, own.nans, ENDS, undefined),
    zeros: checkChoice(`${name}.zeros`, own.zeros, ['ordered', 'equal'], 'ordered'),
  };
  const ownOrder = asked.order ?? order;
  const usual = ownOrder === 'ascending' ? 'last' : 'first';
  return {
    length,
    numbers,
    text,
    strings,
    collator: checkCollator(name, own),
    order: ownOrder,
    nulls: asked.nulls,
    nans: isFloat && asked.nans !== usual ? asked.nans : undefined,
    zeros: isFloat ? asked.zeros : 'ordered',
    ...valid,
    areRanksApart: false,
    asked: { order: asked.order, nans: isFloat ? asked.nans : undefined },
  };
}

type Given = Readonly<Record<string, unknown>>;

function asObject(name: string, given: unknown): Given {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Given;
  const hint = Array.isArray(given) ? ': { keys: [\u2026] } for strings' : '';
  throw new TypeError(
    `${name} must be a typed array or a column { keys, \u2026 }, got ${describe(given)}${hint}`,
  );
}

/** The own properties of a description, each read once. */
function readNames(name: string, given: Given, names: readonly string[], what: string): Given {
  const own: Given = { __proto__: null, ...given };
  const other = Object.keys(own).find((key) => !names.includes(key));
  if (other === undefined) return own;
  throw new TypeError(`${name} has '${other}', but ${what} has only ${names.join(', ')}`);
}

/** One of the choices, or `byDefault` if none is given. @throws TypeError for anything else. */
export function checkChoice<T extends string, D extends T | undefined>(
  name: string,
  given: unknown,
  choices: readonly T[],
  byDefault: D,
): T | D {
  if (given === undefined) return byDefault;
  if (choices.includes(given as T)) return given as T;
  const words = choices.map((choice) => `'${choice}'`).join(' or ');
  throw new TypeError(`${name} must be ${words}, got ${describe(given)}`);
}

function checkValues(
  name: string,
  { keys, as }: Given,
): Pick<CheckedColumn, 'numbers' | 'text' | 'strings' | 'length'> {
  const keyType = keyTypeOf(keys);
  if (as !== undefined && as !== 'f16') {
    throw new TypeError(`as of ${name} must be 'f16', got ${describe(as)}`);
  }
  if (as !== undefined && keyType !== 'u16') {
    throw new TypeError(
      `${name} with as: 'f16' must be a Uint16Array of half floats, got ${describe(keys)}`,
    );
  }
  if (keyType !== undefined) {
    const array = checkArray(name, keys);
    const numbers = { keys: array, keyType: as === 'f16' ? ('f16' as const) : keyType };
    return { numbers, text: undefined, strings: undefined, length: array.length };
  }
  const strings = Array.isArray(keys) ? checkStrings(name, keys) : undefined;
  const text = strings === undefined ? checkBytes(name, keys) : undefined;
  return { numbers: undefined, text, strings, length: (strings ?? (text as Text)).length };
}

/** The collator of a column of strings. Only a real one has options. */
function checkCollator(name: string, { collator, keys }: Given): Intl.Collator | undefined {
  if (collator === undefined) return undefined;
  if (!Array.isArray(keys)) {
    throw new TypeError(
      `${name}.collator is for a string[], but the keys of this column are ${describe(keys)}`,
    );
  }
  try {
    Intl.Collator.prototype.resolvedOptions.call(collator);
  } catch {
    throw new TypeError(`${name}.collator must be an Intl.Collator, got ${describe(collator)}`);
  }
  return collator as Intl.Collator;
}

function checkStrings(name: string, strings: readonly unknown[]): readonly string[] {
  for (let i = 0; i < strings.length; i++) {
    if (typeof strings[i] === 'string') continue;
    throw new TypeError(
      `${name} must hold strings only, but element ${i} is ${describe(strings[i])}; rows ` +
        'without a value take an empty string, and valid says which they are',
    );
  }
  return strings as readonly string[];
}

function checkBytes(name: string, given: unknown): Text {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`${name} must be ${TAKES}, got ${describe(given)}`);
  }
  const isBinary = Object.hasOwn(given, 'width');
  if (!isBinary && !Object.hasOwn(given, 'offsets')) {
    throw new TypeError(`${name} must be ${TAKES}, got ${describe(given)}`);
  }
  const what = isBinary ? 'a binary column' : 'a string column';
  const names = isBinary ? NAMES.binary : NAMES.strings;
  const own = readNames(name, given as Given, names, what);
  if (keyTypeOf(own.bytes) !== 'u8') {
    throw new TypeError(`${name}.bytes must be a Uint8Array, got ${describe(own.bytes)}`);
  }
  const bytes = checkArray(`${name}.bytes`, own.bytes) as Uint8Array;
  return isBinary ? checkBinary(name, own.width, bytes) : checkOffsets(name, own.offsets, bytes);
}

function checkBinary(name: string, width: unknown, bytes: Uint8Array): Text {
  if (typeof width !== 'number') {
    throw new TypeError(`${name}.width must be a number of bytes, got ${describe(width)}`);
  }
  if (!Number.isSafeInteger(width) || width < 1) {
    throw new RangeError(`${name}.width must be a whole number of bytes from 1 on, got ${width}`);
  }
  const rows = bytes.length / width;
  if (!Number.isInteger(rows)) {
    throw new RangeError(
      `${name}.bytes must be a multiple of width ${width} long, it has ${bytes.length} bytes`,
    );
  }
  const starts = newOffsets(bytes.length, rows);
  const ends = newOffsets(bytes.length, rows);
  for (let row = 0; row < rows; row++) {
    starts[row] = row * width;
    ends[row] = (row + 1) * width;
  }
  return unitsText(bytes, starts, ends);
}

function checkOffsets(name: string, given: unknown, bytes: Uint8Array): Text {
  const keyType = keyTypeOf(given);
  if (keyType !== 'i32' && keyType !== 'u32' && keyType !== 'i64') {
    throw new TypeError(
      `${name}.offsets must be an Int32Array, Uint32Array or BigInt64Array, got ${describe(given)}`,
    );
  }
  const offsets: ArrayLike<number | bigint> = checkArray(`${name}.offsets`, given);
  const rows = offsets.length - 1;
  if (rows < 0) {
    throw new RangeError(`${name}.offsets must have one offset more than rows, it has none`);
  }
  const starts = newOffsets(bytes.length, rows);
  const ends = newOffsets(bytes.length, rows);
  for (let i = 0, before = 0; i <= rows; i++) {
    const offset = Number(offsets[i]);
    if (offset < before || offset > bytes.length) {
      throw new RangeError(
        `${name}.offsets must not descend, and lie from 0 to the ${bytes.length} bytes: ` +
          `offset ${i} is ${offset}${i === 0 ? '' : ` after ${before}`}`,
      );
    }
    starts[i] = offset;
    ends[i - 1] = offset;
    before = offset;
  }
  return unitsText(bytes, starts, ends);
}

/** Whether a row has a value. */
export function isValid(
  { valid, validOffset }: Pick<CheckedColumn, 'valid' | 'validOffset'>,
  row: number,
): boolean {
  // Bits of long bitmaps need more than 32 bits for their number.
  const bit = validOffset + row;
  return valid === undefined || ((valid[Math.floor(bit / 8)] as number) >> (bit % 8)) % 2 === 1;
}

function checkValid(
  name: string,
  { valid, validOffset }: Given,
  rows: number,
): Pick<CheckedColumn, 'valid' | 'validOffset'> {
  const offset = validOffset ?? 0;
  if (typeof offset !== 'number') {
    throw new TypeError(`${name}.validOffset must be a number of bits, got ${describe(offset)}`);
  }
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new RangeError(`${name}.validOffset must be a whole number, 0 or more, got ${offset}`);
  }
  if (valid === undefined) return { valid: undefined, validOffset: 0 };
  if (keyTypeOf(valid) !== 'u8') {
    throw new TypeError(`${name}.valid must be a Uint8Array of bits, got ${describe(valid)}`);
  }
  const bitmap = checkArray(`${name}.valid`, valid) as Uint8Array;
  const bits = 8 * bitmap.length;
  if (bits < offset + rows) {
    throw new RangeError(
      `${name}.valid must have a bit for each of ${rows} rows from bit ${offset} on, ` +
        `it has ${bits}`,
    );
  }
  return { valid: bitmap, validOffset: offset };
}

/** The rows of a table that are ordered: all, or those with these numbers. */
export interface RowSelection {
  readonly count: number;
  readonly indices: Uint32Array | undefined;
}
