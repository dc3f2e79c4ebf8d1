/** `submitSort`: gives a sort to the workers of a store, and follows it to its end. */

import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { untilAborted } from '@keysweep/core';
import { ExternalError } from '@keysweep/external';
import { openFiles, shownLine, storageByName } from '@keysweep/external/internal';
import { isAddress, type Storage } from '@keysweep/external/storage';
import type { Job, Queue } from 'bullmq';
import { checkPlan, type Submission } from './check-options.js';
import { checkSorted } from './jobs/check-result.js';
import { jobsOf } from './jobs/division.js';
import {
  BACKOFF,
  childrenOf,
  KEPT,
  PARENT,
  type ParentData,
  type ParentResult,
  type SortSpec,
  type Stage,
} from './jobs/jobs.js';
import { folderIn } from './jobs/names.js';
import { Refused } from './jobs/refused.js';
import { isChildOf, whyFailed } from './jobs/why-failed.js';
import type { ClusterProgress, SortPlan } from './options.js';
import { inTime } from './store/in-time.js';
import { openStore, type Store } from './store/store.js';

/** Milliseconds between two checks of a sort's progress. */
const POLL_INTERVAL = 200;
/** Milliseconds without an answer from the store after which the sort fails. */
const STORE_TIMEOUT = 300_000;
/** Milliseconds that jobs get to end after an abort or a failure, and their removal to finish. */
const CLEANUP_TIMEOUT = 10_000;
/** The most failed jobs that are searched for the reason of a failure. */
const MAX_LISTED = 1000;

/**
 * Sorts a file by the workers of the store at `connection`, and resolves when the output is whole.
 * The order, the types and the records are as in `sortFile`.
 *
 * ```ts
 * const record = { bytes: 100, keys: [{ at: 0, bytes: 10 }] };
 * const plan = { input: '/shared/rows.bin', output: '/shared/sorted.bin', record, parts: 64 };
 * await submitSort('postgres://sorter:secret@10.0.0.5/jobs', plan);
 * ```
 *
 * A sample gives splitters. Pieces of the input are partitioned by them, then parts are sorted, and
 * written one after the other. Every worker reaches input, output and `tmp` by the same paths. The
 * data is read and written three times; `tmp` takes twice the size of the input meanwhile.
 *
 * Jobs of a worker that dies, hangs or loses the store are done by others. The output appears once,
 * when it is whole. After a failure or an abort it is as it was, and nothing is left. A process
 * that is killed while it waits here does not end the sort: the workers finish it.
 * @throws TypeError, RangeError for arguments, which are named; ExternalError for files, for a
 *   store that cannot be reached, and for a job that failed in all its attempts; the reason of
 *   `signal`; what a callback throws
 */
export async function submitSort(connection: string, plan: SortPlan): Promise<void> {
  const started = performance.now();
  const checked = checkPlan(plan);
  const { signal, onReport } = plan;
  signal?.throwIfAborted();
  const storage = storageByName(plan.storage);
  const spec = await specOf(storage, checked);
  const store = await openStore(connection, checked.queue, () => {}, signal);
  let result: ParentResult;
  try {
    result = await new Submitted(store, storage, spec, plan).toEnd();
  } finally {
    await store.close();
  }
  const milliseconds = { ...result.milliseconds, total: performance.now() - started };
  onReport?.({ ...result, milliseconds });
}

/** What the jobs need to know. @throws ExternalError where a file cannot be read or written */
async function specOf(storage: Storage, plan: Submission): Promise<SortSpec> {
  const { layout, memory } = plan;
  const input = plan.input.map(absolute);
  const source = await openFiles({ storage, layout, count: { read: 0, written: 0 } }, input);
  await source.close();
  const { size, versions } = source;
  const output = await storage.output(absolute(plan.output));
  await output.close?.();
  const jobs = jobsOf(size, layout, memory, plan.parts);
  const tmp = plan.tmp === undefined ? output.folder : absolute(plan.tmp);
  return {
    input,
    versions,
    size,
    output: output.path,
    layout,
    memory,
    ...jobs,
    attempts: plan.attempts,
    folder: folderIn(tmp),
  };
}

const absolute = (path: string): string => (isAddress(path) ? path : resolve(path));

/** A sort in the store. */
class Submitted {
  readonly #queue: Queue;
  readonly #store: Store;
  readonly #storage: Storage;
  readonly #spec: SortSpec;
  readonly #id = randomUUID();
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: ((progress: ClusterProgress) => void) | undefined;
  #told = '';

