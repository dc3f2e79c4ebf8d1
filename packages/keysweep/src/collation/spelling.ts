/**
 * Strings spelt in an alphabet, and the words that they are sorted by: numbers of 64 bits that
 * begin like the strings do. Strings mostly begin alike, so that words begin after that.
 */

import {
  bitLength,
  type FieldKernels,
  identity,
  SPELT_STRINGS,
  type Speller,
  type SpellingPlan,
  type SpellingText,
  type SpellRequest,
  type Spelt,
  type SpeltText,
} from '@keysweep/core';
import { type Alphabet, letterOf } from './alphabet.js';
import { TextRoom } from './bytes.js';
import { PlainSpeller } from './speller.js';

/** Symbols beyond are not spelt, so that 32 bits count their places. */
const SYMBOLS_MOST = 2 ** 32 - 1;

/** Room that may be made at first, before much is known of the strings. */
const FIRST_SYMBOLS = 2 ** 25;

/** At least this many letters that strings have in common are left out of words. */
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
  /** What each string's word does not tell, or NaN; empty if rests are not kept. See `Spelt`. */
  rests: Float64Array = new Float64Array(0);
  /** How many are spelt. */
  spelt = 0;
  /** The strings before this one are spelt, or cannot be. */
  #next = 0;
  readonly #unspelt: number[] = [];
  /** Made when it is not the identity, or when it is asked for. */
  #numbers: Uint32Array | undefined;
  #symbolCount = 0;
  readonly #words: BigUint64Array;
  readonly #halves: Uint32Array;
  #keepsRests: boolean;
  readonly #alphabet: Alphabet;
  readonly #texts = new TextRoom();
  readonly #speller: Speller;
  #plan: SpellingPlan;

  constructor(
    strings: readonly string[],
    alphabet: Alphabet,
    kernels: FieldKernels,
    keepsRests: boolean,
  ) {
    this.#keepsRests = keepsRests;
    this.strings = strings;
    this.#alphabet = alphabet;
    this.#speller = kernels.speller?.(alphabet) ?? new PlainSpeller(alphabet);
    this.#plan = this.#planOf(new Uint8Array(0));
    this.#words = new BigUint64Array(strings.length);
    this.#halves = new Uint32Array(this.#words.buffer);
  }

  /** The numbers of strings, first those that are spelt, in their order. */
  get numbers(): Uint32Array {
    this.#numbers ??= identity(this.strings.length);
    return this.#numbers;
  }

  /** A word of each string that is spelt, in the order of their numbers. See `Spelt`. */
  get words(): BigUint64Array {
    return this.#words.subarray(0, this.spelt);
  }

  /** 1 for each three letters in a row that a string was spelt with. */
  get seen(): Uint8Array {
    return this.#speller.seen;
  }

  /** Bits of a letter. */
  get letterBits(): number {
    return bitLength(BigInt(this.#alphabet.count - 1));
  }

  /**
   * Spells all strings. O(units). Yields requests for threads to spell the next ones. If none are
   * spelt by then, they are spelt here.
   */
  *spellAll(signal: SpellRequest['signal']): Generator<SpellRequest | undefined, void> {
    const { strings } = this;
    this.#plan = this.#planOf(this.#stem());
    if (this.#keepsRests) this.rests = new Float64Array(strings.length);
    while (this.#next < strings.length) {
      const first = this.#next;
      yield this.#requestFrom(first, signal);
      if (this.#next === first) this.#spellNext();
      yield;
    }
    if (this.#unspelt.length > 0) this.numbers.set(this.#unspelt, this.spelt);
  }

  #requestFrom(first: number, signal: SpellRequest['signal']): SpellRequest {
    const { strings } = this;
    return {
      letters: this.#alphabet,
      plan: this.#plan,
      first,
      count: strings.length - first,
      signal,
      text: (from) => this.#texts.textOf(strings, from),
      take: (spelt, seen) => {
        for (const some of spelt) this.#add(some);
        for (let i = 0; i < seen.length; i++) if (seen[i] === 1) this.seen[i] = 1;
      },
    };
  }

  /** Spells the next strings. */
  #spellNext(): void {
    const text = this.#texts.textOf(this.strings, this.#next);
    if (text === undefined) {
      // One that is too long.
      this.rests[this.#next] = Number.NaN;
      this.#unspelt.push(this.#next++);
    } else {
      this.#add(this.#speller.spell(text, this.#plan, this.#next, 0));
    }
  }

  /** Adds what became of the next strings. */
  #add({ symbolCount, rests, words, numbers, others }: SpeltText): void {
    const unspelt = this.#unspelt;
    const from = this.#next;
    this.#next += rests.length;
    if (this.rests.length > 0) this.rests.set(rests, from);
    this.#symbolCount += symbolCount;
    if (this.#symbolCount <= SYMBOLS_MOST) {
      this.#halves.set(words, 2 * this.spelt);
      if (unspelt.length + others.length > 0) this.numbers.set(numbers, this.spelt);
      this.spelt += numbers.length;
      for (const number of others) unspelt.push(number);
    } else {
      for (let number = from; number < this.#next; number++) unspelt.push(number);
    }
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
      const some = this.#spell(strings, at);
      const count = some.ends.length;
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

  /** The symbols of the first of some strings, and where they end, with `at` before theirs. */
  #spell(strings: readonly string[], at: number): Spelt {
    // None is too long, because all have been spelt.
    const text = this.#texts.textOf(strings, 0) as SpellingText;
    return this.#speller.spell(text, this.#plan, 0, at);
  }

  /** How words are made of letters after a stem. */
  #planOf(stem: Uint8Array): SpellingPlan {
    const { count } = this.#alphabet;
    // The upper half says first whether a string begins with the stem, or is before or after it.
    const choices = stem.length > 0 ? 3 : 1;
    let perHalf = 1;
    while (choices * count ** (perHalf + 1) <= 2 ** 32) perHalf++;
    return { stem, perHalf };
  }

  /** The letters that all of a sample of the strings begin with; none if they are few. */
  #stem(): Uint8Array {
    const strings = this.strings;
    const step = Math.max(1, strings.length / STEM_SAMPLE);
    const sample: string[] = [];
    for (let at = 0; at < strings.length; at += step)
      sample.push(strings[Math.floor(at)] as string);
    const text = this.#texts.textOf(sample, 0);
    if (text === undefined) return new Uint8Array(0);
    const { symbols, ends, numbers, others } = this.#speller.spell(text, this.#plan, 0, 0);
    // If there are others, their words alone will not do.
    this.#keepsRests ||= others.length > 0;
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
