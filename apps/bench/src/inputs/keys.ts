/** Keys to sort, made up. */

import type { KeyArray, KeyType, TypedArray } from '@keysweep/core';

/** How keys lie in their array before the sort. */
export type Distribution = 'random' | 'sorted' | 'reversed' | 'equal';

/** Random 32-bit words (xorshift): quick, and more than random enough for a sort. */
export type Words = () => number;

/** Words that `seed` decides. */
export function wordsFrom(seed: number): Words {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** The key types that every supported runtime has. */
export type CommonKeyType = Exclude<KeyType, 'f16'>;

const MAKE: Readonly<Record<CommonKeyType, (length: number) => TypedArray>> = {
  u8: (length) => new Uint8Array(length),
  i8: (length) => new Int8Array(length),
  u16: (length) => new Uint16Array(length),
  i16: (length) => new Int16Array(length),
  u32: (length) => new Uint32Array(length),
  i32: (length) => new Int32Array(length),
  f32: (length) => new Float32Array(length),
  u64: (length) => new BigUint64Array(length),
  i64: (length) => new BigInt64Array(length),
  f64: (length) => new Float64Array(length),
};

/**
 * `length` keys: integers over the whole range of the type, floats between −2^31 and 2^31. Floats
 * have no NaNs, whose order among themselves is anybody's.
 */
export function makeKeys(
  keyType: CommonKeyType,
  length: number,
  distribution: Distribution,
  words: Words,
): KeyArray {
  const keys = MAKE[keyType](length);
  if (distribution === 'equal') {
    fill(keys.subarray(0, 1) as KeyArray, words);
    return length === 0 ? keys : (keys.fill(keys[0] as never) as KeyArray);
  }
  fill(keys, words);
  if (distribution !== 'random') keys.sort();
  if (distribution === 'reversed') keys.reverse();
  return keys;
}

function fill(keys: KeyArray, words: Words): void {
  if (keys instanceof Float32Array || keys instanceof Float64Array) {
    const fine = keys instanceof Float64Array;
    for (let i = 0; i < keys.length; i++) {
      keys[i] = words() - 2 ** 31 + (fine ? words() / 2 ** 32 : 0);
    }
    return;
  }
  // Any bits are an integer. Narrow ones take the low bits of a word.
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT } = keys;
  const bits =
    BYTES_PER_ELEMENT < 4
      ? (keys as Uint8Array)
      : new Uint32Array(buffer, byteOffset, byteLength / 4);
  for (let i = 0; i < bits.length; i++) bits[i] = words();
}