  constructor(store: Store, storage: Storage, spec: SortSpec, { signal, onProgress }: SortPlan) {
    this.#queue = store.queue;
    this.#store = store;
    this.#storage = storage;
    this.#spec = spec;
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  /** Resolves when the output is there. Whatever happens, nothing is left in store and folder. */
  async toEnd(): Promise<ParentResult> {
    // Before the part that tidies up, because a folder that could not be made is somebody else's.
    await this.#storage.makeFolder(this.#spec.folder);
    try {
      const data: ParentData = { spec: this.#spec };
      const added = this.#queue.add(PARENT, data, {
        jobId: this.#id,
        attempts: this.#spec.attempts,
        backoff: BACKOFF,
        removeOnComplete: { age: KEPT },
        removeOnFail: { age: KEPT },
      });
      const isAdded = added.catch((error) => {
        const cause = this.#store.clean(error);
        throw new ExternalError(`the store takes no jobs: ${shownLine(cause.message)}`, { cause });
      });
      await untilAborted(isAdded, this.#signal);
      return await this.#follow();
    } catch (error) {
      const result = await inTime(this.#cancel(), CLEANUP_TIMEOUT).catch(() => undefined);
      // An abort that comes while the output is put in its place is too late.
      if (result === undefined) throw error;
      return result;
    } finally {
      await inTime(this.#remove(), CLEANUP_TIMEOUT).catch(() => undefined);
      await this.#storage.remove(this.#spec.folder);
    }
  }

  /** Looks at the sort until it is done. @throws ExternalError; the reason of the abort */
  async #follow(): Promise<ParentResult> {
    for (let answered = performance.now(); ; ) {
      const look = await untilAborted(this.#look(), this.#signal);
      if (look.is === 'done') return look.result;
      if (look.is === 'failed') throw new ExternalError(look.why);
      if (look.is === 'going') this.#tell(look.completed);
      if (look.is !== 'away') answered = performance.now();
      else if (performance.now() - answered > STORE_TIMEOUT) {
        const why = shownLine(look.error.message);
        throw new ExternalError(`the store is away: ${why}`, { cause: look.error });
      }
      await untilAborted(delay(POLL_INTERVAL), this.#signal);
    }
  }

  async #look(): Promise<Look> {
    try {
      const job = await this.#job();
      if (job === undefined) return { is: 'failed', why: 'the store has lost the sort' };
      if (job.finishedOn === undefined) {
        const { processed = 0 } = await job.getDependenciesCount({ processed: true });
        return { is: 'going', completed: processed };
      }
      // One that was tried again may still have the reason why it failed before.
      if (await job.isCompleted()) return { is: 'done', result: this.#resultOf(job) };
      const failed = await this.#queue.getFailed(0, MAX_LISTED);
      return { is: 'failed', why: whyFailed(job, failed) };
    } catch (error) {
      if (error instanceof Refused) return { is: 'failed', why: error.message };
      return { is: 'away', error: this.#store.clean(error) };
    }
  }

  async #job(): Promise<Job<ParentData> | undefined> {
    return this.#queue.getJob(this.#id);
  }

  /** What the store says about a sort that is done. @throws Refused if that cannot be */
  #resultOf(job: Job): ParentResult {
    return checkSorted(job.returnvalue, this.#spec);
  }

  /** Tells a stage's progress where it is another than before. */
  #tell(done: number): void {
    if (this.#onProgress === undefined) return;
    let before = 0;
    let next: ClusterProgress = { phase: 'write', completed: 0, total: 1 };
    for (const [phase, total] of Object.entries(childrenOf(this.#spec)) as [Stage, number][]) {
      if (done < before + total) {
        next = { phase, completed: done - before, total };
        break;
      }
      before += total;
    }
    const told = JSON.stringify(next);
    if (told === this.#told) return;
    this.#told = told;
    this.#onProgress(next);
  }

  /** Ends the jobs at work. Resolves to the result of a sort that was done before. */
  async #cancel(): Promise<ParentResult | undefined> {
    const job = await this.#job();
    if (job === undefined) return undefined;
    if (job.finishedOn === undefined) await job.updateData({ spec: this.#spec, cancelled: true });
    for (;;) {
      const active = await this.#queue.getActive();
      if (!active.some((one) => one.id === this.#id || isChildOf(this.#id, one))) break;
      await delay(POLL_INTERVAL);
    }
    const ended = await this.#job();
    return ended !== undefined && (await ended.isCompleted()) ? this.#resultOf(ended) : undefined;
  }

  /** Takes the jobs out of the store. */
  async #remove(): Promise<void> {
    for (;;) {
      const job = await this.#job();
      if (job === undefined) return;
      // A job that a worker has just taken is locked: it ends at once, for the sort has.
      await job.remove({ removeChildren: true }).catch(() => delay(POLL_INTERVAL));
    }
  }
}

/** What the store says about the sort. */
type Look =
  | { readonly is: 'going'; readonly completed: number }
  | { readonly is: 'done'; readonly result: ParentResult }
  | { readonly is: 'failed'; readonly why: string }
  | { readonly is: 'away'; readonly error: Error };
