/** Random keys for the command, and their bytes. */

import {
  type CommonKeyType,
  classOf,
  fillUniform,
  Random,
  runSeed,
} from '@keysweep/conformance/data';
import type { TypedArray } from '@keysweep/core';

export const SEED: number = runSeed();

const SPECIAL_FLOATS = [0, -0, Infinity, -Infinity, NaN];

/**
 * `length` random keys over the whole range of the type. Floats have zeros of both signs and
 * infinities among them, but NaNs of the usual pattern only, so that a sorted result has one answer
 * bit for bit.
 */
export function randomKeys(keyType: CommonKeyType, length: number, seed: number): TypedArray {
  const random = new Random(seed);
  const keys = fillUniform(classOf(keyType).create(length), random);
  if (!keyType.startsWith('f')) return keys;
  for (let i = 0; i < length; i++) {
    if (random.below(8) === 0) keys[i] = SPECIAL_FLOATS[random.below(5)] as never;
  }
  return keys;
}

/** The memory of `array` as a Buffer, which vitest compares quickly and shows briefly. */
export function bufferOf({ buffer, byteOffset, byteLength }: TypedArray): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
