/**
 * What backends on the CPU do for tables, besides sorting: move rows, pack columns into words, and
 * find keys.
 */

import type { CancelSignal } from './cancel-signal.js';
import type { KeyArray, KeyType } from './elements.js';
import type { TypedArray } from './intrinsics.js';
import type { Order } from './keys/order.js';

/** Rows of a column that are chosen, by a bit each. */
export interface ChosenRows {
  /** How many rows the column has. */
  readonly rows: number;
  /** Row i is chosen if bit i is 1. Bits after the last row are 0. Nobody else writes them. */
  readonly words: Int32Array;
}

/** Asks for rows to be moved: row `order[i]` of each source to row i of its target. */
export interface GatherRequest {
  /** Row numbers of the sources. */
  readonly order: Uint32Array;
  /** The arrays whose rows are moved, all into the same order. */
  readonly moves: readonly Move[];
}

/** An array whose rows are moved. */
export interface Move {
  /** The array that rows are read from. */
  readonly source: TypedArray;
  /** An array of the class of `source`, with room for all rows. It overlaps no other array. */
  readonly target: TypedArray;
  /** Elements of a row. */
  readonly stride: number;
  /** Whether the target holds nothing yet, so that it may be written at any time. */
  readonly isNew: boolean;
}

/** Integers of at most 32 bits. */
export type Integers =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

/**
 * Loops over a slice of a table's columns, on the calling thread. Every number counts as 32 bits;
 * narrower signed integers are sign-extended.
 */
export interface FieldKernels {
  /** The smallest and largest of one or more numbers, each with the bits of `flip` inverted. */
  range(numbers: Integers, flip: number): readonly [least: number, most: number];
  /**
   * For each row, `base` plus its number in every column times that column's factor, modulo 2^32.
   * There must be at least one column. The result is good until the next call.
   */
  sum(columns: readonly Integers[], factors: readonly number[], base: number): Uint32Array;
  /**
   * What `divisor` goes into numbers, as integers of 32 bits with the bits of `flip` inverted.
   * Undefined if one of them is no multiple of it; `isZero` says whether −0 is one. The result is
   * good until the next call. Plain TypeScript lacks this loop.
   */
  multiples?(
    numbers: Float64Array,
    divisor: number,
    flip: number,
    isZero: boolean,
  ): Uint32Array | undefined;
  /**
   * Makes a loop that spells strings, in some megabytes of memory of its own; undefined if there is
   * no memory for it. Plain TypeScript has a loop of its own.
   */
  speller?(letters: Letters): Speller | undefined;
}

/** The letters of an alphabet, by the code unit that stands for them. */
export interface Letters {
  /**
   * By code unit: its symbol, which is its letter in the upper byte, and in the lower one which of
   * the characters of that letter it is, both from 1 on. 0 if it has no letter, and 0xffff if it
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

/** The same, and the symbols themselves. Good until the next text is spelt. */
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

/** A range of keys to look for, by their words: see {@link orderWords}. */
export interface Sought {
  /** The type of the keys. */
  readonly keyType: KeyType;
  /** The order that words have. */
  readonly order: Order;
  /** The first word of the range. */
  readonly first: bigint;
  /** The last word of the range, which belongs to it. */
  readonly last: bigint;
}

/** The keys of a slice that lie in the range. */
export interface FoundKeys {
  /** The row numbers of wanted keys, in the order of the slice. Good until any next call. */
  readonly rows: Uint32Array;
  /** How many keys have a word before the first one. */
  readonly before: number;
  /** How many keys have the last word. */
  readonly ties: number;
}

/**
 * Finds the keys of a range in a slice of at most FIELD_ROWS, on the calling thread. `row` is the
 * number of the slice's first key. Only the first `maxTies` keys with the last word are wanted.
 */
export type FindKeys = (keys: KeyArray, row: number, maxTies: number) => FoundKeys;

/** Makes a function that finds the keys of a range. */
export type KeyFinder = (sought: Sought) => FindKeys;
