/** `runWorker`: carries out jobs of sorts, until it is told to end. */

import { hostname } from 'node:os';

import { untilAborted } from '@keysweep/core';
import { storageByName } from '@keysweep/external/internal';
import type { Storage } from '@keysweep/external/storage';
import type { Job, Processor } from 'bullmq';
import type { Sorter } from 'keysweep';
import { checkWorker } from '../check.js';

import {
  checkChild,
  checkParent,
  checkParentId,
  checkRetries,
  checkStage,
} from '../jobs/check-job.js';
import {
  type ChildData,
  type ChildResult,
  PARENT,
  type ParentResult,
  type SortSpec,
} from '../jobs/jobs.js';
import { Refused } from '../jobs/refused.js';
import { confined, Roots } from '../jobs/roots.js';
import { assertWanted, SORT_ENDED, wantedParent } from '../jobs/wanted.js';
import type { WorkerOptions } from '../options.js';
import { openStore, type Store } from '../store/store.js';
import { runParent } from './parent.js';
import { ChangedInput, runStage, type Tools } from './stages.js';

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

/** What the job of a sort says. @throws Refused */
async function allowedSpec(roots: Roots, job: Job): Promise<SortSpec> {
  const { spec } = checkParent(job.data);
  await assertAllowed(roots, spec);
  return spec;
}

interface Context extends Pick<Tools, 'storage' | 'sorter'> {
  readonly store: Store;
  /** The worker's name. */
  readonly name: string;
  readonly roots: Roots;
}

/** Why jobs are ended from outside. */
const WORKER_ENDED = new Error('the worker was ended');
const LOCK_LOST = new Error('the job was given to another worker');

/** The jobs that a worker is at, and how they are ended. */
class ActiveJobs {
  readonly #jobs = new Map<
    Job,
    { readonly parent: string; readonly controller: AbortController }
  >();

  /** Does a job. An end that is not the job's own fault costs it no attempt. */
  async run(context: Context, job: Job, token = ''): Promise<ParentResult | ChildResult> {
    const controller = new AbortController();
    const { WaitingError, UnrecoverableError } = context.store.errors;
    const { storage, sorter } = context;
    const tools = { storage, sorter, signal: controller.signal };
    try {
      checkRetries(job.opts);
      const parent = job.name === PARENT ? (job.id as string) : checkParentId(job.data);
      this.#jobs.set(job, { parent, controller });
      return job.name === PARENT
        ? await runSort(context, job, token, tools)
        : await runChild(context, job, tools);
    } catch (error) {
      const { reason } = controller.signal;
      if (reason === WORKER_ENDED) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      const clean = context.store.clean(error);
      if (reason === SORT_ENDED || error instanceof ChangedInput || error instanceof Refused) {
        throw new UnrecoverableError(clean.message);
      }
      throw clean;
    } finally {
      this.#jobs.delete(job);
    }
  }

  endAll(): void {
    for (const { controller } of this.#jobs.values()) controller.abort(WORKER_ENDED);
  }

  /** Ends jobs that have been given to others. */
  endLost(ids: readonly string[]): void {
    for (const [job, { controller }] of this.#jobs) {
      if (ids.includes(job.id as string)) controller.abort(LOCK_LOST);
    }
  }

  /** Ends the jobs of sorts that are cancelled, or have failed. */
  async endUnwanted(store: Store): Promise<void> {
    const parents = new Map<string, AbortController[]>();
    for (const { parent, controller } of this.#jobs.values()) {
      parents.set(parent, [...(parents.get(parent) ?? []), controller]);
    }
    for (const [id, controllers] of parents) {
      if ((await wantedParent(store, id)) !== undefined) continue;
      for (const controller of controllers) controller.abort(SORT_ENDED);
    }
  }
}

async function runSort(
  { store, name, roots }: Context,
  job: Job,
  token: string,
  tools: Tools,
): Promise<ParentResult> {
  await allowedSpec(roots, job);
  return runParent(store, job, token, name, tools);
}

async function runChild(
  { store, name, roots }: Context,
  job: Job<ChildData>,
  tools: Tools,
): Promise<ChildResult> {
  const started = Date.now();
  const stage = checkStage(job.name);
  const spec = await assertWanted(store, checkParentId(job.data));
  await assertAllowed(roots, spec);
  const written = await runStage(stage, spec, checkChild(stage, job.data, spec), tools);
  return { ...written, worker: name, retries: job.attemptsStarted - 1, started, ended: Date.now() };
}

/** Before anything is done, because a part of a sort is of no use. @throws Refused */
async function assertAllowed(roots: Roots, { input, output, folder }: SortSpec): Promise<void> {
  for (const name of [...input, output, folder]) await roots.fileOf(name);
}
