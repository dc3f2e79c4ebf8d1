/** Backends that are made up, and arrays for them. */

import { Random, randomKeys, runSeed } from '@keysweep/conformance/data';
import type { Backend, BackendName } from '@keysweep/core';
import { builtin } from 'keysweep';

/** A backend that does what `serve` does, and is builtin otherwise. */
export function fake(name: BackendName, serve: Partial<Backend>): Backend {
  return { ...builtin(), name, ...serve };
}

/** Keys of which even a cold cpu backend sorts as many sooner than the builtin does. */
export const MANY = 1_000_000;

/** Compares large arrays faster than `toEqual`, which looks at one element after the other. */
export const isSame = (a: Uint32Array, b: Uint32Array): boolean =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(
    Buffer.from(b.buffer, b.byteOffset, b.byteLength),
  );

const source = new Random(runSeed());

export const random = (length: number): Uint32Array => randomKeys(length, source);
