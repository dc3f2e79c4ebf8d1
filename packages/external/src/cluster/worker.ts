/** `runWorker`: carries out jobs of sorts, until it is told to end. */

import { hostname } from 'node:os';
import { untilAborted } from '@keysweep/core';
import type { Job } from 'bullmq';
import type { Sorter } from 'keysweep';
import { storageByName } from '../storage/by-name.js';
import type { Storage } from '../storage/storage.js';
import { checkWorker } from './check.js';
import { type ChildData, type ChildResult, PARENT, type ParentData, type Stage } from './jobs.js';
import type { WorkerOptions } from './options.js';
import { type ParentResult, runParent } from './parent.js';
import { ChangedInput, runStage, type Tools } from './stages.js';
import { openStore, type Store } from './store.js';
import { assertWanted, SORT_ENDED, wantedParent } from './wanted.js';

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
 * await runWorker('redis://127.0.0.1:6379', { concurrency: 2, signal: ending.signal });
 * ```
 *
 * A worker reads and writes the files that jobs name: whoever may write to the store may do so.
 * Takes up to `concurrency` times the `memory` of a sort, and some 100 MB for the process.
 * @throws TypeError, RangeError for arguments; ExternalError where the store cannot be reached
 */
export async function runWorker(connection: string, options: WorkerOptions = {}): Promise<void> {
  const checked = checkWorker(options);
  const { signal, onError = () => {}, queue, concurrency, lockDuration } = checked;
  if (signal?.aborted) return;
  const store = await openStore(connection, queue, onError, signal).catch((error) => {
    if (signal?.aborted) return undefined;
    throw error;
  });
  if (store === undefined) return;
  const own = options.sorter === undefined ? await ownSorter() : undefined;
  const sorter = options.sorter ?? (own as Sorter);
  const name = checked.name ?? `${hostname()}-${process.pid}`;
  const storage = storageByName(options.storage);
  const active = new ActiveJobs();
  const worker = store.worker(
    (job, token) => active.run({ store, name, sorter, storage }, job, token),
    {
      concurrency,
      lockDuration,
      stalledInterval: lockDuration / 2,
      maxStalledCount: STALLS,
      name,
    },
  );
  worker.on('failed', (job, error) => {
    onError(error);
    if (job !== undefined) tidy(storage, job).catch(onError);
  });
  worker.on('completed', (job) => tidy(storage, job).catch(onError));
  worker.on('lockRenewalFailed', (ids) => active.endLost(ids));
  const watch = setInterval(() => active.endUnwanted(store).catch(onError), WATCH);
  try {
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
async function tidy(storage: Storage, job: Job): Promise<void> {
  if (job.name !== PARENT || job.finishedOn === undefined) return;
  await storage.remove((job.data as ParentData).spec.folder);
}

interface Context extends Pick<Tools, 'storage' | 'sorter'> {
  readonly store: Store;
  /** The worker's name. */
  readonly name: string;
}

/** Why jobs are ended from outside. */
const WORKER_ENDED = new Error('the worker was ended');
const LOCK_LOST = new Error('the job was given to another worker');

/** The jobs that a worker is at, and how they are ended. */
class ActiveJobs {
  readonly #jobs = new Map<Job, AbortController>();

  /** Does a job. An end that is not the job's own fault costs it no attempt. */
  async run(context: Context, job: Job, token = ''): Promise<ParentResult | ChildResult> {
    const controller = new AbortController();
    const { WaitingError, UnrecoverableError } = context.store.errors;
    const { storage, sorter } = context;
    const tools = { storage, sorter, signal: controller.signal };
    this.#jobs.set(job, controller);
    try {
      return job.name === PARENT
        ? await runParent(context.store, job, token, context.name, tools)
        : await runChild(context, job, tools);
    } catch (error) {
      const { reason } = controller.signal;
      if (reason === WORKER_ENDED) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (reason === SORT_ENDED || error instanceof ChangedInput) {
        throw new UnrecoverableError((error as Error).message);
      }
      throw error;
    } finally {
      this.#jobs.delete(job);
    }
  }

  endAll(): void {
    for (const controller of this.#jobs.values()) controller.abort(WORKER_ENDED);
  }

  /** Ends jobs that have been given to others. */
  endLost(ids: readonly string[]): void {
    for (const [job, controller] of this.#jobs) {
      if (ids.includes(job.id as string)) controller.abort(LOCK_LOST);
    }
  }

  /** Ends the jobs of sorts that are cancelled, or have failed. */
  async endUnwanted(store: Store): Promise<void> {
    const parents = new Map<string, AbortController[]>();
    for (const [job, controller] of this.#jobs) {
      const id = job.name === PARENT ? (job.id as string) : (job.data as ChildData).parent;
      parents.set(id, [...(parents.get(id) ?? []), controller]);
    }
    for (const [id, controllers] of parents) {
      if ((await wantedParent(store, id)) !== undefined) continue;
      for (const controller of controllers) controller.abort(SORT_ENDED);
    }
  }
}

async function runChild(
  { store, name }: Context,
  job: Job<ChildData>,
  tools: Tools,
): Promise<ChildResult> {
  const started = Date.now();
  const parent = await assertWanted(store, job.data.parent);
  const written = await runStage(job.name as Stage, parent.data.spec, job.data, tools);
  return { ...written, worker: name, retries: job.attemptsStarted - 1, started, ended: Date.now() };
}
