/** The caller's elements as the words that textures hold, and back. */

import { type BitsArray, bitsOf, type KeyArray, keyTraits, traitsOf } from '@keysweep/core';

/** Words of a key. */
export const wordsPer = (keys: KeyArray): 1 | 2 => (keys.BYTES_PER_ELEMENT === 8 ? 2 : 1);

const shiftOf = (keys: KeyArray): number =>
  32 - Math.min(32, keyTraits(traitsOf(keys).keyType).bits);

/**
 * Memory for words, kept from one request to the next: to touch fresh memory takes longer than to copy into it. It goes to the worker
 * with the words, and comes back with the result.
 */
export class WordMemory {
  #kept: Uint32Array<ArrayBuffer> | undefined;

  /** `length` words, whatever they are. */
  take(length: number): Uint32Array<ArrayBuffer> {
    const kept = this.#kept;
    this.#kept = undefined;
    return kept?.length === length ? kept : new Uint32Array(length);
  }

  /** Keeps `words`, which nobody needs any more. */
  keep(words: Uint32Array<ArrayBuffer>): void {
    this.#kept = words;
  }

  /** Gives back what it keeps. */
  release(): void {
    this.#kept = undefined;
  }
}

/** A copy of the keys' bits in `memory`, that can be sent away: narrow keys are moved to the top of a word each. O(n). */
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

/** The inverse: bits of the keys' own width. A view of `words` where they are as wide. */
export function fromWords(words: Uint32Array, keys: KeyArray): BitsArray {
  if (keys.BYTES_PER_ELEMENT >= 4) return words;
  const bits =
    keys.BYTES_PER_ELEMENT === 1 ? new Uint8Array(words.length) : new Uint16Array(words.length);
  const shift = shiftOf(keys);
  for (let i = 0; i < bits.length; i++) bits[i] = (words[i] as number) >>> shift;
  return bits;
}
