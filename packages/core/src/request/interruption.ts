/** Ends of a request before it is served: an abort, or an array that is detached or resized. */

import type { CancelSignal, SortRequest } from '../contract.js';
import { assertUnchanged } from './unchanged.js';

/**
 * Resolves or rejects as `work` does, or rejects with the signal's reason as soon as it aborts.
 * `work` itself is not stopped; its result is dropped. Leaves no listener on the signal.
 */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: CancelSignal | undefined,
): Promise<T> {
  if (signal === undefined) return work;
  if (signal.aborted) {
    // It may have been aborted while `work` was begun. Whatever becomes of that is heard.
    work.catch(() => {});
    throw signal.reason;
  }
  let onAbort: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Checks that a request may go on. Call it after every wait and every callback.
 * @throws the signal's reason if the caller has aborted; TypeError if one of the arrays was
 *   detached or resized.
 */
export function assertGoesOn({ signal, columns, values, shape }: SortRequest): void {
  if (signal?.aborted) throw signal.reason;
  for (const column of columns) assertUnchanged('keys', column, shape.length);
  if (values !== undefined) assertUnchanged('values', values, shape.length);
}
