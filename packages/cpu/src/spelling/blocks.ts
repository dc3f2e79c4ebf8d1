/** What the kernel that spells strings finds in memory: an alphabet, texts, room for results. */

import {
  type Letters,
  SPELT_STRINGS,
  SPELT_UNITS,
  type SpellingText,
  type SpeltText,
} from '@keysweep/core';
import { SPELLING } from '@keysweep/kernels/cpu';

/** Takes room for some bytes of a memory. Returns its address, a multiple of 8. */
type Take = (bytes: number) => number;

/** Fields of a block. */
type Fields = Partial<Record<Exclude<keyof typeof SPELLING, 'bytes'>, number>>;

/** Room for a text. A code unit has at most three bytes, and one is between two strings. */
export const TEXT_BYTES: number = 3 * SPELT_UNITS + SPELT_STRINGS;

/** Room for the symbols of a text: in numbers, a code unit has less than two. */
const SYMBOL_BYTES = 4 * SPELT_UNITS + 128;

/** Addresses, by the fields that say them. */
type Places<Name extends keyof Fields> = Readonly<Record<Name, number>>;
type LettersAt = Places<'symbols' | 'refused' | 'seen' | 'sizes' | 'before'>;
type ResultsAt = Places<'lengths' | 'rests' | 'words' | 'numbers' | 'others'>;
type SymbolsAt = Places<'room' | 'ends'>;

/** Takes room for an alphabet. */
export function takeLetters({ symbols, refused, count }: Letters, take: Take): LettersAt {
  return {
    symbols: take(symbols.byteLength),
    refused: take(refused.byteLength),
    seen: take(count ** 3),
    sizes: take(4 * count),
    before: take(4 * count),
  };
}

/** Takes room for what becomes of a text, and for the lengths of its strings. */
export const takeResults = (take: Take): ResultsAt => ({
  lengths: take(4 * SPELT_STRINGS),
  rests: take(8 * SPELT_STRINGS),
  words: take(8 * SPELT_STRINGS),
  numbers: take(4 * SPELT_STRINGS),
  others: take(4 * SPELT_STRINGS),
});

/** Takes room for the symbols of a text, and for where each string's end. */
export const takeSymbols = (take: Take): SymbolsAt => ({
  room: take(SYMBOL_BYTES),
  ends: take(4 * SPELT_STRINGS),
});

/** Writes fields of the block at address `at`. */
export function writeFields(buffer: ArrayBufferLike, at: number, fields: Fields): void {
  const words = new Uint32Array(buffer, at, SPELLING.bytes / 4);
  for (const [name, value] of Object.entries(fields)) {
    words[SPELLING[name as keyof Fields] / 4] = value;
  }
}

/** Writes an alphabet, with which no string is spelt yet. Returns the other fields of it. */
export function writeLetters(
  buffer: ArrayBufferLike,
  at: LettersAt,
  { symbols, refused, sizes, before, count, isNumeric }: Letters,
): Fields {
  new Uint16Array(buffer, at.symbols).set(symbols);
  new Uint8Array(buffer, at.refused).set(refused);
  new Uint8Array(buffer, at.seen, count ** 3).fill(0);
  new Uint32Array(buffer, at.sizes).set([1, ...sizes.slice(1)]);
  new Uint32Array(buffer, at.before).set(before);
  const all = (before.at(-1) as number) + (sizes.at(-1) as number) + 1;
  return { count, all, isNumeric: Number(isNumeric) };
}

/** Writes a text where a block says. */
export function writeText(
  buffer: ArrayBufferLike,
  at: Places<'text' | 'lengths'>,
  { bytes, lengths }: SpellingText,
): void {
  new Uint8Array(buffer, at.text).set(bytes);
  new Uint32Array(buffer, at.lengths).set(lengths);
}

/** What became of a text of `count` strings, of which `spelt` could be spelt. */
export const resultsAt = (
  buffer: ArrayBufferLike,
  { rests, words, numbers, others }: ResultsAt,
  count: number,
  spelt: number,
): Omit<SpeltText, 'symbolCount'> => ({
  rests: new Float64Array(buffer, rests, count),
  numbers: new Uint32Array(buffer, numbers, spelt),
  words: new Uint32Array(buffer, words, 2 * spelt),
  others: new Uint32Array(buffer, others, count - spelt),
});

/** Takes rooms one after the other, from an address on. */
export class Rooms {
  /** Where all rooms end. */
  end: number;

  constructor(start: number) {
    this.end = start;
  }

  readonly take: Take = (bytes) => {
    const at = Math.ceil(this.end / 8) * 8;
    this.end = at + bytes;
    return at;
  };
}
