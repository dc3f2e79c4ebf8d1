/** The caller's elements as the words that textures hold, and back. */

import { type BitsArray, bitsOf, type KeyArray, keyTraits, traitsOf } from '@keysweep/core';

/** Words of a key. */
export const wordsPer = (keys: KeyArray): 1 | 2 => (keys.BYTES_PER_ELEMENT === 8 ? 2 : 1);

const shiftOf = (keys: KeyArray): number =>
  32 - Math.min(32, keyTraits(traitsOf(keys).keyType).bits);

/** A copy of the keys' bits in memory that can be sent away: narrow keys are moved to the top of a word each. O(n). */
export function toWords(keys: KeyArray): Uint32Array<ArrayBuffer> {
  const bits = bitsOf(keys);
  const words = new Uint32Array(bits.length);
  if (bits instanceof Uint32Array) {
    words.set(bits);
    return words;
  }
  const shift = shiftOf(keys);
  for (let i = 0; i < words.length; i++) words[i] = (bits[i] as number) << shift;
  return words;
}

/** The inverse: bits of the keys' own width. A view of `words` where they are as wide. */
export function fromWords(words: Uint32Array, keys: KeyArray): BitsArray {
  if (keys.BYTES_PER_ELEMENT >= 4) return words;
  const bits =
    keys.BYTES_PER_ELEMENT === 1 ? new Uint8Array(words.length) : new Uint16Array(words.length);
  const shift = shiftOf(keys);
  for (let i = 0; i < bits.length; i++) bits[i] = (words[i] as number) >>> shift;
  return bits;
}
