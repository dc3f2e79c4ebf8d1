/** Waiting for a store that may be away. */

import { setTimeout as delay } from 'node:timers/promises';
import { later } from '../run.js';

/** The result of `work`; undefined where that takes longer than so many milliseconds. */
export async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const timer = new AbortController();
  const late = later(delay(milliseconds, undefined, { signal: timer.signal }));
  return Promise.race([later(work), late]).finally(() => timer.abort());
}

/** The result of `work`, unless `signal` is aborted before. @throws the reason of the abort */
export async function untilAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  signal?.throwIfAborted();
  let abort = (): void => {};
  const aborted = later(
    new Promise<never>((_, reject) => {
      abort = () => reject(signal?.reason);
      signal?.addEventListener('abort', abort);
    }),
  );
  return Promise.race([later(work), aborted]).finally(() =>
    signal?.removeEventListener('abort', abort),
  );
}
