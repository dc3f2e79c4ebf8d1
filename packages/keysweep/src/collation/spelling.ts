/**
 * Strings spelt in an alphabet, and the words that they are sorted by: numbers of 64 bits that
 * begin like the strings do. Strings mostly begin alike, so that words begin after that.
 */

import { bitLength, slicesOf } from '@keysweep/core';
import { type Alphabet, letterOf } from './alphabet.js';
import { ByteReader } from './bytes.js';
import { characterOf, isWhole, roomFor, Speller, UNSPELT } from './speller.js';

/** Strings, and units, that are read at once. */
const BATCH = 2 ** 12;
const BATCH_UNITS = 2 ** 17;

/** Symbols beyond are not spelt, so that 32 bits count their places. */
const SYMBOLS_MOST = 2 ** 32 - 1;

/** Room that may be made at first, before much is known of the strings. */
const FIRST_SYMBOLS = 2 ** 25;

/** Letters that strings have in common are left out of words if they are at least so many. */
const STEM_LEAST = 3;

/** Strings that are looked at to find out how they begin. */
const STEM_SAMPLE = 256;

/** What strings are sorted by. */
export interface Words {
  /** A number of 64 bits for each string that is spelt: how it begins. */
  readonly words: BigUint64Array;
  /**
   * By the numbers of strings: what their words do not tell. Strings of equal words and rests are
   * equal. NaN if there is more than 53 bits tell.
   */
  readonly rests: Float64Array;
}

/** Strings by their numbers, as far as they can be spelt. */
export class Spelling {
  /** The symbols of all strings that are spelt, one string after the other. */
  symbols: Uint16Array = new Uint16Array(0);
  /** Where each string's symbols start, and at last where all end. */
  readonly starts: Uint32Array;
  /** The numbers of strings, first those that are spelt, in their order. */
  readonly numbers: Uint32Array;
  /** How many are spelt. */
  spelt = 0;
  readonly #alphabet: Alphabet;
  readonly #strings: readonly string[];

  constructor(strings: readonly string[], alphabet: Alphabet) {
    this.#strings = strings;
    this.#alphabet = alphabet;
    this.starts = new Uint32Array(strings.length + 1);
    this.numbers = new Uint32Array(strings.length);
  }

