/**
 * The runtime's own sort, and a backend of it. It is always there, and runs on the calling thread
 * without a pause.
 *
 * Both are in one module because the entry needs the one and exports the other. If the backend were
 * apart, bundlers would put it with the dispatcher, and what both files share into four more.
 */

import {
  assertGoesOn,
  type Backend,
  ClosedError,
  type Probe,
  readClock,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import { areKeysAlone, sortKeys } from './builtin-keys.js';
import { loadRowSorts, rowSorts } from './rows-later.js';

/**
 * Serves a request on the calling thread, as soon as its code is there; the code for keys is.
 * @throws the signal's reason if the caller has aborted; TypeError if an array was detached or
 *   resized.
 */
export async function sortNow(
  request: SortRequest,
): Promise<Pick<SortOutcome, 'permutation' | 'milliseconds'>> {
  if (request.signal?.aborted) throw request.signal.reason;
  const sort = areKeysAlone(request) ? sortKeys : (rowSorts ?? (await loadRowSorts())).sortNow;
  request.onProgress?.({ phase: 'sort', completed: 0, total: 1 });
  assertGoesOn(request);
  const start = readClock();
  const permutation = sort(request);
  return { permutation, milliseconds: { sort: readClock() - start } };
}

const PROBE: Probe = {
  available: true,
  capabilities: {
    description: 'TypedArray.prototype.sort on the calling thread',
    software: false,
    threads: 1,
  },
};

/**
 * The runtime's own sort as a backend, for arrays of any length. O(n log n). Blocks the calling
 * thread until it is done.
 *
 * Bare keys go to `TypedArray.prototype.sort`, which may take memory of its own, depending on the
 * engine; floats as integers of their bits. Payloads and permutations sort integers of 64 bits, a
 * key and a row each, which takes 12 bytes a row and the results. Several columns, key bits, and
 * over 2^23 rows need a stable sort of indices by a comparator. That is some ten times slower, and
 * takes 4 bytes an index and the results.
 *
 * ```ts
 * const sorter = await createSorter({ backends: [builtin()] });
 * ```
 */
export function builtin(): Backend {
  let closed = false;
  const backend: Backend = {
    name: 'builtin',
    probe: async () => PROBE,
    maxLength: () => Number.MAX_SAFE_INTEGER,
    async sort(request) {
      if (closed) throw new ClosedError('the builtin backend');
      const sorted = await sortNow(request);
      return { ...sorted, passes: { run: 0, skipped: 0 }, threads: 1, bound: 0 };
    },
    async warmUp() {},
    async release() {},
    async close() {
      closed = true;
    },
  };
  made.add(backend);
  return backend;
}

const made = new WeakSet<Backend>();

/** Whether `builtin` made this backend, and it does not merely have the same name. */
export const isBuiltin = (backend: Backend): boolean => made.has(backend);
