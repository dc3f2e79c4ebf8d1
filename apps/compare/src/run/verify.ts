/** Checks results, after the clock has stopped. */

import { differenceButNaNs, faultOfOrder } from '@keysweep/conformance/verify';
import type { KeyArray, Order } from 'keysweep';

/** The result of one sort. */
export interface Result {
  readonly keys: KeyArray;
  /** The input position of each key: the payload of pairs, or the permutation. */
  readonly origins: ArrayLike<number> | undefined;
}

/**
 * What is wrong with `result`, or undefined. Keys alone have to be, bit for bit, what the built-in
 * sort made of the same input; NaNs may change places with NaNs. With origins, these have to be the
 * stable permutation that brings `input` in order, and each key the one of its origin.
 */
export function faultOf(
  input: KeyArray,
  sorted: KeyArray,
  { keys, origins }: Result,
  order: Order,
): string | undefined {
  if (origins === undefined) return differenceButNaNs(keys, sorted);
  if (keys.length !== input.length) return `${keys.length} keys instead of ${input.length}`;
  const fault = faultOfOrder([input], origins, { order });
  if (fault !== undefined || keys === input) return fault;
  // By value: the built-in sort moves keys one by one, which may change the bits of a NaN.
  for (let i = 0; i < keys.length; i++) {
    const key = input[origins[i] as number];
    if (!Object.is(keys[i], key)) return `key ${i} is ${keys[i]}, but its payload came with ${key}`;
  }
  return undefined;
}
