/** Where results go: the backend's own memory, or arrays of the caller's. */

import { assertUnchanged, bitsOf, lengthOf, type TypedArray } from '@keysweep/core';
import type { Target } from './readback.js';

/** New memory for words of 32 bits. What is written there before a failure is of no account. */
export const newMemory = (words: Uint32Array): Target => ({
  isNew: true,
  write: (piece, at) => words.set(piece, at),
});

/**
 * An array of the caller's that is written over; `name` is for errors. Narrow elements were shifted
 * up by `shift` on their way to the GPU. Its `write` throws TypeError where the array was detached
 * or resized since.
 */
export function overwritten(name: string, array: TypedArray, shift: number): Target {
  const length = lengthOf(array);
  return {
    isNew: false,
    write: (words, at) => {
      assertUnchanged(name, array, length);
      const bits = bitsOf(array);
      // A piece by one call: beyond some size that writes past the caches, which is faster.
      if (bits instanceof Uint32Array) bits.set(words, at);
      else for (let i = 0; i < words.length; i++) bits[at + i] = (words[i] as number) >>> shift;
    },
  };
}
