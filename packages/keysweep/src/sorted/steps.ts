/**
 * What the functions of keysweep/sorted have in common: each is a generator of steps, which the
 * synchronous form runs at once, and the asynchronous one with pauses and a sorter's threads.
 */

import {
  areOrderWords,
  copyOf,
  emptyLike,
  type KeyArray,
  type KeyType,
  keyTypeOf,
  type OnArrayBuffer,
  type Order,
  type OrderWords,
  orderWords,
  roomForWords,
} from '@keysweep/core';
import type { Column } from '../table/column.js';

/** A sort that a step waits for: in place, of an array of our own, or of rows. */
export type Need =
  | { readonly sort: KeyArray }
  | { readonly argsort: Column | readonly Column[]; readonly order: Order };

/**
 * Steps that yield a need, and are given the order if it is an argsort; or the share of the loops
 * that is done, from 0 to 1, where there may be a pause.
 */
export type Steps<T> = Generator<Need | number, T, Uint32Array | undefined>;

/** A checked search. */
export interface Search {
  readonly sorted: KeyArray;
  readonly values: KeyArray;
  readonly side: 'left' | 'right';
  readonly order: Order;
  /** Whether the call returns at once, so that the arrays cannot change meanwhile. */
  readonly isAtOnce: boolean;
}

/** Elements between two pauses: a millisecond or less, even if each one misses the caches. */
export const SLICE: number = 2 ** 15;

/**
 * The keys as words, whose ascending order is the order asked for; a view of the keys if these are
 * words. Keys tie if their words are equal. O(n); allocates 4 bytes a key, 8 for 64-bit keys.
 */
export function readWords(keys: KeyArray, order: Order, keyType?: KeyType): OrderWords {
  const column = { keys, order, keyType: keyType ?? (keyTypeOf(keys) as KeyType) };
  return orderWords(column, roomForWords(column, areOrderWords(column) ? 0 : keys.length));
}

/** A copy of the keys as words. */
export function wordsOf(keys: KeyArray, order: Order, keyType?: KeyType): OrderWords {
  const words = readWords(keys, order, keyType);
  const isView = words.lows.buffer === keys.buffer;
  return isView ? { ...words, lows: words.lows.slice() } : words;
}

/** A copy of one array after the other, in an array of the class of the first. */
export function concat<K extends KeyArray>(arrays: readonly K[]): OnArrayBuffer<K> {
  const [first] = arrays as readonly [K];
  if (arrays.length === 1) return copyOf(first);
  const all = emptyLike<KeyArray>(
    first,
    arrays.reduce((sum, { length }) => sum + length, 0),
  ) as Uint8Array;
  let at = 0;
  for (const array of arrays) {
    all.set(array as Uint8Array, at);
    at += array.length;
  }
  return all as KeyArray as OnArrayBuffer<K>;
}
