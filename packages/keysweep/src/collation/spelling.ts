/**
 * Strings spelt in an alphabet, and the words that they are sorted by: numbers of 64 bits that
 * begin like the strings do. Strings mostly begin alike, so that words begin after that.
 */

import { bitLength, slicesOf } from '@keysweep/core';
import { type Alphabet, roomFor, spell, UNSPELT } from './alphabet.js';
import { UnitReader } from './units.js';

/** Strings, and units, that are read at once. */
const BATCH = 2 ** 12;
const BATCH_UNITS = 2 ** 17;

/** Letters beyond are not spelt, so that 32 bits count their places. */
const LETTERS_MOST = 2 ** 32 - 1;

/** Room that may be made at first, before much is known of the strings. */
const FIRST_LETTERS = 2 ** 25;

/** Letters that strings have in common are left out of words if they are at least so many. */
const STEM_LEAST = 3;

/** Strings that are looked at to find out how they begin. */
const STEM_SAMPLE = 256;

/** Strings by their numbers, as far as they can be spelt. */
export class Spelling {
  /** The letters of all strings that are spelt, one string after the other. */
  letters: Uint8Array = new Uint8Array(0);
  /** Where each string's letters start, and at last where all end. */
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
    const reader = new UnitReader();
    const unspelt: number[] = [];
    for (let from = 0, at = 0; from < strings.length; ) {
      let length = 0;
      let to = from;
      const last = Math.min(from + BATCH, strings.length);
      while (to < last && length < BATCH_UNITS) length += (strings[to++] as string).length;
      const batch = strings.slice(from, to);
      const units = reader.read(batch, length);
      const most = at + roomFor(this.#alphabet, length) + batch.length;
      if (most < LETTERS_MOST) this.#grow(most, to);
      at = this.#spellBatch(batch, units, from, at, most < LETTERS_MOST ? unspelt : undefined);
      if (most >= LETTERS_MOST) for (let i = 0; i < batch.length; i++) unspelt.push(from + i);
      from = to;
      yield;
    }
    this.numbers.set(unspelt, this.spelt);
  }

  /** Makes room for `most` letters, with which `read` strings are spelt. */
  #grow(most: number, read: number): void {
    if (this.letters.length >= most) return;
    // The first strings may be much longer than those after them.
    const expected = Math.min(
      1.1 * most * (this.#strings.length / read),
      Math.max(2 * this.letters.length, FIRST_LETTERS),
    );
    const room = new Uint8Array(Math.min(Math.max(most, expected), LETTERS_MOST));
    room.set(this.letters);
    this.letters = room;
  }

  /** Spells strings from number `first` on. Returns where the letters end. */
  #spellBatch(
    batch: readonly string[],
    units: Uint16Array,
    first: number,
    start: number,
    unspelt: number[] | undefined,
  ): number {
    const { letters, starts, numbers } = this;
    let at = start;
    let unit = 0;
    for (let i = 0; i < batch.length; i++) {
      const next = unit + (batch[i] as string).length;
      if (unspelt !== undefined) {
        const end = spell(units, unit, next, this.#alphabet, letters, at);
        if (end === UNSPELT) {
          unspelt.push(first + i);
        } else {
          numbers[this.spelt++] = first + i;
          at = end;
        }
      }
      starts[first + i + 1] = at;
      unit = next + 1;
    }
    return at;
  }

  /**
   * A word for each string that is spelt: words of strings that differ in letters are in the order
   * of these letters, or equal. `known` letters of strings with equal words are equal. O(strings).
   */
  *words(): Generator<undefined, { readonly words: BigUint64Array; readonly known: number }> {
    const { count } = this.#alphabet;
    const stem = this.#stem();
    // The upper half says first whether a string begins with the stem, or is before or after it.
    const choices = stem.length > 0 ? 3 : 1;
    let perHalf = 1;
    while (choices * count ** (perHalf + 1) <= 2 ** 32) perHalf++;
    const words = new BigUint64Array(this.spelt);
    const halves = new Uint32Array(words.buffer);
    for (const [from, to] of slicesOf(this.spelt, BATCH)) {
      this.#fill(halves, stem, perHalf, from, to);
      yield;
    }
    return { words, known: 2 * perHalf };
  }

  #fill(halves: Uint32Array, stem: Uint8Array, perHalf: number, from: number, to: number): void {
    const { letters, starts, numbers } = this;
    const { count } = this.#alphabet;
    for (let i = from; i < to; i++) {
      const number = numbers[i] as number;
      let at = starts[number] as number;
      const end = starts[number + 1] as number;
      let high = 0;
      if (stem.length > 0) {
        const side = sideOf(letters, at, end, stem);
        high = side + 1;
        if (side === 0) at += stem.length;
      }
      for (const stop = at + perHalf; at < stop; at++) {
        high = (Math.imul(high, count) + (at < end ? (letters[at] as number) : 0)) | 0;
      }
      let low = 0;
      for (const stop = at + perHalf; at < stop; at++) {
        low = (Math.imul(low, count) + (at < end ? (letters[at] as number) : 0)) | 0;
      }
      halves[2 * i] = low;
      halves[2 * i + 1] = high;
    }
  }

  /** The letters that all of a sample of the strings begin with; none if they are few. */
  #stem(): Uint8Array {
    const { letters, starts, numbers, spelt } = this;
    const step = Math.max(1, spelt / STEM_SAMPLE);
    let stem = letters.subarray(0, 0);
    for (let i = 0; i < spelt; i += step) {
      const number = numbers[Math.floor(i)] as number;
      const own = letters.subarray(starts[number], starts[number + 1]);
      if (i === 0) stem = own;
      let alike = 0;
      while (alike < stem.length && stem[alike] === own[alike]) alike++;
      stem = stem.subarray(0, alike);
    }
    return stem.slice(0, stem.length < STEM_LEAST ? 0 : undefined);
  }
}

/** 0 if letters begin with a stem; −1 if they are before all that do, and 1 if they are after. */
function sideOf(letters: Uint8Array, start: number, end: number, stem: Uint8Array): number {
  for (let i = 0; i < stem.length; i++) {
    const letter = start + i < end ? (letters[start + i] as number) : 0;
    if (letter !== stem[i]) return letter < (stem[i] as number) ? -1 : 1;
  }
  return 0;
}
