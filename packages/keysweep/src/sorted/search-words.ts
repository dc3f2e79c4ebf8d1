/** 64-bit integers as doubles: their distances from the least key, which may be rounded. */

import { bitsOf, type KeyArray, traitsOf } from '@keysweep/core';

/** Keys and values as doubles in the same order; keys and values that differ may be one double. */
export interface Distances {
  readonly keys: Float64Array;
  readonly values: Float64Array;
  /** Finishes places on the left, in doubles, [from, to); undefined if no double was rounded. */
  readonly refine: ((places: Uint32Array, from: number, to: number) => void) | undefined;
}

/** Keys, one or more in order, and values as distances. O(n + v); 8 or 16 bytes each. */
export function distancesOf(sorted: KeyArray, sought: KeyArray, side: 'left' | 'right'): Distances {
  const flip = traitsOf(sorted).kind === 'signed' ? 2 ** 31 : 0;
  const [keyHalves, valueHalves] = [bitsOf(sorted), bitsOf(sought)] as [Uint32Array, Uint32Array];
  const base: Base = {
    low: keyHalves[0] as number,
    high: ((keyHalves[1] as number) ^ flip) >>> 0,
    flip,
  };
  const keys = distances(keyHalves, base);
  const values = distances(valueHalves, base);
  const isExact = (keys.at(-1) as number) < 2 ** 53;
  if (isExact) {
    if (side === 'right') addOne(values);
    return { keys, values, refine: undefined };
  }
  // The caller's arrays may change meanwhile.
  const [own, wanted] = [keyHalves.slice(), valueHalves.slice()];
  const ties = Number(side === 'right');
  /** Whether the key at a place, which is the same double as a value, goes before it. */
  const isBefore = (at: number, i: number): boolean => {
    if (keys[at] !== values[i]) return false;
    const [a, b] = [own[2 * at + 1] as number, wanted[2 * i + 1] as number];
    if (a !== b) return (a ^ flip) >>> 0 < (b ^ flip) >>> 0;
    return (own[2 * at] as number) < (wanted[2 * i] as number) + ties;
  };
  const refine = (places: Uint32Array, from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      let low = places[i] as number;
      let high = low;
      for (let step = 1; high < keys.length && isBefore(high, i); step *= 2) {
        low = high + 1;
        high += step;
      }
      high = Math.min(high, keys.length);
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (isBefore(middle, i)) low = middle + 1;
        else high = middle;
      }
      places[i] = low;
    }
  };
  return { keys, values, refine };
}

/** Integers become the next ones: the right of an integer is the left of the next. */
export function addOne(integers: Float64Array): void {
  for (let i = 0; i < integers.length; i++) integers[i] = (integers[i] as number) + 1;
}

/** The least key, as halves without a sign. */
interface Base {
  readonly low: number;
  readonly high: number;
  readonly flip: number;
}

function distances(halves: Uint32Array, { low, high, flip }: Base): Float64Array {
  const result = new Float64Array(halves.length / 2);
  for (let i = 0; i < result.length; i++) {
    const own = ((halves[2 * i + 1] as number) ^ flip) >>> 0;
    result[i] = (own - high) * 2 ** 32 + ((halves[2 * i] as number) - low);
  }
  return result;
}
