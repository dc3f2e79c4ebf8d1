/** Key types: what a person calls them, and their arrays. */

import type { KeyArray, KeyType } from 'keysweep';

export interface KeyTypeFacts {
  /** The name of the array's class, which is what a JavaScript programmer knows. */
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

interface KeyArrayClass {
  new (length: number): KeyArray;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): KeyArray;
}

/**
 * The array class of a key type.
 * @throws Error for 'f16' in a browser that has no Float16Array.
 */
export function arrayClassOf(keyType: KeyType): KeyArrayClass {
  const name = KEY_TYPES[keyType].arrayName;
  const found = (globalThis as unknown as Record<string, KeyArrayClass | undefined>)[name];
  if (found === undefined) throw new Error(`this browser has no ${name}`);
  return found;
}

/** An array's memory as bytes. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: KeyArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
