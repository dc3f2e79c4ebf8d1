/**
 * Sorts of nobody's keys, before the caller's come: engines run new code as it is written, or compiled in haste, and compile it
 * well once it has run a while. A first sort takes half as long again as the next, for that.
 */

import {
  type KeyType,
  type Operation,
  plainRequest,
  plainShape,
  type RequestShape,
  type SortRequest,
} from '@keysweep/core';

/** One of each layout of records; floats are of both signs, those of one sign go the way of integers. */
const KEY_TYPES = ['u32', 'f32', 'u64', 'f64'] as const satisfies readonly KeyType[];
const OPERATIONS = ['sort', 'argsort'] as const satisfies readonly Operation[];

/** Once has WebAssembly compiled; twice does for what runs once a sort. */
const ROUNDS = 2;

/** Keys for the calling thread alone: some tenths of a millisecond. */
const SHORT = 2 ** 13;

/**
 * Requests of up to `maxLength` keys that run all there is: on the calling thread, and on threads, from `payFrom(shape)` keys on.
 * Allocates the keys of one at a time.
 */
export function* exercises(
  maxLength: number,
  payFrom: (shape: RequestShape) => number,
): Generator<SortRequest, void> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const operation of OPERATIONS) {
      for (const keyType of KEY_TYPES) {
        const long = payFrom(plainShape(operation, keyType, maxLength));
        for (const length of [Math.min(SHORT, maxLength), long]) {
          if (length <= maxLength) yield plainRequest(operation, keysOf(keyType, length));
        }
      }
    }
  }
}

/** Keys spread evenly, in no order: multiples of the golden ratio (Knuth, "The Art of Computer Programming" 3, 6.4). */
function keysOf(
  keyType: (typeof KEY_TYPES)[number],
  length: number,
): Uint32Array | Float32Array | BigUint64Array | Float64Array {
  const words = new Uint32Array(keyType === 'u64' ? 2 * length : length);
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i, 0x9e3779b1);
  switch (keyType) {
    case 'u32':
      return words;
    case 'u64':
      return new BigUint64Array(words.buffer);
    case 'f32':
      return new Float32Array(new Int32Array(words.buffer));
    case 'f64':
      return new Float64Array(new Int32Array(words.buffer));
  }
}
