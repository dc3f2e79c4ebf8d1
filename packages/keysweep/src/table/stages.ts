/**
 * Stages: the words that a table is sorted by, one after the other. A word has as many fields as
 * fit into 64 bits, and the first units of a text behind them where there is room. Whoever ties in
 * the word of a stage is told apart by the next.
 */

import { slicesOf } from '@keysweep/core';
import type { CheckedColumn } from './column.js';
import { type Field, fieldsOf, ROWS_AT_ONCE, type Rows } from './fields.js';
import type { Text, TextRoom } from './text.js';

/** Bits of a word. */
const WORD = 64;

/** Fewer units of a text in a word are not worth it. */
const MOST_BEFORE_TEXT = 32;

/** Bits of a field: those from `from` on, `bits` of them, at `shift` of the word. */
interface Part {
  readonly field: Field;
  readonly from: number;
  readonly bits: number;
  readonly shift: number;
}

/** One word of every row. */
export interface Stage {
  readonly parts: readonly Part[];
  /** Bits of the word that are used. */
  readonly bits: number;
  /** The text that the word ends with, and that goes on behind it. */
  readonly text: OrderedText | undefined;
}

/** A text and its direction. */
export interface OrderedText {
  readonly text: Text;
  readonly isDescending: boolean;
}

/** Words of rows, as narrow as their bits allow. */
export type Words = Uint16Array | Uint32Array | BigUint64Array;

/** The stages of a table, none where no row can come before another. O(rows) a column. */
export function* stagesOf(
  columns: readonly CheckedColumn[],
  rows: Rows,
  precision: number | undefined,
): Generator<undefined, readonly Stage[]> {
  const stages: Stage[] = [];
  let parts: Omit<Part, 'shift'>[] = [];
  let bits = 0;
  const close = (text?: OrderedText): void => {
    if (bits === 0 && text === undefined) return;
    let shift = bits;
    const placed = parts.map((part) => {
      shift -= part.bits;
      return { ...part, shift };
    });
    stages.push({ parts: placed, bits, text });
    parts = [];
    bits = 0;
  };
  for (const column of columns) {
    for (const field of yield* fieldsOf(column, rows, precision)) {
      // The upper bits of a field fill up a word.
      for (let left = field.bits; left > 0; ) {
        if (bits === WORD) close();
        const taken = Math.min(left, WORD - bits);
        left -= taken;
        parts.push({ field, from: left, bits: taken });
        bits += taken;
      }
    }
    if (column.text === undefined) continue;
    if (bits > MOST_BEFORE_TEXT) close();
    close({ text: column.text, isDescending: column.order === 'descending' });
  }
  close();
  return stages;
}

/** Which rows' words are written: those at `places`, or all in their order. */
export interface Places {
  readonly count: number;
  readonly places: Uint32Array | undefined;
}

/** The words of a stage without text. O(rows). */
export function* wordsOf({ bits, parts }: Stage, rows: Places): Generator<undefined, Words> {
  const words = new (bits <= 32 ? Uint32Array : BigUint64Array)(rows.count);
  const halves = new Uint32Array(words.buffer);
  for (const part of parts) yield* pack(part, rows, halves);
  // So few values that a backend may count them.
  return bits <= 16 ? new Uint16Array(words as Uint32Array) : words;
}

/** Words that hold text, and how many units of it. */
export interface TextWords {
  readonly words: BigUint64Array;
  readonly units: number;
}

/**
 * The words of a stage with text: its fields, and behind them the units of each text from its depth
 * on. `numbers` are the numbers of the rows at `places`, as the text counts them. O(rows).
 */
export function* wordsWithText(
  { parts, bits, text: ordered }: Stage,
  places: Uint32Array,
  numbers: Uint32Array,
  depths: Uint32Array | undefined,
): Generator<undefined, TextWords> {
  const { text, isDescending } = ordered as OrderedText;
  const rows = { count: places.length, places };
  const words = new BigUint64Array(rows.count);
  const halves = new Uint32Array(words.buffer);
  for (const unitBits of text.unitBits) {
    const units = Math.floor((WORD - bits) / unitBits);
    const room = { rows: numbers, depths, units, unitBits };
    if (!(yield* fillText(text, halves, room))) continue;
    const textBits = units * unitBits;
    if (isDescending) invert(halves, textBits);
    for (const part of parts) {
      yield* pack({ ...part, shift: part.shift + textBits }, rows, halves);
    }
    return { words, units };
  }
  throw new Error('the widest units hold every text');
}

