/** The caller's elements to the words that textures hold, and back. */

import { type BitsArray, bitsOf, type KeyArray, keyTraits, traitsOf } from '@keysweep/core';

/** Words of a key. */
export const wordsPer = (keys: KeyArray): 1 | 2 => (keys.BYTES_PER_ELEMENT === 8 ? 2 : 1);

const shiftOf = (keys: KeyArray): number =>
  32 - Math.min(32, keyTraits(traitsOf(keys).keyType).bits);

/**
 * Memory for words, kept from one request to the next, since touching fresh memory takes longer
 * than copying into it. It goes to the engine with the words, and comes back with the result.
 */
export class WordMemory {
  #kept: Uint32Array<ArrayBuffer> | undefined;

  /** `length` words of any content. */
  take(length: number): Uint32Array<ArrayBuffer> {
    const kept = this.#kept;
    this.#kept = undefined;
    return kept?.length === length ? kept : new Uint32Array(length);
  }

  /** Keeps `words` for the next request. */
  keep(words: Uint32Array<ArrayBuffer>): void {
    this.#kept = words;
  }

  /** Releases what it keeps. */
  release(): void {
    this.#kept = undefined;
  }
}

/**
 * A copy of the keys' bits, as words. A narrow key is in the high bits of its word. O(n).
 */
export function toWords(keys: KeyArray, memory: WordMemory): Uint32Array<ArrayBuffer> {
  const bits = bitsOf(keys);
  const words = memory.take(bits.length);
  if (bits instanceof Uint32Array) {
    words.set(bits);
    return words;
  }
  const shift = shiftOf(keys);
  for (let i = 0; i < words.length; i++) words[i] = (bits[i] as number) << shift;
  return words;
}

/** The inverse of `toWords`. Returns a view of `words` where the keys are as wide. */
export function fromWords(words: Uint32Array, keys: KeyArray): BitsArray {
  if (keys.BYTES_PER_ELEMENT >= 4) return words;
  const bits =
    keys.BYTES_PER_ELEMENT === 1 ? new Uint8Array(words.length) : new Uint16Array(words.length);
  const shift = shiftOf(keys);
  for (let i = 0; i < bits.length; i++) bits[i] = (words[i] as number) >>> shift;
  return bits;
}
