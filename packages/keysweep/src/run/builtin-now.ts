/**
 * Serves requests by the runtime's own sort, without what makes a backend of it: that comes with
 * the dispatcher.
 */

import { assertGoesOn, readClock, type SortOutcome, type SortRequest } from '@keysweep/core';
import { areKeysAlone, sortKeys } from './builtin-keys.js';
import { loadRows, rows } from './rows-later.js';

/**
 * Serves a request on the calling thread, as soon as the code for it is there: that of keys is.
 * @throws the signal's reason if the caller has aborted; TypeError if an array was detached or
 *   resized.
 */
export async function sortNow(
  request: SortRequest,
): Promise<Pick<SortOutcome, 'permutation' | 'milliseconds'>> {
  if (request.signal?.aborted) throw request.signal.reason;
  const sort = areKeysAlone(request) ? sortKeys : (rows ?? (await loadRows())).sortNow;
  request.onProgress?.({ phase: 'sort', completed: 0, total: 1 });
  assertGoesOn(request);
  const start = readClock();
  const permutation = sort(request);
  return { permutation, milliseconds: { sort: readClock() - start } };
}
