/** The caller's elements as the words that GPU buffers hold, and back. */

import { type BitsArray, bitsOf, type KeyType, keyTraits, type TypedArray } from '@keysweep/core';

/** How far narrow keys are moved up: their sign is then where that of a 32-bit key is. */
export const shiftOf = (keyType: KeyType): number => 32 - Math.min(32, keyTraits(keyType).bits);

/** Words of an element in a GPU buffer. */
export const wordsPer = (array: TypedArray): 1 | 2 => (array.BYTES_PER_ELEMENT === 8 ? 2 : 1);

/** Elements on their way to the GPU: their bits as 32-bit words, narrow ones moved up by `shift`. Copies nothing yet. */
export class Words {
  readonly #bits: BitsArray;
  readonly #shift: number;

  constructor(array: TypedArray, shift: number) {
    this.#bits = bitsOf(array);
    this.#shift = shift;
  }

  get length(): number {
    return this.#bits.length;
  }

  get byteLength(): number {
    return 4 * this.length;
  }

  /** Fills `target` with the words from `first` on. */
  fill(target: Uint32Array, first: number): void {
    const bits = this.#bits;
    if (bits instanceof Uint32Array) {
      target.set(bits.subarray(first, first + target.length));
      return;
    }
    const shift = this.#shift;
    for (let i = 0; i < target.length; i++) target[i] = (bits[first + i] as number) << shift;
  }

  /**
   * All words, as `writeBuffer` takes them: browsers refuse resizable memory there, and Dawn for Node ends the process
   * for shared memory. A view where that will do.
   */
  whole(): Uint32Array<ArrayBuffer> {
    const bits = this.#bits;
    const { buffer }: { buffer: ArrayBufferLike & { readonly resizable?: boolean } } = bits;
    if (bits instanceof Uint32Array && buffer instanceof ArrayBuffer && !buffer.resizable) {
      return bits as Uint32Array<ArrayBuffer>;
    }
    const words = new Uint32Array(this.length);
    this.fill(words, 0);
    return words;
  }
}

/** The inverse: bits of the width of `array`'s elements. A view of `words` where they are as wide. */
export function fromWords(words: Uint32Array, array: TypedArray, shift: number): BitsArray {
  if (array.BYTES_PER_ELEMENT >= 4) return words;
  const bits =
    array.BYTES_PER_ELEMENT === 1 ? new Uint8Array(words.length) : new Uint16Array(words.length);
  for (let i = 0; i < bits.length; i++) bits[i] = (words[i] as number) >>> shift;
  return bits;
}

/** The words of `pieces`, one behind the other, in memory of their own. */
export function joined(pieces: readonly Uint32Array[]): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    words.set(piece, at);
    at += piece.length;
  }
  return words;
}
