/**
 * Stages: the words that a table is sorted by, one after the other. A word has as many fields as
 * fit into 64 bits, and the first units of a text after them if there is room. Rows that tie in one
 * stage are separated by the next.
 */

import { copySteps, FIELD_ROWS, type FieldKernels, slicesOf } from '@keysweep/core';
import type { CheckedColumn, RowSelection } from './column.js';
import { type Field, fieldsOf } from './fields.js';
import type { Text } from './text.js';

/** Bits of a word. */
const WORD = 64;

/** Fewer units of a text in a word are not worth it. */
const MAX_BEFORE_TEXT = 32;

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
  /** The text that begins at the end of the word and continues after it. */
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
  rows: RowSelection,
  precision: number | undefined,
  kernels: FieldKernels,
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
    for (const field of yield* fieldsOf(column, rows, precision, kernels)) {
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
    if (bits > MAX_BEFORE_TEXT) close();
    close({ text: column.text, isDescending: column.order === 'descending' });
  }
  close();
  return stages;
}

/** Which rows' words are written: those at `places`, or all in their order. */
export interface RowPositions {
  readonly count: number;
  readonly places: Uint32Array | undefined;
}

/** The words of a stage without text. O(rows). */
export function* wordsOf(
  { bits, parts }: Stage,
  rows: RowPositions,
  kernels: FieldKernels,
): Generator<undefined, Words> {
  const words = new (bits <= 32 ? Uint32Array : BigUint64Array)(rows.count);
  yield* pack(parts, rows, new Uint32Array(words.buffer), kernels);
  if (bits > 16) return words;
  // So few values that a backend may count them.
  const narrow = new Uint16Array(rows.count);
  yield* copySteps(narrow, words as Uint32Array);
  return narrow;
}

/** Words that hold text, and how many units of it. */
export interface TextWords {
  readonly words: BigUint64Array;
  readonly units: number;
}

/**
 * The words of a stage with text: its fields, and after them the units of each text from its depth
 * on. `numbers` are the numbers of the rows at `places`, as the text counts them. O(rows).
 */
