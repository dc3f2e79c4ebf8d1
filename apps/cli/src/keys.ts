/** From key types to arrays. */

import { type KeyArray, type KeyType, keyTraits } from '@keysweep/core';
import { Failure } from './failure.js';

type KeyArrayConstructor = {
  new (length: number): KeyArray;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): KeyArray;
};

const CONSTRUCTOR_NAMES: Readonly<Record<KeyType, string>> = {
  u8: 'Uint8Array',
  i8: 'Int8Array',
  u16: 'Uint16Array',
  i16: 'Int16Array',
  f16: 'Float16Array',
  u32: 'Uint32Array',
  i32: 'Int32Array',
  f32: 'Float32Array',
  u64: 'BigUint64Array',
  i64: 'BigInt64Array',
  f64: 'Float64Array',
};

/** Bytes of one key. */
export function bytesOf(keyType: KeyType): number {
  return keyTraits(keyType).bits / 8;
}

/**
 * The array class for `keyType`.
 * @throws Failure for 'f16' where the runtime has no Float16Array.
 */
export function arrayClassOf(keyType: KeyType): KeyArrayConstructor {
  const name = CONSTRUCTOR_NAMES[keyType];
  const found = (globalThis as unknown as Record<string, KeyArrayConstructor | undefined>)[name];
  if (found !== undefined) return found;
  throw new Failure(
    `${keyType} needs ${name}, which Node.js ${process.versions.node} does not have; Node.js 24 and newer do`,
  );
}

/** The memory of `array` as bytes. */
export function asBytes({ buffer, byteOffset, byteLength }: KeyArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
