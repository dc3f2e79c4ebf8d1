/** Whether a result is right: looked at after the clock has stopped. */

import type { KeyArray, Order } from 'keysweep';
import { bitsOf, compareKeys } from '../keys.js';

/** What a sort left. */
export interface Result {
  readonly keys: KeyArray;
  /** The place that each key came from: the payload of pairs, or the permutation. */
  readonly origins: ArrayLike<number> | undefined;
}

/**
 * What is wrong with `result`, or undefined. Keys alone have to be, bit for bit, what the built-in sort made of the same
 * input (NaNs may change places with NaNs). With origins, input order among equal keys counts too: origins have to be a
 * stable permutation that brings `input` in order.
 */
export function faultOf(
  input: KeyArray,
  sorted: KeyArray,
  result: Result,
  order: Order,
): string | undefined {
  if (result.keys.length !== input.length) {
    return `${result.keys.length} keys instead of ${input.length}`;
  }
  return result.origins === undefined
    ? differenceOf(result.keys, sorted)
    : faultOfOrigins(input, result, order);
}

/** Where two arrays of one type differ, NaNs being all alike but for their bits in all. */
export function differenceOf(actual: KeyArray, expected: KeyArray): string | undefined {
  const [a, b] = [bitsOf(actual), bitsOf(expected)];
  const perKey = a.length / Math.max(1, actual.length);
  let nanBits = 0;
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) continue;
    const at = Math.floor(i / perKey);
    if (!(Number.isNaN(actual[at]) && Number.isNaN(expected[at]))) {
      return `key ${at} is ${actual[at]} instead of ${expected[at]}`;
    }
    nanBits = (nanBits + (a[i] as number) - (b[i] as number)) | 0;
  }
  return nanBits === 0 ? undefined : 'NaNs have changed their bits';
}

function faultOfOrigins(
  input: KeyArray,
  { keys, origins }: Result,
  order: Order,
): string | undefined {
  const from = origins as ArrayLike<number>;
  const sign = order === 'descending' ? -1 : 1;
  if (from.length !== input.length) return `${from.length} places instead of ${input.length}`;
  for (let i = 0; i < input.length; i++) {
    const origin = from[i] as number;
    const key = input[origin];
    // An origin that occurs twice would not be in order with itself.
    if (key === undefined) return `there is no key ${origin}, which is said to belong at ${i}`;
    if (keys !== input && !Object.is(keys[i], key)) {
      return `key ${i} is ${keys[i]}, but its payload came with ${key}`;
    }
    if (i === 0) continue;
    const before = from[i - 1] as number;
    const last = input[before] as number | bigint;
    const step = sign * compareKeys(last, key);
    if (step < 0 || (step === 0 && before < origin)) continue;
    return `keys ${before} and ${origin} of the input are in the wrong order at ${i}`;
  }
  return undefined;
}

/** What is wrong with the built-in sort's own result: it has to be in order and of the same keys, by a sum of their bits. */
export function faultOfBuiltin(
  input: KeyArray,
  sorted: KeyArray,
  order: Order,
): string | undefined {
  const sign = order === 'descending' ? -1 : 1;
  for (let i = 1; i < sorted.length; i++) {
    const [a, b] = [sorted[i - 1] as number | bigint, sorted[i] as number | bigint];
    if (sign * compareKeys(a, b) > 0) return `key ${i} is out of order`;
  }
  return sumOfBits(input) === sumOfBits(sorted) ? undefined : 'it has other keys than its input';
}

function sumOfBits(keys: KeyArray): number {
  const bits = bitsOf(keys);
  let sum = 0;
  for (let i = 0; i < bits.length; i++) {
    const word = bits[i] as number;
    sum = (sum + Math.imul(word ^ (word >>> 15), 0x2c1b3c6d)) | 0;
  }
  return sum;
}
