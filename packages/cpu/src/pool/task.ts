/** What one thread of a pool is sent, and how it does it. */

import { runAtOnce, slicesOf } from '@keysweep/core';
import type { CpuKernels } from '@keysweep/kernels/cpu';
import { type GatherJob, type GatherResult, gatherPieces } from '../gather/gather.js';
import { type JobQueue, runJob } from '../sort/job.js';
import type { Job, JobResult } from '../sort/job-context.js';
import { JobStopped, type Pausable, WorkQueue } from './work-queue.js';

/** What each thread gets when it starts. */
export interface WorkerSetup {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}

/** Bytes [from, to) of an arena. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** What threads do together: a sort, or a gather. */
export type SharedJob = Job | GatherJob;
export type SharedResult = JobResult | GatherResult;

/**
 * One thread's task: a job, which begins once `waitFor` threads have joined it or a wait is over;
 * or pages to touch, so that the system hands them out.
 */
export type Task =
  | {
      readonly thread: number;
      readonly waitFor: number;
      readonly job: SharedJob;
      readonly pages?: never;
    }
  | {
      readonly thread: number;
      readonly waitFor?: never;
      readonly job?: never;
      readonly pages: ByteRange;
    };

/** What a thread answers when its task is over. */
export type TaskResult = SharedResult | 'stopped' | 'touched';

/** Bytes between two pauses: a millisecond at most where the memory is fresh. */
const TOUCHED = 2 ** 20;

/** Has the system hand out pages. */
export function* touchSteps(
  memory: WebAssembly.Memory,
  { from, to }: ByteRange,
): Generator<undefined, void> {
  const bytes = new Uint8Array(memory.buffer, from, to - from);
  for (const [first, end] of slicesOf(bytes.length, TOUCHED)) {
    bytes.fill(0, first, end);
    yield;
  }
}

/** Does thread number `thread`'s part of a job. */
export function jobSteps(
  job: SharedJob,
  kernels: CpuKernels,
  memory: WebAssembly.Memory,
  queue: JobQueue,
  thread: number,
): Pausable<SharedResult> {
  return 'gather' in job
    ? gatherPieces(job, kernels, memory, queue, thread)
    : runJob(job, kernels, memory, queue, thread);
}

/** Does a thread's task. Blocks while other threads finish pieces of the same job. */
export function doTask(
  { thread, waitFor, job, pages }: Task,
  kernels: CpuKernels,
  memory: WebAssembly.Memory,
): TaskResult {
  if (job === undefined) {
    runAtOnce(touchSteps(memory, pages));
    return 'touched';
  }
  // No time-out is needed here: the thread that sent the task stops the job when a thread dies.
  const { queueAt, phases } = job.arena;
  const queue = new WorkQueue(memory, queueAt, phases, Number.POSITIVE_INFINITY, kernels.spin);
  queue.join();
  queue.awaitThreads(waitFor);
  try {
    return runAtOnce(jobSteps(job, kernels, memory, queue, thread));
  } catch (error) {
    // A value: an error's class is lost on its way to another thread.
    if (error instanceof JobStopped) return 'stopped';
    throw error;
  }
}
