/** What backends on the CPU do for strings that a collator orders: make words of their letters. */

import type { CancelSignal } from './cancel-signal.js';

/** The letters of an alphabet, by the code unit that stands for them. */
export interface Letters {
  /**
   * By code unit: its symbol, which is its letter in the upper byte, and in the lower one which of
   * the characters of that letter it is, both counted from 1. 0 if it has no letter, and 0xffff if it
   * does not count.
   */
  readonly symbols: Uint16Array;
  /** Letters, and one more for none, which is 0. Pairs are at `first * count + second`. */
  readonly count: number;
  /** By two letters: 1 if they do not stand for themselves, or the second is none. */
  readonly refused: Uint8Array;
  /** By letter: how many characters it has. None has none. */
  readonly sizes: readonly number[];
  /** By letter: how many characters all letters before it have. */
  readonly before: readonly number[];
  /** Whether digits in a row are a number. */
  readonly isNumeric: boolean;
}

/** Strings to spell, next to each other. Good until the next text is made. */
export interface SpellingText {
  /** The strings in UTF-8, with one byte between two of them. */
  readonly bytes: Uint8Array;
  /**
   * By string: its length in code units. At most SPELT_STRINGS strings, which have at most
   * SPELT_UNITS units in all.
   */
  readonly lengths: Uint32Array;
}

/** The words that strings get. */
export interface SpellingPlan {
  /** Letters that most strings begin with. Their words tell what comes after. */
  readonly stem: Uint8Array;
  /** Letters in each half of a word. */
  readonly perHalf: number;
}

/** What becomes of the strings of a text. */
export interface SpeltText {
  /** How many symbols they have in all. */
  readonly symbolCount: number;
  /**
   * By string: what its word does not tell. Strings of equal words and rests are equal. NaN if more
   * than 53 bits tell, or if the string cannot be spelt.
   */
  readonly rests: Float64Array;
  /** The numbers of the strings that could be spelt. */
  readonly numbers: Uint32Array;
  /**
   * A word of 64 bits for each of them, the lower half first: how it begins. Words of strings that
   * differ in letters are in the order of these letters, or equal.
   */
  readonly words: Uint32Array;
  /** The numbers of the other strings. */
  readonly others: Uint32Array;
}

/** A spelt text together with its symbols. Good until the next text is spelt. */
export interface Spelt extends SpeltText {
  /** The symbols of all strings, one string after the other. */
  readonly symbols: Uint16Array;
  /** By string: the number of symbols up to its end. */
  readonly ends: Uint32Array;
}

/** Spells strings, on the calling thread. */
export interface Speller {
  /** By three letters in a row: 1 if a string was spelt with them. */
  readonly seen: Uint8Array;
  /**
   * Spells a text. Its strings are numbered from `first` on, and `at` symbols are before theirs.
   */
  spell(text: SpellingText, plan: SpellingPlan, first: number, at: number): Spelt;
}

/** Asks for strings to be spelt by threads. */
export interface SpellRequest {
  /** What the collator's order makes of each character. */
  readonly letters: Letters;
  /** How strings are spelt. */
  readonly plan: SpellingPlan;
  /** The number of the first string. */
  readonly first: number;
  /** How many strings there are. Threads may spell only some, the first ones. */
  readonly count: number;
  /** Cancels the request. */
  readonly signal: CancelSignal | undefined;
  /**
   * Makes the text that begins with string number `from`. Undefined if no string is left, or if
   * that string is too long. Strings may be asked for again if a thread fails.
   */
  text(from: number): SpellingText | undefined;
  /**
   * Takes what became of all texts, in their order, and what `Speller.seen` would say of them. Both
   * are good until it returns. Called once, or not at all.
   */
  take(spelt: readonly SpeltText[], seen: Uint8Array): void;
}
