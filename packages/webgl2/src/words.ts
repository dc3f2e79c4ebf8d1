/** The caller's elements to the words that textures hold, and back. */

import {
  type BitsArray,
  bitsOf,
  copySteps,
  type KeyArray,
  keyTraits,
  slicesOf,
  traitsOf,
} from '@keysweep/core';

/** Keys between two pauses: a fraction of a millisecond of work. */
const STEP = 2 ** 16;

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
 * A copy of the keys' bits, as words, in steps. A narrow key is in the high bits of its word. O(n).
 */
export function* toWords(
  keys: KeyArray,
  memory: WordMemory,
): Generator<undefined, Uint32Array<ArrayBuffer>> {
  const bits = bitsOf(keys);
  const words = memory.take(bits.length);
  if (bits instanceof Uint32Array) {
    yield* copySteps(words, bits);
    return words;
  }
  const shift = shiftOf(keys);
  for (const [from, to] of slicesOf(words.length, STEP)) {
    for (let i = from; i < to; i++) words[i] = (bits[i] as number) << shift;
    yield;
  }
  return words;
}

/** The inverse of `toWords`. Returns a view of `words` where the keys are as wide. */
export function* fromWords(words: Uint32Array, keys: KeyArray): Generator<undefined, BitsArray> {
  if (keys.BYTES_PER_ELEMENT >= 4) return words;
  const bits =
    keys.BYTES_PER_ELEMENT === 1 ? new Uint8Array(words.length) : new Uint16Array(words.length);
  const shift = shiftOf(keys);
  for (const [from, to] of slicesOf(bits.length, STEP)) {
    for (let i = from; i < to; i++) bits[i] = (words[i] as number) >>> shift;
    yield;
  }
  return bits;
}
