/** The typed arrays there are here, and bits to compare them by. */

import { bitsOf, type KeyType, keyTypeOf, type TypedArray } from '@keysweep/core';

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

/** The bits of element `i` of `bits`, `words` (1 or 2) integers an element. */
function elementAt(bits: ReturnType<typeof bitsOf>, words: number, i: number): string {
  const parts = Array.from(bits.subarray(i * words, (i + 1) * words), (part) => part.toString(16));
  return `0x${parts.reverse().join('_')}`;
}

/**
 * Throws unless element i of `actual` has the bits of element `order[i]` of `source`: unless it is
 * `source` in that order.
 */
export function assertGathered(
  what: string,
  actual: TypedArray,
  source: TypedArray,
  order: Uint32Array,
): void {
  const [bits, sourceBits] = [bitsOf(actual), bitsOf(source)];
  const words = source.BYTES_PER_ELEMENT === 8 ? 2 : 1;
  if (actual.length !== order.length) {
    throw new Error(`${what}: ${actual.length} elements instead of ${order.length}`);
  }
  for (let i = 0; i < order.length; i++) {
    for (let w = 0; w < words; w++) {
      const from = order[i] as number;
      if (bits[i * words + w] === sourceBits[from * words + w]) continue;
      throw new Error(
        `${what}: element ${i} of ${order.length} is ${elementAt(bits, words, i)}, but element ${from} of the input, ${elementAt(sourceBits, words, from)}, belongs there`,
      );
    }
  }
}

/** Throws unless both have the same bits. */
export function assertSameBits(what: string, actual: TypedArray, expected: TypedArray): void {
  const [bits, expectedBits] = [bitsOf(actual), bitsOf(expected)];
  if (bits.length !== expectedBits.length) {
    throw new Error(`${what}: ${actual.length} elements instead of ${expected.length}`);
  }
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] === expectedBits[i]) continue;
    throw new Error(
      `${what}: integer ${i} of ${bits.length} is 0x${bits[i]?.toString(16)}, expected 0x${expectedBits[i]?.toString(16)}`,
    );
  }
}
