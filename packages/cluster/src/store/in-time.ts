/** Waiting for a store that may be away. */

import { setTimeout as delay } from 'node:timers/promises';
import { later } from '@keysweep/external/internal';

/** The result of `work`; undefined if it takes more milliseconds than this. */
export async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const timer = new AbortController();
  const late = later(delay(milliseconds, undefined, { signal: timer.signal }));
  return Promise.race([later(work), late]).finally(() => timer.abort());
}
