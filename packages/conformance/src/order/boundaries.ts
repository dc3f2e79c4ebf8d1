/**
 * Keys at every boundary of 16 bits: what is lost where words are handled in halves, or as floats.
 */

import type { Backend } from '@keysweep/core';
import { serve } from '../request/verify.js';
import { assertSameBits } from '../verify/asserts.js';

/**
 * Before, at and behind every multiple of 2^16: zeros, NaNs of all kinds, denormals, 0xffffffff.
 */
const LENGTH = 3 * 2 ** 16;

/** Odd, so that it visits every place once. */
const STRIDE = 75_767;

/** All boundaries in no order, as the bits of `length` keys. */
function boundaries(): Uint32Array<ArrayBuffer> {
  return Uint32Array.from({ length: LENGTH }, (_, i) => {
    const place = (i * STRIDE) % LENGTH;
    return Math.floor(place / 3) * 2 ** 16 + (place % 3) - 1;
  });
}

const bitsOf = (keys: Uint32Array | Float32Array): Uint32Array => new Uint32Array(keys.buffer);

/**
 * Throws unless `backend` sorts them as words and as floats, and no bit of any gets lost. NaNs may
 * stand in any order among themselves.
 */
export async function verifyBoundaries(backend: Backend): Promise<void> {
  const words = boundaries();
  await serve(backend, 'sort', [words], {});
  assertSameBits('boundaries as words', words, boundaries().sort());

  const floats = new Float32Array(boundaries().buffer);
  await serve(backend, 'sort', [floats], {});
  const all = bitsOf(floats).slice().sort();
  assertSameBits('boundaries as floats: all bits', all, boundaries().sort());
  const numbers = floats.findIndex((key) => Number.isNaN(key));
  const isNumber = (key: number): boolean => !Number.isNaN(key);
  const expected = new Float32Array(boundaries().buffer).filter(isNumber).sort();
  assertSameBits('boundaries as floats: numbers', floats.slice(0, numbers), expected);
  if (floats.subarray(numbers).some(isNumber)) {
    throw new Error('boundaries as floats: a number stands behind a NaN');
  }
}