/** Fills words slice by slice, until units do not fit. */
function* fillText(
  text: Text,
  halves: Uint32Array,
  room: Omit<TextRoom, 'from' | 'to'>,
): Generator<undefined, boolean> {
  for (const [from, to] of slicesOf(room.rows.length, ROWS_AT_ONCE)) {
    if (!text.fill(halves, { ...room, from, to })) return false;
    yield;
  }
  return true;
}

/** Inverts the lowest bits of all words. */
function invert(halves: Uint32Array, bits: number): void {
  const low = bits >= 32 ? -1 : 2 ** bits - 1;
  const high = bits === WORD ? -1 : 2 ** Math.max(bits - 32, 0) - 1;
  for (let i = 0; i < halves.length; i += 2) {
    halves[i] = (halves[i] as number) ^ low;
    halves[i + 1] = (halves[i + 1] as number) ^ high;
  }
}

/** Adds a part to words: `halves` has one of 32 bits a row, or two of which the first is low. */
function* pack(
  part: Part,
  { count, places }: Places,
  halves: Uint32Array,
): Generator<undefined, void> {
  const perRow = halves.length / count;
  for (const { field, from, bits, shift } of withinHalves(part)) {
    const { lows, highs, least, skipped, isInverted } = field;
    const mask = bits === 32 ? -1 : 2 ** bits - 1;
    const take: Take = {
      lows,
      highs,
      leastLow: Number(least & LOW) | 0,
      leastHigh: Number(least >> 32n) | 0,
      skip: from + skipped,
      mask,
      flip: isInverted ? mask : 0,
      perRow,
      half: shift >> 5,
      shift: shift & 31,
    };
    const add = highs.length > 0 ? addWide : places === undefined ? addNarrow : addNarrowAt;
    for (const [first, last] of slicesOf(count, ROWS_AT_ONCE)) {
      add(take, halves, places, first, last);
      yield;
    }
  }
}

const LOW = 0xffff_ffffn;

/** The same part in pieces that each lie within one half of a word. */
function withinHalves(part: Part): readonly Part[] {
  const { from, bits, shift } = part;
  const below = 32 - shift;
  if (below <= 0 || bits <= below) return [part];
  return [
    { ...part, bits: below },
    { ...part, from: from + below, bits: bits - below, shift: 32 },
  ];
}

/** Bits of words less the least one, and their place. All are 32-bit integers. */
interface Take extends Pick<Field, 'lows' | 'highs'> {
  readonly leastLow: number;
  readonly leastHigh: number;
  /** The lowest bit that is taken. */
  readonly skip: number;
  readonly mask: number;
  /** What inverts the bits taken, or 0. */
  readonly flip: number;
  readonly perRow: number;
  readonly half: number;
  readonly shift: number;
}

type Add = (
  take: Take,
  halves: Uint32Array,
  places: Uint32Array | undefined,
  first: number,
  last: number,
) => void;

// Each loop is a function of its own: together they would be twice as slow.

const addNarrow: Add = (
  { lows, leastLow, skip, mask, flip, perRow, half, shift },
  halves,
  _,
  first,
  last,
) => {
  for (let i = first; i < last; i++) {
    const value = (((lows[i] as number) - leastLow) >>> skip) & mask;
    const at = perRow * i + half;
    halves[at] = (halves[at] as number) | ((value ^ flip) << shift);
  }
};

const addNarrowAt: Add = (
  { lows, leastLow, skip, mask, flip, perRow, half, shift },
  halves,
  places,
  first,
  last,
) => {
  const rows = places as Uint32Array;
  for (let i = first; i < last; i++) {
    const value = (((lows[rows[i] as number] as number) - leastLow) >>> skip) & mask;
    const at = perRow * i + half;
    halves[at] = (halves[at] as number) | ((value ^ flip) << shift);
  }
};

const addWide: Add = (
  { lows, highs, leastLow, leastHigh, skip, mask, flip, perRow, half, shift },
  halves,
  places,
  first,
  last,
) => {
  const least = leastLow >>> 0;
  for (let i = first; i < last; i++) {
    const place = places === undefined ? i : (places[i] as number);
    const wordLow = lows[place] as number;
    const low = (wordLow - leastLow) | 0;
    const high = ((highs[place] as number) - leastHigh - (wordLow < least ? 1 : 0)) | 0;
    const shifted = skip === 0 ? low : (low >>> skip) | (high << (32 - skip));
    const value = (skip < 32 ? shifted : high >>> (skip - 32)) & mask;
    const at = perRow * i + half;
    halves[at] = (halves[at] as number) | ((value ^ flip) << shift);
  }
};
