/** What is shown of a sort: one frame after each of its steps. */

import { Random } from '@keysweep/conformance/data';
import type { CountersSpec } from './counters.js';

/** Bits [begin, begin + bits) of a key. */
export interface Digit {
  readonly begin: number;
  readonly bits: number;
}

/** The array between two steps. */
export interface Frame {
  readonly title: string;
  /** What has just happened, and what comes next. */
  readonly text: string;
  /** The key at each position, by its number: keys are numbered by where they were at first. */
  readonly order: Uint16Array;
  /** What is sorted by, where it is a digit: histogram and colours are of it. */
  readonly digit?: Digit;
  /** What the colours mean where there is no digit: a number for each key, by its number. */
  readonly groups?: { readonly of: Uint8Array; readonly count: number };
  /** Positions in a tile, where the next step works in tiles. */
  readonly tile?: number;
  /** How the first thread counts its keys in the next step. */
  readonly counters?: CountersSpec;
}

/** A sort to be watched. */
export interface Show {
  /** Keys of 16 bits, by number. */
  readonly keys: Uint16Array;
  readonly frames: readonly Frame[];
}

/** Bits of the keys that are shown. */
export const KEY_BITS = 16;

/** Random keys to show. */
export function keysToShow(length: number, seed: number): Uint16Array {
  return new Random(seed, length).fill(new Uint16Array(length));
}

export const digitOf = (key: number, { begin, bits }: Digit): number =>
  (key >>> begin) & (2 ** bits - 1);

/** 0, 1, 2 …: nothing has moved yet. */
export const atFirst = (length: number): Uint16Array => Uint16Array.from({ length }, (_, i) => i);

/** How many keys have each digit. */
export function histogramOf(keys: Uint16Array, digit: Digit): number[] {
  const counts = new Array<number>(2 ** digit.bits).fill(0);
  for (const key of keys) counts[digitOf(key, digit)] = (counts[digitOf(key, digit)] as number) + 1;
  return counts;
}

/** The share of neighbours that are in order, 0 to 1. */
export function orderliness({ keys }: Show, { order }: Frame): number {
  let inOrder = 0;
  for (let i = 1; i < order.length; i++) {
    if ((keys[order[i - 1] as number] as number) <= (keys[order[i] as number] as number)) inOrder++;
  }
  return order.length < 2 ? 1 : inOrder / (order.length - 1);
}
