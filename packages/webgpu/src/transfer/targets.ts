/** Where results go: the backend's own memory, or arrays of the caller's. */

import { assertUnchanged, bitsOf, lengthOf, type TypedArray } from '@keysweep/core';
import type { Target } from './readback.js';

/** New memory for words of 32 bits. Nobody sees words that are written before a failure. */
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
  const putBack = (words: Uint32Array, at: number): void => {
    // A detached array has no view.
    if (lengthOf(array) === 0) return;
    const room = bitsOf(array).subarray(at, at + words.length);
    // A piece by one call: beyond some size that writes past the caches, which is faster.
    if (room instanceof Uint32Array) room.set(words.subarray(0, room.length));
    else for (let i = 0; i < room.length; i++) room[i] = (words[i] as number) >>> shift;
  };
  return {
    isNew: false,
    write: (words, at) => {
      assertUnchanged(name, array, length);
      putBack(words, at);
    },
    putBack,
  };
}
