/** Threads in Node: a piscina pool bound to one arena. */

import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { type Arena, compileKernels } from './arena.js';
import type { Job, JobResult } from './job.js';
import { Meeting } from './meeting.js';

/** What each thread gets when it starts. */
export interface CrewData {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly threads: number;
}

/** One thread's task: a job, or pages to touch so that the system hands them out. */
export type Task =
  | { readonly thread: number; readonly job: Job; readonly touch?: never }
  | { readonly thread: number; readonly job?: never; readonly touch: Stretch };

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Threads at work on one arena, one job at a time. */
export interface Crew {
  readonly threads: number;
  readonly meeting: Meeting;
  /** Runs a job on all threads; rejects when one of them fails, once all have stopped. */
  run(job: Job): Promise<JobResult>;
  /** Has the system hand out the pages of a stretch of the arena. */
  touch(stretch: Stretch): Promise<void>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** Threads that a crew has unless told otherwise. */
export function defaultThreads(): number {
  return availableParallelism();
}

/** Starts `threads` threads over `arena`. Idle, they neither use a core nor hold the process. */
export function startCrew(arena: Arena, threads: number): Crew {
  const { memory } = arena;
  const workerData: CrewData = { module: compileKernels(), memory, threads };
  const pool = new Piscina<Task, JobResult>({
    filename: new URL('./worker.js', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    atomics: 'sync',
    workerData,
  });
  const meeting = new Meeting(memory, threads);
  // A thread that dies between jobs is reported by the next one.
  let died: unknown;
  pool.on('error', (error) => {
    died = error;
  });

  async function everyone(taskOf: (thread: number) => Task): Promise<JobResult> {
    if (died !== undefined) throw died;
    meeting.reset();
    const shares = Array.from({ length: threads }, (_, thread) => pool.run(taskOf(thread)));
    // A thread that fails must not leave the others waiting for it.
    for (const share of shares) share.catch(() => meeting.stop());
    const settled = await Promise.allSettled(shares);
    const failed = settled.filter((share) => share.status === 'rejected');
    const cause = failed.find(({ reason }) => reason?.name !== 'JobStopped') ?? failed[0];
    if (cause !== undefined) throw cause.reason;
    return (settled[0] as PromiseFulfilledResult<JobResult>).value;
  }

  return {
    threads,
    meeting,
    run: (job) => everyone((thread) => ({ thread, job })),
    touch: async (touch) => {
      await everyone((thread) => ({ thread, touch }));
    },
    close: () => pool.destroy(),
  };
}
