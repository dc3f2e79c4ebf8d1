/** What backends on the CPU do for tables: move rows, pack columns into words, and find keys. */

import type { KeyArray, KeyType } from './elements.js';
import type { TypedArray } from './intrinsics.js';
import type { Order } from './keys/order.js';
import type { Letters, Speller } from './spelling-contract.js';

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
