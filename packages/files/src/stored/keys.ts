/** What a column is sorted by. */

import type { KeyArray } from '@keysweep/core';
import { FileError } from '../error.js';
import { keyArrayClass } from '../keys.js';
import { bitmapBytes, isValid, type Stored, type StoredColumn } from './column.js';
import { distinctOf } from './distinct.js';
import { placesOf } from './take.js';

/** Keys in the shape in which keysweep's argsort takes a column. */
export interface SortKeys {
  /** A key a row: numbers, texts, or values of a fixed size. */
  readonly keys:
    | KeyArray
    | { readonly offsets: Uint32Array; readonly bytes: Uint8Array }
    | { readonly width: number; readonly bytes: Uint8Array };
  /** Of half floats in a Uint16Array. */
  readonly as?: 'f16';
  /** Bit i of byte i >> 3, the lowest first, is 1 where row i has a value. */
  readonly valid?: Uint8Array;
}

/** Sorts keys, for dictionaries: their entries are sorted once. */
export type Argsort = (column: SortKeys) => Promise<Uint32Array>;

/** Rows from which on text is looked through for values that come again. */
const LONG = 2 ** 15;

/**
 * The keys of `column`: numbers, or bytes for text. They are views of the column where they can be;
 * rows of a dictionary, or of text with few values, take 4 bytes each, wide decimals 16.
 * @throws FileError for a type without an order
 */
export async function sortKeysOf(column: StoredColumn, argsort: Argsort): Promise<SortKeys> {
  const { values, valid, rows } = column;
  const validity = valid === undefined ? {} : { valid };
  if (values.kind === 'variable') {
    // Sorting few values once is far quicker than comparing text row by row.
    const isLong = rows >= LONG && column.type.kind === 'text';
    const dictionary = isLong ? distinctOf(values) : undefined;
    if (dictionary !== undefined) {
      return sortKeysOf({ ...column, values: dictionary }, argsort);
    }
    const { offsets, bytes } = values;
    return { keys: { offsets, bytes }, ...validity };
  }
  if (values.kind === 'fixed') return { ...fixedKeys(column), ...validity };
  const { entries } = values;
  const { ranks, nulls } = await ranksOf(column, entries, argsort);
  const places = placesOf(values);
  const keys = new Uint32Array(rows);
  const bits = new Uint8Array(bitmapBytes(rows));
  let present = 0;
  for (let row = 0; row < rows; row++) {
    if (!isValid(valid, row)) continue;
    const place = Number(places[row]);
    if (!(place >= 0 && place < entries.rows)) {
      throw new FileError(
        `row ${row} of column '${column.name}' names entry ${place} of a dictionary of ` +
          `${entries.rows}`,
      );
    }
    if (nulls[place] === 1) continue;
    keys[row] = ranks[place] as number;
    (bits[row >> 3] as number) |= 1 << (row & 7);
    present++;
  }
  return present === rows ? { keys } : { keys, valid: bits };
}

/** The rank of every entry of a dictionary; equal entries have one rank. */
async function ranksOf(
  column: StoredColumn,
  entries: Stored,
  argsort: Argsort,
): Promise<{ ranks: Uint32Array; nulls: Uint8Array }> {
  const sortKeys = await sortKeysOf({ ...column, ...entries }, argsort);
  const order = await argsort(sortKeys);
  const ranks = new Uint32Array(entries.rows);
  const nulls = new Uint8Array(entries.rows);
  let rank = 0;
  order.forEach((entry, i) => {
    if (i > 0 && !areEqual(entries, order[i - 1] as number, entry)) rank++;
    ranks[entry] = rank;
    nulls[entry] = isValid(entries.valid, entry) ? 0 : 1;
  });
  return { ranks, nulls };
}

/** Whether two rows have the same bytes. */
function areEqual({ values }: Stored, one: number, other: number): boolean {
  if (values.kind === 'dictionary') return false;
  const bytesAt = (row: number): Uint8Array =>
    values.kind === 'fixed'
      ? values.bytes.subarray(row * values.width, (row + 1) * values.width)
      : values.bytes.subarray(values.offsets[row], values.offsets[row + 1]);
  const [a, b] = [bytesAt(one), bytesAt(other)];
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function fixedKeys({ name, type, values }: StoredColumn): Omit<SortKeys, 'valid'> {
  if (values.kind !== 'fixed') throw new Error('only values of one width are numbers');
  const { bytes, width } = values;
  if (type.kind === 'fixed binary') {
    if (type.isOrdered) return { keys: { width, bytes } };
    throw new FileError(`column '${name}' has a type without an order, so it cannot be sorted by`);
  }
  if (width === 16) return { keys: { width, bytes: ordered128(bytes) } };
  const view = (keyType: Parameters<typeof keyArrayClass>[0]): KeyArray =>
    new (keyArrayClass(keyType))(bytes.buffer, bytes.byteOffset, bytes.length / width);
  if (type.kind === 'float') {
    return type.bits === 16 ? { keys: view('u16'), as: 'f16' } : { keys: view(`f${type.bits}`) };
  }
  const isSigned = type.kind === 'integer' ? type.isSigned : type.kind !== 'boolean';
  return { keys: view(`${isSigned ? 'i' : 'u'}${(8 * width) as 8 | 16 | 32 | 64}`) };
}

/** Signed little-endian integers of 16 bytes as bytes whose order is theirs. */
function ordered128(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at += 16) {
    for (let i = 0; i < 16; i++) out[at + i] = bytes[at + 15 - i] as number;
    (out[at] as number) ^= 0x80;
  }
  return out;
}
