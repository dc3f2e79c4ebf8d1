/** Keys and values of 32 bits, for checks that aren't about the order. */

import type { Random } from '@keysweep/core/random';
import { randomKeys } from '../data/distributions.js';
import { assertSameBits } from '../verify/asserts.js';

/** Pairs handed to a backend, and what they were before. */
export interface Pairs {
  readonly keys: Uint32Array;
  readonly values: Uint32Array;
  readonly keysBefore: Uint32Array;
  readonly valuesBefore: Uint32Array;
}

export function randomPairs(length: number, random: Random): Pairs {
  const [keys, values] = [randomKeys(length, random), randomKeys(length, random)];
  return { keys, values, keysBefore: keys.slice(), valuesBefore: values.slice() };
}

/** Whether anything has been written. */
export function isTouched({ keys, values, keysBefore, valuesBefore }: Pairs): boolean {
  const differs = (array: Uint32Array, before: Uint32Array): boolean =>
    array.some((element, i) => element !== before[i]);
  return differs(keys, keysBefore) || differs(values, valuesBefore);
}

/** Throws unless both arrays are as they were, as far as they still go. */
export function assertUntouched(what: string, pairs: Pairs): void {
  const { keys, values, keysBefore, valuesBefore } = pairs;
  const intact = (name: string, array: Uint32Array, before: Uint32Array): void => {
    const kept = Math.min(array.length, before.length);
    // Of a detached array there is nothing to look at, nor a view to be had.
    if (kept > 0)
      assertSameBits(`${name} of ${what}`, array.subarray(0, kept), before.subarray(0, kept));
  };
  intact('keys', keys, keysBefore);
  intact('values', values, valuesBefore);
}

/** Throws unless the keys are sorted and each still has a value of its own. */
export function assertSorted(what: string, pairs: Pairs): void {
  const { keys, values, keysBefore, valuesBefore } = pairs;
  const records = (k: Uint32Array, v: Uint32Array): BigUint64Array =>
    BigUint64Array.from(k, (key, i) => (BigInt(key) << 32n) | BigInt(v[i] as number)).sort();
  assertSameBits(`keys of ${what}`, keys, keysBefore.slice().sort());
  assertSameBits(`pairs of ${what}`, records(keys, values), records(keysBefore, valuesBefore));
}

/** Waits for a rejection, and returns what it rejected with; undefined when it resolved. */
export async function rejection(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error ?? new Error('rejected with nothing');
  }
}
