/**
 * Requests that a warm-up sorts, of keys of its own. Engines first run new code as it is written or
 * compiled in haste, and optimize it once it has run for a while. So a first sort is slower.
 */

import {
  type KeyType,
  type Operation,
  plainRequest,
  plainShape,
  type RequestShape,
  type SortRequest,
} from '@keysweep/core';

/** One key type for each record layout; floats of both signs, because others sort as integers. */
const KEY_TYPES = ['u32', 'f32', 'u64', 'f64'] as const satisfies readonly KeyType[];
const OPERATIONS = ['sort', 'argsort'] as const satisfies readonly Operation[];

/** The first round has WebAssembly compiled; what runs once a sort is reached twice so. */
const ROUNDS = 2;

/** Keys for the calling thread alone: some tenths of a millisecond of work. */
const SHORT = 2 ** 13;

/**
 * Requests of up to `maxLength` keys that run all kernels: on the calling thread, and on threads
 * from `threadsFrom(shape)` keys on. Allocates the keys of one request at a time.
 */
export function* warmUpRequests(
  maxLength: number,
  threadsFrom: (shape: RequestShape) => number,
): Generator<SortRequest, void> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const operation of OPERATIONS) {
      for (const keyType of KEY_TYPES) {
        const long = threadsFrom(plainShape(operation, keyType, maxLength));
        for (const length of [Math.min(SHORT, maxLength), long]) {
          if (length <= maxLength) yield plainRequest(operation, keysOf(keyType, length));
        }
      }
    }
  }
}

/**
 * Keys spread evenly, in no order: multiples of the golden ratio (Knuth, "The Art of Computer
 * Programming" 3, 6.4).
 */
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
