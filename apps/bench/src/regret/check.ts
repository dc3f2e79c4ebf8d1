/** Whether a sort is right, in one read: sorting 2^26 keys once more to compare them takes too long. */

import { bitsOf, type TypedArray } from '@keysweep/core';
import { disorderOf } from '../measure/verify.js';
import type { Input, Result } from '../measure/workload.js';

/** A checksum of the keys' bits that does not depend on their order. */
function sumOf(keys: TypedArray): number {
  const bits = bitsOf(keys);
  const words = bits.length / keys.length;
  let sum = 0;
  for (let i = 0; i < bits.length; i += words) {
    let word = bits[i] as number;
    if (words === 2) word ^= Math.imul(bits[i + 1] as number, 0x9e3779b1);
    sum = (sum + Math.imul(word ^ (word >>> 15), 0x85ebca6b)) | 0;
  }
  return sum;
}

/** undefined, or what is wrong with the result of an ascending sort of `input`, whose keys are no NaNs. */
export function faultOf({ columns: [given] }: Input, result: Result): string | undefined {
  const { keys, values, order } = result;
  const rows = order ?? values;
  if (rows !== undefined) {
    const fault = disorderOf([given], rows);
    if (fault !== undefined || order !== undefined) return fault;
    const at = rows.findIndex((row, i) => keys[i] !== given[row]);
    return at < 0 ? undefined : `key ${at} is not that of its row`;
  }
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i - 1] as number) > (keys[i] as number))
      return `keys ${i - 1} and ${i} are not in order`;
  }
  return sumOf(keys) === sumOf(given) ? undefined : 'the keys are not those that were given';
}
