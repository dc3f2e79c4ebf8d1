/** What a thread of a crew is told to do, and how it does it. */

import { runAtOnce } from '@keysweep/core';
import type { CpuKernels } from '@keysweep/kernels/cpu';
import { runJob } from '../sort/job.js';
import type { Job, JobResult } from '../sort/job-context.js';
import { Board, JobStopped } from './work-queue.js';

/** What each thread gets when it starts. */
export interface CrewData {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}

/** Bytes [from, to) of an arena. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * One thread's task: a job, before which it rests until `restsFor` threads take part, or pages to touch so that the
 * system hands them out.
 */
export type Task =
  | {
      readonly thread: number;
      readonly restsFor: number;
      readonly job: Job;
      readonly touch?: never;
    }
  | {
      readonly thread: number;
      readonly restsFor?: never;
      readonly job?: never;
      readonly touch: Stretch;
    };

/** What a thread says when its task is over. */
export type Share = JobResult | 'stopped' | 'touched';

/** Does a thread's task. Blocks while other threads finish pieces of the same job. */
export function doTask(
  { thread, restsFor, job, touch }: Task,
  kernels: CpuKernels,
  memory: WebAssembly.Memory,
): Share {
  if (job === undefined) {
    new Uint8Array(memory.buffer, touch.from, touch.to - touch.from).fill(0);
    return 'touched';
  }
  // No patience is needed here: whoever started us sees when another thread dies, and stops the job.
  const { boardAt, phases } = job.places;
  const board = new Board(memory, boardAt, phases, Number.POSITIVE_INFINITY, kernels.spin);
  board.arrive();
  board.rest(restsFor);
  try {
    return runAtOnce(runJob(job, kernels, memory, board, thread));
  } catch (error) {
    // Said by a value: an error's class is lost on its way to another thread.
    if (error instanceof JobStopped) return 'stopped';
    throw error;
  }
}