export function* wordsWithText(
  { parts, bits, text: ordered }: Stage,
  places: Uint32Array,
  numbers: Uint32Array,
  depths: Uint32Array | undefined,
  kernels: FieldKernels,
): Generator<undefined, TextWords> {
  const { text, isDescending } = ordered as OrderedText;
  const rows = { count: places.length, places };
  const words = new BigUint64Array(rows.count);
  const halves = new Uint32Array(words.buffer);
  const units = Math.floor((WORD - bits) / text.unitBits);
  const textBits = units * text.unitBits;
  for (const [from, to] of slicesOf(numbers.length, FIELD_ROWS)) {
    text.fill(halves, { rows: numbers, from, to, depths, units });
    if (isDescending) invert(halves.subarray(2 * from, 2 * to), textBits);
    yield;
  }
  const before = parts.map((part) => ({ ...part, shift: part.shift + textBits }));
  yield* pack(before, rows, halves, kernels);
  return { words, units };
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

/** Adds parts to words: `halves` has one of 32 bits a row, or two, the low one first. */
function* pack(
  parts: readonly Part[],
  { count, places }: RowPositions,
  halves: Uint32Array,
  kernels: FieldKernels,
): Generator<undefined, void> {
  const perRow = halves.length / count;
  const pieces = parts.flatMap(withinHalves);
  const sums = [0, 1].flatMap((half) =>
    sumOf(
      pieces.filter((piece) => isWhole(piece) && piece.shift >> 5 === half),
      half,
    ),
  );
  const takes = pieces.filter((piece) => !isWhole(piece)).map(takeOf);
  const wide = new Uint32Array(takes.length > 0 ? Math.min(count, FIELD_ROWS) : 0);
  for (const [first, last] of slicesOf(count, FIELD_ROWS)) {
    const words = halves.subarray(perRow * first, perRow * last);
    for (const { fields, factors, base, half } of sums) {
      const columns = fields.map(({ read }) => read(first, last, places).lows);
      addSums(kernels.sum(columns, factors, base), half, words, perRow);
    }
    for (const take of takes) {
      const { lows, highs } = take.field.read(first, last, places);
      wide.set(lows);
      if (highs.length > 0) addWide(take, wide, highs, words, perRow);
      else addNarrow(take, wide, words, perRow);
    }
    yield;
  }
}

/** Whether a piece of a word is a whole field whose values need no mask. */
const isWhole = ({ field, bits }: Part): boolean =>
  !field.isWide && field.skipped === 0 && bits === field.bits;

/** Whole fields of one half of a word. What they add to it is `base` and their products. */
interface Sum {
  readonly fields: readonly Field[];
  readonly factors: readonly number[];
  readonly base: number;
  readonly half: number;
}

/** The sum of pieces of one half, where there are any. */
function sumOf(pieces: readonly Part[], half: number): readonly Sum[] {
  if (pieces.length === 0) return [];
  let base = 0;
  const factors = pieces.map(({ field: { least, bits, isInverted }, shift }) => {
    // Word less least, or the largest value less that, at its place: all modulo 2^32.
    const factor = isInverted ? -(1 << shift) : 1 << shift;
    const origin = isInverted ? Number(least) + 2 ** bits - 1 : Number(least);
    base -= Math.imul(origin, factor);
    return factor;
  });
  return [{ fields: pieces.map(({ field }) => field), factors, base: base | 0, half }];
}

function addSums(sums: Uint32Array, half: number, words: Uint32Array, perRow: number): void {
  // Nothing is in a narrow word before.
  if (perRow === 1) {
    words.set(sums);
    return;
  }
  for (let at = half, i = 0; i < sums.length; at += perRow, i++) {
    words[at] = ((words[at] as number) + (sums[i] as number)) | 0;
  }
}

function takeOf({ field, from, bits, shift }: Part): Take {
  const { least, skipped, isInverted } = field;
  const mask = bits === 32 ? -1 : 2 ** bits - 1;
  return {
    field,
    minLow: Number(least & LOW) | 0,
    minHigh: Number(least >> 32n) | 0,
    skip: from + skipped,
    mask,
    flip: isInverted ? mask : 0,
    half: shift >> 5,
    shift: shift & 31,
  };
}

const LOW = 0xffff_ffffn;

/** A part, cut into pieces that each lie within one half of a word. */
function withinHalves(part: Part): readonly Part[] {
  const { from, bits, shift } = part;
  const below = 32 - shift;
  if (below <= 0 || bits <= below) return [part];
  return [
    { ...part, bits: below },
    { ...part, from: from + below, bits: bits - below, shift: 32 },
  ];
}

/** Bits of words less the least one, and their place. All numbers are 32-bit integers. */
interface Take {
  readonly field: Field;
  readonly minLow: number;
  readonly minHigh: number;
  /** The lowest bit that is taken. */
  readonly skip: number;
  readonly mask: number;
  /** What inverts the bits taken, or 0. */
  readonly flip: number;
  readonly half: number;
  readonly shift: number;
}

// Each loop is a function of its own: together they would be twice as slow.

function addNarrow(
  { minLow, skip, mask, flip, half, shift }: Take,
  lows: Uint32Array,
  words: Uint32Array,
  perRow: number,
): void {
  for (let at = half, i = 0; at < words.length; at += perRow, i++) {
    const value = (((lows[i] as number) - minLow) >>> skip) & mask;
    words[at] = (words[at] as number) | ((value ^ flip) << shift);
  }
}

function addWide(
  { minLow, minHigh, skip, mask, flip, half, shift }: Take,
  lows: Uint32Array,
  highs: Uint32Array,
  words: Uint32Array,
  perRow: number,
): void {
  const least = minLow >>> 0;
  for (let at = half, i = 0; at < words.length; at += perRow, i++) {
    const wordLow = lows[i] as number;
    const low = (wordLow - minLow) | 0;
    const high = ((highs[i] as number) - minHigh - (wordLow < least ? 1 : 0)) | 0;
    const shifted = skip === 0 ? low : (low >>> skip) | (high << (32 - skip));
    const value = (skip < 32 ? shifted : high >>> (skip - 32)) & mask;
    words[at] = (words[at] as number) | ((value ^ flip) << shift);
  }
}
