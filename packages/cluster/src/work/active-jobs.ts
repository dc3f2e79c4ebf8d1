/** The jobs that a worker is at, and how they are ended. */

import type { Job } from 'bullmq';
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
import type { Store } from '../store/store.js';
import { runParent } from './parent.js';
import type { Roots } from './roots.js';
import { ChangedInput, runStage, type Tools } from './stages.js';
import { SORT_ENDED, wantedParent, wantedSpec } from './wanted.js';

/** The description in the job of a whole sort, if the worker may use its files. @throws Refused */
export async function allowedSpec(roots: Roots, job: Job): Promise<SortSpec> {
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
export class ActiveJobs {
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
  const spec = await wantedSpec(store, checkParentId(job.data));
  await assertAllowed(roots, spec);
  const written = await runStage(stage, spec, checkChild(stage, job.data, spec), tools);
  return { ...written, worker: name, retries: job.attemptsStarted - 1, started, ended: Date.now() };
}

/** Before anything is done, because a part of a sort is of no use. @throws Refused */
async function assertAllowed(roots: Roots, { input, output, folder }: SortSpec): Promise<void> {
  for (const name of [...input, output, folder]) await roots.fileOf(name);
}
