/**
 * The element types that keysweep sorts: their names, their widths, and how their bits are read.
 */

import {
  assertAttached,
  bufferOf,
  byteOffsetOf,
  getPrototypeOf,
  lengthOf,
  setArray,
  subarrayOf,
  type TypedArray,
  typedArrayName,
} from './intrinsics.js';

/**
 * What the methods of `T` return: an array of the same class on an ArrayBuffer of its own, such as
 * `Uint32Array<ArrayBuffer>`. Before TypeScript 5.7 arrays have no type argument to say so.
 */
export type OnArrayBuffer<T extends TypedArray> = ReturnType<T['map']>;

/** An array of keys. */
export type KeyArray = TypedArray;

/** One key of an array: a bigint if the array has 64-bit integers, otherwise a number. */
export type KeyOf<K extends KeyArray> = K extends BigInt64Array | BigUint64Array ? bigint : number;

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

/** The properties of a key type that its order depends on. */
export interface KeyTraits {
  /** The name of the type. */
  readonly keyType: KeyType;
  /** How the bits make a number. */
  readonly kind: KeyKind;
  /** Width of a key: 8, 16, 32 or 64 bits. */
  readonly bits: 8 | 16 | 32 | 64;
}

/** All key types, narrow ones first. */
export const KEY_TYPES: readonly KeyType[] = [
  'u8',
  'i8',
  'u16',
  'i16',
  'f16',
  'u32',
  'i32',
  'f32',
  'u64',
  'i64',
  'f64',
];

const KINDS: Readonly<Record<string, KeyKind>> = { u: 'unsigned', i: 'signed', f: 'float' };

/** A key type's name says everything: a letter for the kind, then the number of bits. */
const TRAITS = Object.fromEntries(
  KEY_TYPES.map((keyType) => {
    const [kind, bits] = [KINDS[keyType.charAt(0)], Number(keyType.slice(1))];
    return [keyType, { keyType, kind, bits }];
  }),
) as Readonly<Record<KeyType, KeyTraits>>;

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

type TypedArrayConstructor = {
  new (length: number): TypedArray;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): TypedArray;
  readonly prototype: TypedArray;
};

/** The classes of this realm by name, as they were when this module was loaded. */
const CLASSES = Object.fromEntries(
  Object.keys(KEY_TYPE_OF_TAG).map((name) => [name, globalThis[name as 'Uint8Array']] as const),
) as unknown as Readonly<Record<string, TypedArrayConstructor>>;

/** The key type of a typed array, or undefined for anything else. */
export function keyTypeOf(value: unknown): KeyType | undefined {
  const tag = typedArrayName(value);
  return tag === undefined ? undefined : KEY_TYPE_OF_TAG[tag];
}

/** The name of the class of arrays of `keyType`: 'u64' → "BigUint64Array". */
export function arrayNameOf(keyType: KeyType): string {
  return Object.keys(KEY_TYPE_OF_TAG).find((name) => KEY_TYPE_OF_TAG[name] === keyType) as string;
}

/** The traits of a key type: 'f32' → `{ keyType: 'f32', kind: 'float', bits: 32 }`. */
export function keyTraits(keyType: KeyType): KeyTraits {
  return TRAITS[keyType];
}

/** The traits of a typed array's keys. The array must have been checked before. */
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

/**
 * A view of the memory of `array`, of the same length and of this realm's own class: nothing of the
 * caller's is on it. It follows the buffer's length where the array does, unless the array is of a
 * subclass. Allocates a view, no memory.
 * @throws TypeError where the array's memory is gone: detached, or shrunk below it.
 */
export function plainView<T extends TypedArray>(array: T): T {
  const Class = classOf(array);
  const length = lengthOf(array);
  // subarray() would make an empty view of memory that is gone.
  if (length === 0) assertAttached(array);
  const isPlain = getPrototypeOf(array) === Class.prototype && !Object.hasOwn(array, 'constructor');
  // Only subarray() tells whether an array follows its buffer's length.
  if (isPlain) return subarrayOf(array, 0);
  return new Class(bufferOf(array), byteOffsetOf(array), length) as T;
}

const classOf = (array: TypedArray): TypedArrayConstructor =>
  CLASSES[typedArrayName(array) as string] as TypedArrayConstructor;

/**
 * A new array of the class of `array`, and of its length if no other is given, on an ordinary
 * ArrayBuffer of this realm, all zero.
 * @throws RangeError when the engine can't allocate it.
 */
export function emptyLike<T extends TypedArray>(
  array: T,
  length: number = lengthOf(array),
): OnArrayBuffer<T> {
  return new (classOf(array))(length) as OnArrayBuffer<T>;
}

/**
 * A copy of `array` on an ordinary ArrayBuffer of this realm, bit for bit.
 * @throws RangeError when the engine can't allocate it.
 */
export function copyOf<T extends TypedArray>(array: T): OnArrayBuffer<T> {
  const copy = emptyLike(array);
  setArray(bitsOf(copy), bitsOf(array));
  return copy;
}
