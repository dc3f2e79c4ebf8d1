/** What one thread of a pool is sent, and how it does it. */

import { runAtOnce } from '@keysweep/core';
import type { CpuKernels } from '@keysweep/kernels/cpu';
import { type ByteRange, stretchOf, touchSteps } from '../arena/pages.js';
import { JobStopped, type Pausable, WorkQueue } from '../arena/work-queue.js';
import { type GatherJob, type GatherResult, gatherPieces } from '../gather/gather.js';
import { CHOOSING } from '../sort/choose.js';
import { runJob } from '../sort/job.js';
import {
  type Job,
  type JobResult,
  NONE_SHARED,
  type SharedArrays,
  type ThreadPart,
} from '../sort/job-context.js';
import { SHARED_COPIES } from '../sort/shared-arrays.js';
import { type SpellJob, type SpellResult, spellTexts } from '../spelling/spell-job.js';

/** What each thread gets when it starts. */
export interface WorkerSetup {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}

/** What threads do together: a sort, a gather, or spelling. */
export type SharedJob = Job | GatherJob | SpellJob;
export type SharedResult = JobResult | GatherResult | SpellResult;

/**
 * A task for several threads, numbered from 0: a job, which each begins once `waitFor` threads have
 * joined it or a wait is over; or pages to touch, so that the system hands them out.
 */
export type Task =
  | {
      readonly job: SharedJob;
      /** The number within the job of the first of these threads. */
      readonly first: number;
      readonly waitFor: number;
      readonly pages?: never;
    }
  | {
      readonly pages: ByteRange;
      /** How many threads touch them, a stretch each. */
      readonly threads: number;
      readonly job?: never;
    };

/** What a thread answers when its task is over. */
export type TaskResult = SharedResult | 'stopped' | 'touched';

/** Does thread number `thread`'s part of a job. */
export function jobSteps(
  job: SharedJob,
  kernels: CpuKernels,
  memory: WebAssembly.Memory,
  queue: WorkQueue,
  thread: number,
  part: ThreadPart,
): Pausable<SharedResult> {
  if ('gather' in job) return gatherPieces(job, memory, queue, thread, part.onPlaced);
  if ('spelling' in job) return spellTexts(job, memory, queue, thread);
  const whole = { ...part, copies: SHARED_COPIES, choosing: CHOOSING, decisions: queue };
  return runJob(job, kernels, memory, queue, thread, whole);
}

/**
 * Does thread number `thread`'s part of a task, with the caller's arrays that it was handed. Blocks
 * while other threads finish pieces of the same job.
 */
export function doTask(
  task: Task,
  thread: number,
  kernels: CpuKernels,
  memory: WebAssembly.Memory,
  arrays: SharedArrays = NONE_SHARED,
): TaskResult {
  if (task.job === undefined) {
    runAtOnce(touchSteps(memory, stretchOf(task.pages, thread, task.threads)));
    return 'touched';
  }
  const { job, first, waitFor } = task;
  // No time-out is needed here: the thread that sent the task stops the job when a thread dies.
  const queue = new WorkQueue(memory, job.arena, Number.POSITIVE_INFINITY, kernels.spin);
  queue.join();
  queue.awaitThreads(waitFor);
  try {
    return runAtOnce(jobSteps(job, kernels, memory, queue, first + thread, { arrays }));
  } catch (error) {
    // A value: an error's class is lost on its way to another thread.
    if (error instanceof JobStopped) return 'stopped';
    throw error;
  }
}
