/** Key types: their array classes, widths and order. */

import type { KeyArray, KeyType } from 'keysweep';

export interface KeyTypeFacts {
  /** The name of the array class, by which the page calls the type. */
  readonly arrayName: string;
  readonly bits: 8 | 16 | 32 | 64;
  readonly isFloat: boolean;
}

export const KEY_TYPES: Readonly<Record<KeyType, KeyTypeFacts>> = {
  u8: { arrayName: 'Uint8Array', bits: 8, isFloat: false },
  i8: { arrayName: 'Int8Array', bits: 8, isFloat: false },
  u16: { arrayName: 'Uint16Array', bits: 16, isFloat: false },
  i16: { arrayName: 'Int16Array', bits: 16, isFloat: false },
  f16: { arrayName: 'Float16Array', bits: 16, isFloat: true },
  u32: { arrayName: 'Uint32Array', bits: 32, isFloat: false },
  i32: { arrayName: 'Int32Array', bits: 32, isFloat: false },
  f32: { arrayName: 'Float32Array', bits: 32, isFloat: true },
  u64: { arrayName: 'BigUint64Array', bits: 64, isFloat: false },
  i64: { arrayName: 'BigInt64Array', bits: 64, isFloat: false },
  f64: { arrayName: 'Float64Array', bits: 64, isFloat: true },
};

export const isKeyType = (text: unknown): text is KeyType =>
  typeof text === 'string' && Object.hasOwn(KEY_TYPES, text);

/** An array's memory as unsigned integers as wide as they can be: equal bits are equal integers. */
export function bitsOf({
  buffer,
  byteOffset,
  byteLength,
  BYTES_PER_ELEMENT,
}: KeyArray): ArrayLike<number> {
  if (BYTES_PER_ELEMENT === 1) return new Uint8Array(buffer, byteOffset, byteLength);
  if (BYTES_PER_ELEMENT === 2) return new Uint16Array(buffer, byteOffset, byteLength / 2);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** ECMAScript's order of two keys: −0 before +0, NaNs last and all alike. */
export function compareKeys(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return a === 0 ? Number(Object.is(b, -0)) - Number(Object.is(a, -0)) : 0;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}
