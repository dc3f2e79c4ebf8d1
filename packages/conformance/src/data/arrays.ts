/** The typed arrays of this runtime. */

import { KEY_TYPES, type KeyType, keyTypeOf, type TypedArray } from '@keysweep/core';

/** Makes an array of `length` elements, or views `buffer`. */
export interface ArrayClass {
  readonly name: string;
  readonly keyType: KeyType;
  readonly bytes: number;
  readonly create: (
    source: number | ArrayBufferLike,
    byteOffset?: number,
    length?: number,
  ) => TypedArray;
}

type Constructor = {
  new (source: number | ArrayBufferLike, byteOffset?: number, length?: number): TypedArray;
  readonly name: string;
  readonly BYTES_PER_ELEMENT: number;
};

function arrayClass(Class: Constructor): ArrayClass {
  return {
    name: Class.name,
    keyType: keyTypeOf(new Class(0)) as KeyType,
    bytes: Class.BYTES_PER_ELEMENT,
    create: (source, byteOffset, length) => new Class(source, byteOffset, length),
  };
}

const Float16 = (globalThis as { Float16Array?: Constructor }).Float16Array;

/** Element types that this runtime lacks, each with the reason to print. */
export const MISSING_CLASSES: readonly string[] =
  Float16 === undefined ? ['Float16Array: this runtime does not have it'] : [];

/** All typed array classes of this runtime. */
export const ARRAY_CLASSES: readonly ArrayClass[] = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  ...(Float16 === undefined ? [] : [Float16]),
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
].map((Class) => arrayClass(Class as unknown as Constructor));

/** The class of that name. */
export function classNamed(name: string): ArrayClass {
  const found = ARRAY_CLASSES.find((candidate) => candidate.name === name);
  if (found === undefined) throw new RangeError(`there is no ${name} here`);
  return found;
}

/** The class whose arrays hold keys of `keyType`; of 'u8' it is Uint8Array. */
export function classOf(keyType: KeyType): ArrayClass {
  const found = ARRAY_CLASSES.find((candidate) => candidate.keyType === keyType);
  if (found === undefined) throw new RangeError(`there are no arrays of ${keyType} here`);
  return found;
}

/** The key types that every supported runtime has. */
export type CommonKeyType = Exclude<KeyType, 'f16'>;

export const COMMON_KEY_TYPES: readonly CommonKeyType[] = KEY_TYPES.filter(
  (keyType): keyType is CommonKeyType => keyType !== 'f16',
);
