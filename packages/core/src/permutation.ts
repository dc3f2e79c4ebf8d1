/** Permutations: element i of one is the index of the element that belongs at i. */

import { type BitsArray, bitsOf, type OnArrayBuffer } from './elements.js';
import type { TypedArray } from './intrinsics.js';
import type { Result } from './request/commit.js';
import { runAtOnce, slicesOf } from './request/slices.js';

/**
 * Elements between two pauses: a fraction of a millisecond even where every element misses the
 * caches.
 */
const STEP = 2 ** 14;

/** The permutation that changes nothing: 0, 1, 2, … O(n); allocates 4 bytes an element. */
export function identity(length: number): OnArrayBuffer<Uint32Array> {
  return runAtOnce(identitySteps(length));
}

/** Makes the permutation that changes nothing in steps of 2^14 elements, in `indices`, if given. */
export function* identitySteps(
  length: number,
  indices: OnArrayBuffer<Uint32Array> = new Uint32Array(length),
): Generator<undefined, OnArrayBuffer<Uint32Array>> {
  for (const [from, to] of slicesOf(length, STEP)) {
    for (let i = from; i < to; i++) indices[i] = i;
    yield;
  }
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
  return runAtOnce(gatherSteps(name, target, permutation));
}

/** Gathers the bits of `target` in steps of 2^14 elements. */
export function* gatherSteps(
  name: string,
  target: TypedArray,
  permutation: Uint32Array,
): Generator<undefined, Result<BitsArray>> {
  const source = bitsOf(target);
  const bits = new (source.constructor as new (length: number) => BitsArray)(source.length);
  yield* pickSteps(target, permutation, bits);
  return { name, target, length: permutation.length, bits };
}

/**
 * Writes the bits of element `indices[i]` of `source` to element i of `bits`, in steps of 2^14
 * elements. O(n); allocates nothing.
 */
export function* pickSteps(
  source: TypedArray,
  indices: Uint32Array,
  bits: BitsArray,
): Generator<undefined, void> {
  const own = bitsOf(source);
  for (const [from, to] of slicesOf(indices.length, STEP)) {
    if (source.BYTES_PER_ELEMENT === 8) gatherPairs(own, indices, bits, from, to);
    else gatherWords(own, indices, bits, from, to);
    yield;
  }
}

function gatherWords(
  source: BitsArray,
  permutation: Uint32Array,
  bits: BitsArray,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) bits[i] = source[permutation[i] as number] as number;
}

function gatherPairs(
  source: BitsArray,
  permutation: Uint32Array,
  bits: BitsArray,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const at = 2 * (permutation[i] as number);
    bits[2 * i] = source[at] as number;
    bits[2 * i + 1] = source[at + 1] as number;
  }
}
