/** The distinct values of a column, or of a part of it, where they are few. */

import type { Account } from '../memory.js';
import { type FixedValues, isValid, type Stored, type VariableValues } from '../stored/column.js';
import { allocateBytes, copyBytes, placesOf, takeRows } from '../stored/take.js';

/**
 * How many entries are compared with one value. Random values look at 65 at most where there are
 * 2^18, but somebody may have made values that all look for one place.
 */
const ENTRY_LOOKS = 128;

/** Distinct values, numbered in the order in which they come. */
export class Entries {
  count = 0;
  /** Counts what is taken. */
  readonly #memory: Account | undefined;
  /** A hash table; each slot holds an entry's number plus 1. At most half of it is used. */
  #slots = new Uint32Array(2 ** 9);
  #offsets = new Uint32Array(2 ** 8 + 1);
  #bytes = new Uint8Array(2 ** 12);

  constructor(memory?: Account) {
    this.#memory = memory;
    memory?.take(this.#room);
  }

  /**
   * The number of the value that has the bytes from `start` up to `end`; undefined if too many
   * other values are where it is looked for.
   */
  numberOf(bytes: Uint8Array, start: number, end: number): number | undefined {
    const mask = this.#slots.length - 1;
    let slot = hashOf(bytes, start, end) & mask;
    let looks = 0;
    for (let entry = this.#slots[slot] as number; entry !== 0; ) {
      if (this.#isSame(entry - 1, bytes, start, end)) return entry - 1;
      if (++looks === ENTRY_LOOKS) return undefined;
      slot = (slot + 1) & mask;
      entry = this.#slots[slot] as number;
    }
    this.#slots[slot] = this.count + 1;
    this.#append(bytes, start, end);
    return this.count++;
  }

  /** The values of one width, one after the other. */
  fixed(width: number): FixedValues {
    return { kind: 'fixed', width, bytes: this.#bytes.slice(0, this.count * width) };
  }

  /** The values of any length, in memory that other threads see if it is `shared`. */
  variable(shared = false): VariableValues {
    const offsets = new Uint32Array(allocateBytes(4 * (this.count + 1), shared).buffer);
    offsets.set(this.#offsets.subarray(0, this.count + 1));
    const size = offsets[this.count] as number;
    this.#memory?.take(offsets.byteLength + size);
    const bytes = allocateBytes(size, shared);
    bytes.set(this.#bytes.subarray(0, size));
    return { kind: 'variable', offsets, bytes };
  }

  /** Lets go of all entries. */
  end(): void {
    this.#memory?.give(this.#room);
  }

  get #room(): number {
    return this.#slots.byteLength + this.#offsets.byteLength + this.#bytes.length;
  }

  #isSame(entry: number, bytes: Uint8Array, start: number, end: number): boolean {
    const first = this.#offsets[entry] as number;
    const length = end - start;
    if ((this.#offsets[entry + 1] as number) - first !== length) return false;
    const own = this.#bytes;
    for (let i = 0; i < length; i++) if (own[first + i] !== bytes[start + i]) return false;
    return true;
  }

  #append(bytes: Uint8Array, start: number, end: number): void {
    const at = this.#offsets[this.count] as number;
    if (at + end - start > this.#bytes.length) {
      this.#bytes = this.#wider(this.#bytes, Math.max(2 * this.#bytes.length, at + end - start));
    }
    copyBytes(bytes, start, end, this.#bytes, at);
    if (this.count + 2 > this.#offsets.length) {
      this.#offsets = this.#wider(this.#offsets, 2 * this.#offsets.length);
    }
    this.#offsets[this.count + 1] = at + end - start;
    if (2 * (this.count + 1) > this.#slots.length) this.#rehash();
  }

  /** A copy with room for `length` numbers. */
  #wider<T extends Uint8Array | Uint32Array>(array: T, length: number): T {
    const { BYTES_PER_ELEMENT: size } = array;
    this.#memory?.take(length * size);
    const wider = new (array.constructor as new (length: number) => T)(length);
    wider.set(array);
    this.#memory?.give(array.byteLength);
    return wider;
  }

  /** Takes twice the slots. */
  #rehash(): void {
    const slots = this.#wider(this.#slots, 2 * this.#slots.length).fill(0);
    for (let entry = 0; entry <= this.count; entry++) {
      const [start, end] = [this.#offsets[entry] as number, this.#offsets[entry + 1] as number];
      let slot = hashOf(this.#bytes, start, end) & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = entry + 1;
    }
    this.#slots = slots;
  }
}

/** FNV-1a of 32 bits, mixed, so that its low bits depend on all bytes. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return hash ^ (hash >>> 15);
}

/** The entries that are written, and the place among them of every value. */
export interface Dictionary {
  readonly entries: FixedValues | VariableValues;
  readonly count: number;
  readonly places: Uint32Array;
}

/** Most entries that are written: places then take at most 14 bits. */
const MOST = 2 ** 14;
/** After so many values it is seen whether nearly all are distinct, as in columns of numbers. */
const SEEN = 2 ** 12;
const NEARLY_ALL = 0.95 * SEEN;
/** Longer text is not looked up. */
const LONGEST = 64;

/**
 * The dictionary of `values`, or undefined where it would hardly shorten them: where there are over
 * 16,384 distinct values, or more than a quarter of them is distinct, or nearly all of the first.
 */
export function dictionaryOf(values: FixedValues | VariableValues): Dictionary | undefined {
  const isFixed = values.kind === 'fixed';
  const rows = isFixed ? values.bytes.length / values.width : values.offsets.length - 1;
  const most = Math.min(MOST, rows >> 2);
  const { bytes } = values;
  if (isFixed && (values.width === 4 || values.width === 8) && bytes.byteOffset % 4 === 0) {
    return dictionaryOfWords(values, rows, most);
  }
  const places = new Uint32Array(rows);
  const entries = new Entries();
  for (let row = 0; row < rows; row++) {
    const start = isFixed ? row * values.width : (values.offsets[row] as number);
    const end = isFixed ? start + values.width : (values.offsets[row + 1] as number);
    if (end - start > LONGEST) return undefined;
    const number = entries.numberOf(bytes, start, end);
    if (number === undefined || entries.count > most) return undefined;
    places[row] = number;
    if (row === SEEN - 1 && entries.count > NEARLY_ALL) return undefined;
  }
  const { count } = entries;
  if (count === 0) return undefined;
  return { entries: isFixed ? entries.fixed(values.width) : entries.variable(), count, places };
}

/** Places of the table that finds words, a power of two. */
const SLOT_BITS = 15;
/** How many entries are compared with one value, for the same reason as `ENTRY_LOOKS`. */
const WORD_LOOKS = 64;

/** A dictionary of values of one or two words, compared as numbers because that is quicker. */
function dictionaryOfWords(
  { bytes, width }: FixedValues,
  rows: number,
  most: number,
): Dictionary | undefined {
  const isWide = width === 8;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const places = new Uint32Array(rows);
  /** The number of an entry, plus 1, or 0 where there is none. */
  const slots = new Uint16Array(2 ** SLOT_BITS);
  const [lows, highs] = [new Uint32Array(most), new Uint32Array(most)];
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const low = words[isWide ? 2 * row : row] as number;
    const high = isWide ? (words[2 * row + 1] as number) : 0;
    let slot = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> (32 - SLOT_BITS);
    let entry = slots[slot] as number;
    for (let looks = 0; entry !== 0; looks++) {
      if (lows[entry - 1] === low && highs[entry - 1] === high) break;
      if (looks === WORD_LOOKS) return undefined;
      slot = (slot + 1) & (slots.length - 1);
      entry = slots[slot] as number;
    }
    if (entry === 0) {
      if (count === most) return undefined;
      [lows[count], highs[count]] = [low, high];
      entry = ++count;
      slots[slot] = entry;
    }
    places[row] = entry - 1;
    if (row === SEEN - 1 && count > NEARLY_ALL) return undefined;
  }
  if (count === 0) return undefined;
  const entries = new Uint32Array((count * width) / 4);
  for (let i = 0; i < count; i++) {
    entries[isWide ? 2 * i : i] = lows[i] as number;
    if (isWide) entries[2 * i + 1] = highs[i] as number;
  }
  const plain = new Uint8Array(entries.buffer);
  return { entries: { kind: 'fixed', width, bytes: plain }, count, places };
}

/** With more entries it takes longer to find those that are used than to look at the values. */
const MAX_KNOWN = 2 ** 20;

/**
 * The same of rows that have a dictionary already: those of its entries that a row has. Undefined
 * where a plain page is shorter, too, and where entries may be null or have no number of their own.
 */
export function usedEntries({ rows, values, valid }: Stored): Dictionary | undefined {
  if (values.kind !== 'dictionary') return undefined;
  const { entries, places: from } = values;
  const isPlain = entries.valid === undefined && entries.values.kind !== 'dictionary';
  if (!isPlain || from.width === 8 || entries.rows > MAX_KNOWN) return undefined;
  const most = Math.min(MOST, rows >> 2);
  const given = placesOf(values) as ArrayLike<number>;
  const places = new Uint32Array(rows);
  const used = new Uint32Array(most);
  // The number of each entry that is used, plus 1.
  const numbers = new Uint16Array(entries.rows);
  let count = 0;
  let next = 0;
  for (let row = 0; row < rows; row++) {
    if (!isValid(valid, row)) continue;
    const place = given[row] as number;
    let number = numbers[place];
    if (number === undefined) return undefined;
    if (number === 0) {
      if (count === most) return undefined;
      used[count++] = place;
      number = count;
      numbers[place] = number;
    }
    places[next++] = number - 1;
  }
  if (count === 0) return undefined;
  const { values: taken } = takeRows(entries, used.subarray(0, count));
  return { entries: taken as Dictionary['entries'], count, places: places.subarray(0, next) };
}
