/** Where results go: the backend's own memory, or arrays of the caller's. */

import {
  assertUnchanged,
  type BitsArray,
  bitsOf,
  lengthOf,
  type RequestLifecycle,
  type TypedArray,
} from '@keysweep/core';
import type { Target } from './readback.js';

/** Copies integers to `target` from element `at` on, at most `bytes` by one call. */
export function copyBits(target: BitsArray, source: BitsArray, at: number, bytes: number): void {
  const step = bytes / source.BYTES_PER_ELEMENT;
  for (let from = 0; from < source.length; from += step) {
    target.set(source.subarray(from, from + step), at + from);
  }
}

/** New memory for words of 32 bits. What is written there before a failure is of no account. */
export const newMemory = (words: Uint32Array, copyBytes: number): Target => ({
  isEarly: true,
  write: (piece, at) => copyBits(words, piece, at, copyBytes),
});

/** An array of the caller's that a result is written over. */
export interface Overwritten {
  /** The argument's name, for errors. */
  readonly name: string;
  readonly array: TypedArray;
  /** How far narrow elements were shifted up on their way to the GPU. */
  readonly shift: number;
  /** What the array held, to be put back after a failure; filled by the upload. */
  readonly original: BitsArray | undefined;
}

/** Writes over an array, at once where its original is kept. */
export class InPlace implements Target {
  readonly isEarly: boolean;
  readonly #what: Overwritten;
  readonly #length: number;
  readonly #lifecycle: RequestLifecycle;
  readonly #copyBytes: number;
  /** How many of its elements were written: always the first ones. */
  #written = 0;

  constructor(what: Overwritten, lifecycle: RequestLifecycle, copyBytes: number) {
    this.isEarly = what.original !== undefined;
    this.#what = what;
    this.#length = lengthOf(what.array);
    this.#lifecycle = lifecycle;
    this.#copyBytes = copyBytes;
  }

  /** @throws TypeError where the array was detached or resized. */
  write(words: Uint32Array, at: number): void {
    const { name, array, shift } = this.#what;
    assertUnchanged(name, array, this.#length);
    this.#lifecycle.beginCommit();
    this.#written = at + words.length;
    const bits = bitsOf(array);
    if (bits instanceof Uint32Array) {
      copyBits(bits, words, at, this.#copyBytes);
      return;
    }
    for (let i = 0; i < words.length; i++) bits[at + i] = (words[i] as number) >>> shift;
  }

  /** Puts back what was written over, as far as the array is still there. */
  restore(): void {
    const { array, original } = this.#what;
    if (original === undefined || lengthOf(array) === 0) return;
    const bits = bitsOf(array);
    const count = Math.min(this.#written, bits.length);
    copyBits(bits, original.subarray(0, count), 0, this.#copyBytes);
    this.#written = 0;
  }
}
