/** Whether a result is right: looked at after the clock has stopped. */

import { differenceButNaNs, faultOfOrder } from '@keysweep/conformance/verify';
import type { KeyArray, Order } from 'keysweep';

/** What a sort left. */
export interface Result {
  readonly keys: KeyArray;
  /** The place that each key came from: the payload of pairs, or the permutation. */
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
  // By value: the built-in way moves keys one by one, and may give a NaN other bits.
  for (let i = 0; i < keys.length; i++) {
    const key = input[origins[i] as number];
    if (!Object.is(keys[i], key)) return `key ${i} is ${keys[i]}, but its payload came with ${key}`;
  }
  return undefined;
}
