/** `runWorker`: carries out jobs of sorts, until it is told to end. */

import { hostname } from 'node:os';
import { untilAborted } from '@keysweep/core';
import { storageByName } from '@keysweep/external/internal';
import type { Storage } from '@keysweep/external/storage';
import type { Job, Processor } from 'bullmq';
import type { Sorter } from 'keysweep';
import { checkWorker } from '../check-options.js';
import { PARENT } from '../jobs/jobs.js';
import { Refused } from '../jobs/refused.js';
import type { WorkerOptions } from '../options.js';
import { openStore } from '../store/store.js';
import { ActiveJobs, allowedSpec } from './active-jobs.js';
import { confined, Roots } from './roots.js';

/** Between two looks at whether the sorts of the jobs at work are still wanted. */
const WATCH = 1000;
/** How often a job whose worker fell silent is given to another. */
const STALLS = 20;

/**
 * Does jobs of sorts, from `connection`, the address of a store, until `signal` is aborted. It then
 * resolves: what it was doing goes to other workers, and its connections and threads are closed.
 * Several workers may run in one process, on one machine and on many.
 *
 * ```ts
 * const ending = new AbortController();
 * process.once('SIGTERM', () => ending.abort());
 * const { signal } = ending;
 * await runWorker('redis://127.0.0.1:6379', { roots: ['/shared'], concurrency: 2, signal });
 * ```
 *
 * A worker reads and writes the files that jobs name, as long as they lie in its `roots`. Whoever
 * can write to the store can have any file in the roots read, replaced or removed, and no other.
 * Takes up to `concurrency` times the `memory` of a sort, and some 100 MB for the process.
 * @throws TypeError, RangeError for arguments; ExternalError if the store or a root
 *   cannot be reached
 */
export async function runWorker(connection: string, options: WorkerOptions): Promise<void> {
  const checked = checkWorker(options);
  const { signal, onError = () => {}, queue, concurrency, lockDuration } = checked;
  if (signal?.aborted) return;
  const roots = await Roots.of(checked.roots);
  const unlessAborted = (error: unknown): undefined => {
    if (!signal?.aborted) throw error;
  };
  const store = await openStore(connection, queue, onError, signal).catch(unlessAborted);
  if (store === undefined) return;
  const name = checked.name ?? `${hostname()}-${process.pid}`.replace(/[^\w.-]/g, '-');
  const storage = confined(storageByName(options.storage), roots);
  const active = new ActiveJobs();
  const tools = { sorter: options.sorter, storage, roots, name };
  const work: Processor = (job, token) =>
    active.run({ store, ...tools, sorter: tools.sorter as Sorter }, job, token);
  const times = { lockDuration, stalledInterval: lockDuration / 2, maxStalledCount: STALLS };
  const worker = await store.worker(work, { concurrency, name, ...times }).catch(unlessAborted);
  if (worker === undefined) return;
  const tell = (error: unknown): void => onError(store.clean(error));
  worker.on('failed', (job, error) => {
    tell(error);
    if (job !== undefined) tidy(storage, roots, job).catch(tell);
  });
  worker.on('completed', (job) => tidy(storage, roots, job).catch(tell));
  worker.on('lockRenewalFailed', (ids) => active.endLost(ids));
  const watch = setInterval(() => active.endUnwanted(store).catch(tell), WATCH);
  let own: Sorter | undefined;
  try {
    if (options.sorter === undefined) tools.sorter = own = await ownSorter();
    await untilAborted(worker.run(), signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    clearInterval(watch);
    const closing = store.close();
    active.endAll();
    await closing;
    await own?.close();
  }
}

async function ownSorter(): Promise<Sorter> {
  const { createSorter } = await import('keysweep');
  return createSorter();
}

/** Removes the shared folder of a sort that has come to its end, in case nobody else does. */
async function tidy(storage: Storage, roots: Roots, job: Job): Promise<void> {
  if (job.name !== PARENT || job.finishedOn === undefined) return;
  const { folder } = await allowedSpec(roots, job).catch((error) => {
    // Then nothing was made.
    if (error instanceof Refused) return { folder: undefined };
    throw error;
  });
  if (folder !== undefined) await storage.remove(folder);
}
