/**
 * Strings spelt in an alphabet, and the words that they are sorted by: numbers of 64 bits that
 * begin like the strings do. Strings mostly begin alike, so that words begin after that.
 */

import {
  bitLength,
  type FieldKernels,
  SPELT_STRINGS,
  SPELT_UNITS,
  type Speller,
  type SpellingPlan,
  type Spelt,
} from '@keysweep/core';
import { type Alphabet, letterOf } from './alphabet.js';
import { encodeStrings } from './bytes.js';
import { PlainSpeller } from './speller.js';

/** Symbols beyond are not spelt, so that 32 bits count their places. */
const SYMBOLS_MOST = 2 ** 32 - 1;

/** Room that may be made at first, before much is known of the strings. */
const FIRST_SYMBOLS = 2 ** 25;

/** Letters that strings have in common are left out of words if they are at least so many. */
const STEM_LEAST = 3;

/** Strings that are looked at to find out how they begin. */
const STEM_SAMPLE = 256;

/** Strings as the symbols of their characters. */
export interface Symbols {
  /** The symbols of all strings, one string after the other. */
  readonly symbols: Uint16Array;
  /** Where each string's symbols start, and at last where all end. */
  readonly starts: Uint32Array;
}

/** Strings by their numbers, as far as they can be spelt. */
export class Spelling {
  /** The strings, which may be spelt. */
  readonly strings: readonly string[];
  /** The numbers of strings, first those that are spelt, in their order. */
  readonly numbers: Uint32Array;
  /** By string: what its word does not tell, or NaN. See `Spelt`. */
  readonly rests: Float64Array;
  /** How many are spelt. */
  spelt = 0;
  readonly #words: BigUint64Array;
  readonly #alphabet: Alphabet;
  readonly #speller: Speller;
  #plan: SpellingPlan;

  constructor(strings: readonly string[], alphabet: Alphabet, kernels: FieldKernels) {
    this.strings = strings;
    this.#alphabet = alphabet;
    this.#speller = kernels.speller?.(alphabet) ?? new PlainSpeller(alphabet);
    this.#plan = this.#planOf(new Uint8Array(0));
    this.numbers = new Uint32Array(strings.length);
    this.rests = new Float64Array(strings.length);
    this.#words = new BigUint64Array(strings.length);
  }

  /** A word of each string that is spelt, in the order of their numbers. See `Spelt`. */
  get words(): BigUint64Array {
    return this.#words.subarray(0, this.spelt);
  }

  /** By three letters in a row: 1 if a string was spelt with them. */
  get seen(): Uint8Array {
    return this.#speller.seen;
  }

  /** Bits of a letter. */
  get letterBits(): number {
    return bitLength(BigInt(this.#alphabet.count - 1));
  }

  /** Spells all strings. O(units). */
  *spellAll(): Generator<undefined, void> {
    const strings = this.strings;
    const halves = new Uint32Array(this.#words.buffer);
    const unspelt: number[] = [];
    this.#plan = this.#planOf(this.#stem());
    let symbols = 0;
    for (let from = 0; from < strings.length; ) {
      const to = this.#take(strings, from);
      if (to === from) {
        // One that is too long.
        this.rests[from] = Number.NaN;
        unspelt.push(from++);
        continue;
      }
      const some = this.#spell(strings.slice(from, to), from, 0);
      this.rests.set(some.rests, from);
      symbols += some.symbols.length;
      if (symbols <= SYMBOLS_MOST) {
        halves.set(some.words, 2 * this.spelt);
        this.numbers.set(some.numbers, this.spelt);
        this.spelt += some.numbers.length;
        for (const number of some.others) unspelt.push(number);
      } else {
        for (let number = from; number < to; number++) unspelt.push(number);
      }
      from = to;
      yield;
    }
    this.numbers.set(unspelt, this.spelt);
  }

  /** Spells strings of which the lengths are noted. */
  #spell(strings: readonly string[], first: number, at: number): Spelt {
    encodeStrings(strings, this.#speller.text);
    return this.#speller.spell(strings.length, { ...this.#plan, first, at });
  }

  /**
   * The symbols of strings with these numbers, which are spelt. O(units); allocates 2 bytes for
   * each and 4 a string.
   */
  *symbolsOf(numbers: Uint32Array): Generator<undefined, Symbols> {
    const starts = new Uint32Array(numbers.length + 1);
    let symbols = new Uint16Array(0);
    for (let from = 0, at = 0; from < numbers.length; ) {
      const next = numbers.subarray(from, from + SPELT_STRINGS);
      const strings = Array.from(next, (number) => this.strings[number] as string);
      const count = this.#take(strings, 0);
      const some = this.#spell(strings.slice(0, count), 0, at);
      from += count;
      at += some.symbols.length;
      if (symbols.length < at) {
        // The first strings may be much longer than those after them.
        const most = Math.max(2 * symbols.length, FIRST_SYMBOLS);
        const expected = Math.min(1.1 * at * (numbers.length / from), most);
        const room = new Uint16Array(Math.min(Math.max(at, expected), SYMBOLS_MOST));
        room.set(symbols);
        symbols = room;
      }
      symbols.set(some.symbols, at - some.symbols.length);
      starts.set(some.ends, from - count + 1);
      yield;
    }
    return { symbols, starts };
  }

  /** Notes the lengths of as many strings as are spelt at once. Returns where they end. */
  #take(strings: readonly string[], from: number): number {
    const { lengths } = this.#speller;
    const last = Math.min(from + SPELT_STRINGS, strings.length);
    let to = from;
    for (let left = SPELT_UNITS; to < last; to++) {
      const { length } = strings[to] as string;
      left -= length;
      if (left < 0) break;
      lengths[to - from] = length;
    }
    return to;
  }

  /** How words are made of letters after a stem. */
  #planOf(stem: Uint8Array): SpellingPlan {
    const { count } = this.#alphabet;
    // The upper half says first whether a string begins with the stem, or is before or after it.
    const choices = stem.length > 0 ? 3 : 1;
    let perHalf = 1;
    while (choices * count ** (perHalf + 1) <= 2 ** 32) perHalf++;
    return { first: 0, at: 0, stem, perHalf };
  }

  /** The letters that all of a sample of the strings begin with; none if they are few. */
  #stem(): Uint8Array {
    const strings = this.strings;
    const step = Math.max(1, strings.length / STEM_SAMPLE);
    const sample: string[] = [];
    for (let at = 0; at < strings.length; at += step)
      sample.push(strings[Math.floor(at)] as string);
    const count = this.#take(sample, 0);
    const { symbols, ends, numbers } = this.#spell(sample.slice(0, count), 0, 0);
    let stem: Uint8Array | undefined;
    for (const number of numbers) {
      const start = number === 0 ? 0 : (ends[number - 1] as number);
      const own = Uint8Array.from(symbols.subarray(start, ends[number]), letterOf);
      stem ??= own;
      let alike = 0;
      while (alike < stem.length && stem[alike] === own[alike]) alike++;
      stem = stem.subarray(0, alike);
    }
    return stem === undefined || stem.length < STEM_LEAST ? new Uint8Array(0) : stem;
  }
}
