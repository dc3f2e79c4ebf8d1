/** Rows of a column in another order. */

import { FileError } from '../error.js';
import {
  bitmapBytes,
  type FixedValues,
  isValid,
  type Stored,
  type Values,
  type VariableValues,
} from './column.js';

/** The rows `order` of `column`, copied; a dictionary is shared. @throws FileError over 4 GiB */
export function takeRows(column: Stored, order: Uint32Array): Stored {
  const { values, valid } = column;
  return {
    rows: order.length,
    values: takeValues(values, order),
    valid: takeBits(valid, order),
  };
}

function takeValues(values: Values, order: Uint32Array): Values {
  switch (values.kind) {
    case 'fixed':
      return { ...values, bytes: takeRecords(values.bytes, values.width, order) };
    case 'variable':
      return takeVariable(values, order);
    case 'dictionary':
      return { ...values, places: takeValues(values.places, order) as FixedValues };
  }
}

/**
 * The records `order` of `bytes`, each of `width` bytes, one after the other in new memory.
 * Records of whole words, in memory that begins at one, are copied word by word.
 * @throws FileError where there is not enough memory
 */
export function takeRecords(
  bytes: Uint8Array<ArrayBuffer>,
  width: number,
  order: Uint32Array,
): Uint8Array<ArrayBuffer> {
  const out = allocateBytes(order.length * width);
  const unit = [4, 2, 1].find((size) => width % size === 0 && bytes.byteOffset % size === 0) ?? 1;
  const ArrayClass = { 4: Uint32Array, 2: Uint16Array, 1: Uint8Array }[unit as 1 | 2 | 4];
  const from = new ArrayClass(bytes.buffer, bytes.byteOffset, bytes.length / unit);
  const to = new ArrayClass(out.buffer, 0, out.length / unit);
  const units = width / unit;
  if (units === 1) {
    for (let i = 0; i < order.length; i++) to[i] = from[order[i] as number] as number;
    return out;
  }
  if (units === 2) {
    for (let i = 0, next = 0; i < order.length; i++) {
      const at = 2 * (order[i] as number);
      to[next++] = from[at] as number;
      to[next++] = from[at + 1] as number;
    }
    return out;
  }
  const step = Math.max(1, LINE / unit);
  for (let first = 0; first < order.length; first += BLOCK) {
    const last = Math.min(first + BLOCK, order.length);
    // One load from each line, which do not depend on one another: the processor waits for all of
    // them at once, and the copies below find their lines. That is three times as fast.
    let seen = 0;
    for (let i = first; i < last; i++) {
      const start = (order[i] as number) * units;
      const end = start + Math.min(units, AHEAD / unit);
      for (let at = start; at < end; at += step) seen ^= from[at] as number;
      seen ^= from[start + units - 1] as number;
    }
    lastSeen = seen;
    for (let i = first, next = first * units; i < last; i++) {
      let at = (order[i] as number) * units;
      for (const end = next + units; next < end; ) to[next++] = from[at++] as number;
    }
  }
  return out;
}

/** Records that are looked up together. */
const BLOCK = 64;
/** Bytes of a line of the processor's cache, and of a record that is looked up ahead. */
const LINE = 64;
const AHEAD = 512;
/** @public Loads whose value is not kept would be left out. */
export let lastSeen = 0;

function takeVariable({ offsets, bytes }: VariableValues, order: Uint32Array): VariableValues {
  const starts = new Uint32Array(order.length);
  const ends = new Uint32Array(order.length + 1);
  let size = 0;
  for (let i = 0; i < order.length; i++) {
    const row = order[i] as number;
    const start = offsets[row] as number;
    size += (offsets[row + 1] as number) - start;
    starts[i] = start;
    ends[i + 1] = size;
  }
  assertOffset(size);
  const out = allocateBytes(size);
  for (let first = 0; first < order.length; first += BLOCK) {
    const last = Math.min(first + BLOCK, order.length);
    let seen = 0;
    for (let i = first; i < last; i++) seen ^= bytes[starts[i] as number] as number;
    lastSeen = seen;
    for (let i = first; i < last; i++) {
      const at = ends[i] as number;
      const start = starts[i] as number;
      copyBytes(bytes, start, start + (ends[i + 1] as number) - at, out, at);
    }
  }
  return { kind: 'variable', offsets: ends, bytes: out };
}

