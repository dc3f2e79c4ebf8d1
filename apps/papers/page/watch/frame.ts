/** An animation of a sort: one frame after each of its steps. */

import { Random } from '@keysweep/conformance/data';

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
  /** The key at each position, by its number: the position in the input. */
  readonly order: Uint16Array;
  /** The digit that is sorted by, if there is one: histogram and colours show it. */
  readonly digit?: Digit;
  /** The colours without a digit: a group for each key, by the key's number. */
  readonly groups?: { readonly of: Uint8Array; readonly count: number };
  /** Positions in a tile, if the next step works in tiles. */
  readonly tile?: number;
  /** Whether threads count their keys in the next step. */
  readonly isCounted?: true;
}

/** An animated sort. */
export interface Animation {
  /** Keys of 16 bits, by number. */
  readonly keys: Uint16Array;
  readonly frames: readonly Frame[];
}

/** Bits of an animation's keys. */
export const KEY_BITS = 16;

/** Random keys for an animation. */
export function animationKeys(length: number, seed: number): Uint16Array {
  return new Random(seed, length).fill(new Uint16Array(length));
}

export const digitOf = (key: number, { begin, bits }: Digit): number =>
  (key >>> begin) & (2 ** bits - 1);

/** 0, 1, 2 …: the order of the input. */
export const initialOrder = (length: number): Uint16Array =>
  Uint16Array.from({ length }, (_, i) => i);

/** How many keys have each digit. */
export function histogramOf(keys: Uint16Array, digit: Digit): number[] {
  const counts = new Array<number>(2 ** digit.bits).fill(0);
  for (const key of keys) counts[digitOf(key, digit)] = (counts[digitOf(key, digit)] as number) + 1;
  return counts;
}

/** The share of neighbours that are in order, 0 to 1. */
export function shareInOrder({ keys }: Animation, { order }: Frame): number {
  let inOrder = 0;
  for (let i = 1; i < order.length; i++) {
    if ((keys[order[i - 1] as number] as number) <= (keys[order[i] as number] as number)) inOrder++;
  }
  return order.length < 2 ? 1 : inOrder / (order.length - 1);
}
