/** Waits that an abort ends. */

import type { CancelSignal } from '../cancel-signal.js';

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