  /** Bits of a letter. */
  get letterBits(): number {
    return bitLength(BigInt(this.#alphabet.count - 1));
  }

  /** Spells all strings. O(units). */
  *spellAll(): Generator<undefined, void> {
    const strings = this.#strings;
    const reader = new ByteReader();
    const unspelt: number[] = [];
    for (let from = 0, at = 0; from < strings.length; ) {
      let length = 0;
      let to = from;
      const last = Math.min(from + BATCH, strings.length);
      while (to < last && length < BATCH_UNITS) length += (strings[to++] as string).length;
      const batch = strings.slice(from, to);
      const speller = new Speller(this.#alphabet, reader.read(batch, length));
      const most = at + roomFor(this.#alphabet, length) + batch.length;
      if (most < SYMBOLS_MOST) this.#grow(most, to);
      at = this.#spellBatch(batch, speller, from, at, most < SYMBOLS_MOST ? unspelt : undefined);
      if (most >= SYMBOLS_MOST) for (let i = 0; i < batch.length; i++) unspelt.push(from + i);
      from = to;
      yield;
    }
    this.numbers.set(unspelt, this.spelt);
  }

  /** Makes room for `most` symbols, with which `read` strings are spelt. */
  #grow(most: number, read: number): void {
    if (this.symbols.length >= most) return;
    // The first strings may be much longer than those after them.
    const expected = Math.min(
      1.1 * most * (this.#strings.length / read),
      Math.max(2 * this.symbols.length, FIRST_SYMBOLS),
    );
    const room = new Uint16Array(Math.min(Math.max(most, expected), SYMBOLS_MOST));
    room.set(this.symbols);
    this.symbols = room;
  }

  /** Spells strings from number `first` on. Returns where their symbols end. */
  #spellBatch(
    batch: readonly string[],
    speller: Speller,
    first: number,
    start: number,
    unspelt: number[] | undefined,
  ): number {
    const { symbols, starts, numbers } = this;
    let at = start;
    for (let i = 0; i < batch.length; i++) {
      if (unspelt !== undefined) {
        const end = speller.spell((batch[i] as string).length, symbols, at);
        // The byte between two strings.
        speller.at++;
        if (end === UNSPELT) {
          unspelt.push(first + i);
        } else {
          numbers[this.spelt++] = first + i;
          at = end;
        }
      }
      starts[first + i + 1] = at;
    }
    return at;
  }

  /** The letters of all strings that are spelt, each at the place of its symbol. O(symbols). */
  *letters(): Generator<undefined, Uint8Array> {
    const symbols = this.symbols.subarray(0, this.starts.at(-1));
    const letters = new Uint8Array(symbols.length);
    for (const [from, to] of slicesOf(symbols.length, BATCH_UNITS)) {
      for (let i = from; i < to; i++) letters[i] = letterOf(symbols[i] as number);
      yield;
    }
    return letters;
  }

  /**
   * A word and a rest for each string that is spelt. Words of strings that differ in letters are in
   * the order of these letters, or equal. O(strings).
   */
  *words(): Generator<undefined, Words> {
    const { count, sizes } = this.#alphabet;
    const stem = this.#stem();
    // The upper half says first whether a string begins with the stem, or is before or after it.
    const choices = stem.length > 0 ? 3 : 1;
    let perHalf = 1;
    while (choices * count ** (perHalf + 1) <= 2 ** 32) perHalf++;
    const words = new BigUint64Array(this.spelt);
    const rests = new Float64Array(this.numbers.length);
    const before = sizes.map((_, letter) => sizes.slice(0, letter).reduce((a, b) => a + b, 0));
    for (const [from, to] of slicesOf(this.spelt, BATCH)) {
      this.#fill(new Uint32Array(words.buffer), rests, before, stem, perHalf, from, to);
      yield;
    }
    return { words, rests };
  }

  #fill(
    halves: Uint32Array,
    rests: Float64Array,
    before: readonly number[],
    stem: Uint8Array,
    perHalf: number,
    from: number,
    to: number,
  ): void {
    const { symbols, starts, numbers } = this;
    const { count, sizes } = this.#alphabet;
    const all = (before.at(-1) as number) + (sizes.at(-1) as number) + 1;
    for (let i = from; i < to; i++) {
      const number = numbers[i] as number;
      const start = starts[number] as number;
      const end = starts[number + 1] as number;
      let at = start;
      let high = 0;
      if (stem.length > 0) {
        const side = sideOf(symbols, at, end, stem);
        high = side + 1;
        if (side === 0) at += stem.length;
      }
      for (const stop = at + perHalf; at < stop; at++) {
        high = (Math.imul(high, count) + (at < end ? letterOf(symbols[at] as number) : 0)) | 0;
      }
      let low = 0;
      for (const stop = at + perHalf; at < stop; at++) {
        low = (Math.imul(low, count) + (at < end ? letterOf(symbols[at] as number) : 0)) | 0;
      }
      halves[2 * i] = low;
      halves[2 * i + 1] = high;
      // Of the letters that the word has, only which character each is; then symbols.
      let rest = start < end && isWhole(symbols, start) ? 1 : Number.NaN;
      const known = Math.min(at, end);
      for (let place = start; place < known; place++) {
        const symbol = symbols[place] as number;
        rest = rest * (sizes[letterOf(symbol)] as number) + characterOf(symbol) - 1;
      }
      for (let place = known; place < end; place++) {
        const symbol = symbols[place] as number;
        rest = rest * all + (before[letterOf(symbol)] as number) + characterOf(symbol);
      }
      rests[number] = rest <= Number.MAX_SAFE_INTEGER ? rest : Number.NaN;
    }
  }

  /** The letters that all of a sample of the strings begin with; none if they are few. */
  #stem(): Uint8Array {
    const { symbols, starts, numbers, spelt } = this;
    const step = Math.max(1, spelt / STEM_SAMPLE);
    let stem = new Uint8Array(0);
    for (let i = 0; i < spelt; i += step) {
      const number = numbers[Math.floor(i)] as number;
      const own = Uint8Array.from(symbols.subarray(starts[number], starts[number + 1]), letterOf);
      if (i === 0) stem = own;
      let alike = 0;
      while (alike < stem.length && stem[alike] === own[alike]) alike++;
      stem = stem.subarray(0, alike);
    }
    return stem.slice(0, stem.length < STEM_LEAST ? 0 : undefined);
  }
}

/** 0 if letters begin with a stem; −1 if they are before all that do, and 1 if they are after. */
function sideOf(symbols: Uint16Array, start: number, end: number, stem: Uint8Array): number {
  for (let i = 0; i < stem.length; i++) {
    const letter = start + i < end ? letterOf(symbols[start + i] as number) : 0;
    if (letter !== stem[i]) return letter < (stem[i] as number) ? -1 : 1;
  }
  return 0;
}
