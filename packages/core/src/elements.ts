/**
 * The element types keysweep sorts: what each is called, how wide it is, how its bits are read.
 */

import type { GlobalInstance } from './global-types.js';

/** Every typed array: twelve element types, on any buffer (shared, resizable, with any offset). */
export type TypedArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | GlobalInstance<'Float16Array', never>
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/**
 * What the methods of `T` return: an array of the same class on an ArrayBuffer of its own, such as
 * `Uint32Array<ArrayBuffer>`. Before TypeScript 5.7 arrays have no type argument to say so.
 */
export type OnArrayBuffer<T extends TypedArray> = ReturnType<T['map']>;

/** An array of keys. */
export type KeyArray = TypedArray;

/** An array of payloads that move with their keys. */
export type ValueArray = TypedArray;

/** How a key's bits are ordered. `u8` names both Uint8Array and Uint8ClampedArray. */
export type KeyType =
  | 'u8'
  | 'i8'
  | 'u16'
  | 'i16'
  | 'f16'
  | 'u32'
  | 'i32'
  | 'f32'
  | 'u64'
  | 'i64'
  | 'f64';

/** Whether bits are a plain binary number, a two's complement number or an IEEE 754 number. */
export type KeyKind = 'unsigned' | 'signed' | 'float';

/** The bits of a key as unsigned integers; 64-bit keys are two 32-bit words, low word first. */
export type BitsArray = Uint8Array | Uint16Array | Uint32Array;

/** What the order needs to know of a key type. */
export interface KeyTraits {
  readonly keyType: KeyType;
  readonly kind: KeyKind;
  /** Width of a key: 8, 16, 32 or 64 bits. */
  readonly bits: 8 | 16 | 32 | 64;
}

const traits = (keyType: KeyType, kind: KeyKind, bits: KeyTraits['bits']): KeyTraits => ({
  keyType,
  kind,
  bits,
});

const TRAITS: Readonly<Record<KeyType, KeyTraits>> = {
  u8: traits('u8', 'unsigned', 8),
  i8: traits('i8', 'signed', 8),
  u16: traits('u16', 'unsigned', 16),
  i16: traits('i16', 'signed', 16),
  f16: traits('f16', 'float', 16),
  u32: traits('u32', 'unsigned', 32),
  i32: traits('i32', 'signed', 32),
  f32: traits('f32', 'float', 32),
  u64: traits('u64', 'unsigned', 64),
  i64: traits('i64', 'signed', 64),
  f64: traits('f64', 'float', 64),
};

/** All key types, narrow ones first. */
export const KEY_TYPES: readonly KeyType[] = Object.keys(TRAITS) as KeyType[];

const KEY_TYPE_OF_TAG: Readonly<Record<string, KeyType>> = {
  Uint8Array: 'u8',
  Uint8ClampedArray: 'u8',
  Int8Array: 'i8',
  Uint16Array: 'u16',
  Int16Array: 'i16',
  Float16Array: 'f16',
  Uint32Array: 'u32',
  Int32Array: 'i32',
  Float32Array: 'f32',
  BigUint64Array: 'u64',
  BigInt64Array: 'i64',
  Float64Array: 'f64',
};

// The tag's getter looks at the object's internal slot, so arrays of another realm (an iframe, a vm
// context) are known too, and an object that merely claims the name is not.
const readTag = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get as (this: unknown) => string | undefined;

/**
 * The name of the typed array class that `value` is an instance of in any realm, else
 * undefined.
 */
export function typedArrayName(value: unknown): string | undefined {
  return readTag.call(value);
}

/** The key type of a typed array, or undefined for anything else. */
export function keyTypeOf(value: unknown): KeyType | undefined {
  const tag = typedArrayName(value);
  return tag === undefined ? undefined : KEY_TYPE_OF_TAG[tag];
}

/** What the order needs to know of `keyType`. */
export function keyTraits(keyType: KeyType): KeyTraits {
  return TRAITS[keyType];
}

/** The traits of a typed array that has been validated before. */
export function traitsOf(keys: KeyArray): KeyTraits {
  return TRAITS[keyTypeOf(keys) as KeyType];
}

/**
 * A view of the same memory as unsigned integers: the bits of the keys, uninterpreted.
 * 64-bit keys become two 32-bit words each, low word first. Allocates a view, no memory.
 */
export function bitsOf(array: TypedArray): BitsArray {
  const { buffer, byteOffset, byteLength } = array;
  switch (array.BYTES_PER_ELEMENT) {
    case 1:
      return new Uint8Array(buffer, byteOffset, byteLength);
    case 2:
      return new Uint16Array(buffer, byteOffset, byteLength / 2);
    default:
      return new Uint32Array(buffer, byteOffset, byteLength / 4);
  }
}

type TypedArrayConstructor = new (
  source: number | ArrayLike<never> | ArrayBufferLike,
) => TypedArray;

/**
 * A new array of the class of `array`, and of its length if no other is given, on an ordinary
 * ArrayBuffer of this realm, all zero.
 * @throws RangeError when the engine can't allocate it.
 */
export function emptyLike<T extends TypedArray>(
  array: T,
  length: number = array.length,
): OnArrayBuffer<T> {
  const name = typedArrayName(array) as string;
  const Constructor = (globalThis as unknown as Record<string, TypedArrayConstructor>)[
    name
  ] as TypedArrayConstructor;
  return new Constructor(length) as OnArrayBuffer<T>;
}

/**
 * A copy of `array` on an ordinary ArrayBuffer of this realm, bit for bit.
 * @throws RangeError when the engine can't allocate it.
 */
export function copyOf<T extends TypedArray>(array: T): OnArrayBuffer<T> {
  const copy = emptyLike(array);
  bitsOf(copy).set(bitsOf(array));
  return copy;
}
