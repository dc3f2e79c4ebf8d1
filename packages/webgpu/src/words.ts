/** The caller's elements as the words that GPU buffers hold, and back. */

import { type BitsArray, bitsOf, type KeyType, keyTraits, type TypedArray } from '@keysweep/core';

/** How far narrow keys are moved up: their sign is then where that of a 32-bit key is. */
export const shiftOf = (keyType: KeyType): number => 32 - Math.min(32, keyTraits(keyType).bits);

/** Words of an element in a GPU buffer. */
export const wordsPer = (array: TypedArray): 1 | 2 => (array.BYTES_PER_ELEMENT === 8 ? 2 : 1);

/**
 * The bits of `array` as 32-bit words, narrow elements moved up by `shift`. Elements of 32 and 64 bits are
 * a view; others take 4 bytes an element.
 */
export function toWords(array: TypedArray, shift: number): Uint32Array {
  const bits = bitsOf(array);
  if (bits instanceof Uint32Array) return bits;
  const words = new Uint32Array(bits.length);
  for (let i = 0; i < words.length; i++) words[i] = (bits[i] as number) << shift;
  return words;
}

/** The inverse: bits of the width of `array`'s elements. A view of `words` where they are as wide. */
export function fromWords(words: Uint32Array, array: TypedArray, shift: number): BitsArray {
  if (array.BYTES_PER_ELEMENT >= 4) return words;
  const bits =
    array.BYTES_PER_ELEMENT === 1 ? new Uint8Array(words.length) : new Uint16Array(words.length);
  for (let i = 0; i < bits.length; i++) bits[i] = (words[i] as number) >>> shift;
  return bits;
}
