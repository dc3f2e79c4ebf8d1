/** Fake backends, and arrays for them. */

import { randomKeys } from '@keysweep/conformance/data';
import type { Backend, BackendName, KeyArray, SortRequest } from '@keysweep/core';
import { builtin, createSorter, type Sorter } from 'keysweep';
import { testRandom } from '../../../tools/test/random.js';

/** The runtime's own sort under another name, with the methods of `serve` in place of its own. */
export function fake(name: BackendName, serve: Partial<Backend>): Backend {
  return { ...builtin(), name, ...serve };
}

/**
 * A sorter with one backend, which takes no time by its figures, and what that is asked to sort.
 * The caller closes it.
 */
export async function notingSorter(): Promise<{ sorter: Sorter; requests: SortRequest[] }> {
  const requests: SortRequest[] = [];
  const own = builtin();
  const noting = fake('cpu', {
    sort(request) {
      requests.push(request);
      return own.sort(request);
    },
  });
  return { sorter: await createSorter({ backends: [noting] }), requests };
}

/** So many keys that even a cold CPU backend sorts them sooner than the runtime's own sort. */
export const MANY = 1_000_000;

/** Compares large arrays faster than `toEqual`, which looks at one element after the other. */
export const isSame = (a: KeyArray, b: KeyArray): boolean =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(
    Buffer.from(b.buffer, b.byteOffset, b.byteLength),
  );

const source = testRandom();

export const random = (length: number): Uint32Array => randomKeys(length, source);