/** Below so many bytes a loop is quicker than a call. */
const SHORT = 32;

/** Copies the bytes from `start` up to `end` to `at`, and returns where the copy ends. */
export function copyBytes(
  from: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
  at: number,
): number {
  if (end - start >= SHORT) to.set(from.subarray(start, end), at);
  else for (let i = start, j = at; i < end; ) to[j++] = from[i++] as number;
  return at + end - start;
}

/** @throws FileError where text is longer than its offsets can say */
export function assertOffset(size: number): void {
  if (size < 2 ** 32) return;
  throw new FileError(`a column has ${size} bytes of text, and 4 GiB is the most that is held`);
}

/** The bits of the rows `order`; undefined where all rows have a value. */
export function takeBits(
  valid: Uint8Array | undefined,
  order: Uint32Array,
): Uint8Array<ArrayBuffer> | undefined {
  if (valid === undefined) return undefined;
  const out = new Uint8Array(bitmapBytes(order.length));
  for (let i = 0; i < order.length; i++) {
    if (isValid(valid, order[i] as number)) (out[i >> 3] as number) |= 1 << (i & 7);
  }
  return out;
}

/**
 * Zeros, which other threads can see if they are `shared`. Nothing here asks which of the two a
 * buffer is, so its type does not say it.
 * @throws FileError where there is not enough memory
 */
export function allocateBytes(size: number, shared = false): Uint8Array<ArrayBuffer> {
  try {
    if (!shared) return new Uint8Array(size);
    return new Uint8Array(new SharedArrayBuffer(size) as unknown as ArrayBuffer);
  } catch (cause) {
    throw new FileError(`not enough memory for ${size} bytes of rows`, { cause });
  }
}

/** A dictionary's values, row by row. */
export function withoutDictionary(stored: Stored): Stored {
  const { rows, values, valid } = stored;
  if (values.kind !== 'dictionary') return stored;
  const places = placesOf(values);
  const { entries } = values;
  const order = new Uint32Array(rows);
  const bits = new Uint8Array(bitmapBytes(rows));
  for (let row = 0; row < rows; row++) {
    if (!isValid(valid, row)) continue;
    const place = Number(places[row]);
    if (!(place >= 0 && place < entries.rows)) {
      throw new FileError(`row ${row} names entry ${place} of a dictionary of ${entries.rows}`);
    }
    order[row] = place;
    if (isValid(entries.valid, place)) (bits[row >> 3] as number) |= 1 << (row & 7);
  }
  // Null rows take whatever is first; an empty dictionary gets one entry of no bytes for them.
  const filled =
    entries.rows > 0 || rows === 0 ? entries : { ...entries, values: emptyEntry(entries) };
  return { rows, values: takeValues(filled.values, order), valid: bits };
}

function emptyEntry({ values }: Stored): Values {
  if (values.kind === 'variable') return { ...values, offsets: new Uint32Array(2) };
  if (values.kind === 'fixed') return { ...values, bytes: new Uint8Array(values.width) };
  throw new FileError('a dictionary has another dictionary within it');
}

/** The places in a dictionary as numbers. */
export function placesOf({
  places,
  arePlacesSigned,
}: {
  places: FixedValues;
  arePlacesSigned: boolean;
}): ArrayLike<number | bigint> {
  const { bytes, width } = places;
  const classes = arePlacesSigned
    ? { 1: Int8Array, 2: Int16Array, 4: Int32Array, 8: BigInt64Array }
    : { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array };
  const ArrayClass = classes[width as 1 | 2 | 4 | 8];
  return new ArrayClass(bytes.buffer, bytes.byteOffset, bytes.length / width);
}
