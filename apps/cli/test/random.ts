/** Random keys that can be made again from a printed seed. */

import { randomInt } from 'node:crypto';
import type { KeyType, TypedArray } from '@keysweep/core';

/** Taken from KEYSWEEP_SEED where a failure is to be repeated. */
export const SEED: number = Number(process.env.KEYSWEEP_SEED ?? randomInt(2 ** 31));

/** Random 32-bit words from a seed (xorshift). */
export function wordsFrom(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}

const MAKE: Readonly<Record<Exclude<KeyType, 'f16'>, (length: number) => TypedArray>> = {
  u8: (n) => new Uint8Array(n),
  i8: (n) => new Int8Array(n),
  u16: (n) => new Uint16Array(n),
  i16: (n) => new Int16Array(n),
  u32: (n) => new Uint32Array(n),
  i32: (n) => new Int32Array(n),
  f32: (n) => new Float32Array(n),
  u64: (n) => new BigUint64Array(n),
  i64: (n) => new BigInt64Array(n),
  f64: (n) => new Float64Array(n),
};

/** The key types that every supported runtime has. */
export const COMMON_TYPES = Object.keys(MAKE) as Exclude<KeyType, 'f16'>[];

/**
 * `length` random keys over the whole range of the type. Floats have zeros of both signs and
 * infinities among them, but NaNs of the usual pattern only, so that a sorted result has one answer
 * bit for bit.
 */
export function randomKeys(
  keyType: Exclude<KeyType, 'f16'>,
  length: number,
  seed: number,
): TypedArray {
  const next = wordsFrom(seed);
  const keys = MAKE[keyType](length);
  if (keys instanceof Float32Array || keys instanceof Float64Array) {
    const special = [0, -0, Infinity, -Infinity, NaN];
    for (let i = 0; i < length; i++) {
      const word = next();
      keys[i] = word % 8 === 0 ? (special[(word >>> 3) % 5] as number) : next() / 2 ** 16 - 2 ** 15;
    }
    return keys;
  }
  const bytes = new Uint8Array(keys.buffer);
  for (let i = 0; i < bytes.length; i++) bytes[i] = next() >>> 11;
  return keys;
}

/** The memory of `array` as a Buffer, which vitest compares quickly and shows briefly. */
export function bufferOf({ buffer, byteOffset, byteLength }: TypedArray): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
