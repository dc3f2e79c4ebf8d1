/** Permutations: element i of one is the index of the element that belongs at i. */

import type { Result } from './commit.js';
import { type BitsArray, bitsOf, type TypedArray } from './elements.js';

/** The permutation that changes nothing: 0, 1, 2, … O(n); allocates 4 bytes an element. */
export function identity(length: number): Uint32Array<ArrayBuffer> {
  const indices = new Uint32Array(length);
  for (let i = 0; i < length; i++) indices[i] = i;
  return indices;
}

/**
 * The bits of `target` in the order of `permutation`, ready to be committed over it; `name` is the
 * argument's, for errors. O(n); allocates as much as `target` takes.
 */
export function gather(
  name: string,
  target: TypedArray,
  permutation: Uint32Array,
): Result<BitsArray> {
  const source = bitsOf(target);
  const bits = source.slice();
  const isPair = target.BYTES_PER_ELEMENT === 8;
  for (let i = 0; i < permutation.length; i++) {
    const from = permutation[i] as number;
    if (isPair) {
      bits[2 * i] = source[2 * from] as number;
      bits[2 * i + 1] = source[2 * from + 1] as number;
    } else {
      bits[i] = source[from] as number;
    }
  }
  return { name, target, length: permutation.length, bits };
}
