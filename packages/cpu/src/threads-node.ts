/** Threads in Node: a piscina pool bound to one arena. */

import { availableParallelism } from 'node:os';
import { type Arena, compileKernels, linkKernels } from './arena.js';
import { Board, JobStopped } from './board.js';
import { runJob } from './job.js';
import type { Job, JobResult } from './seat.js';

/** What each thread gets when it starts. */
export interface CrewData {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}

/** One thread's task: a job, or pages to touch so that the system hands them out. */
export type Task =
  | { readonly thread: number; readonly job: Job; readonly touch?: never }
  | { readonly thread: number; readonly job?: never; readonly touch: Stretch };

/** What a thread says when its task is over. */
export type Share = JobResult | 'stopped' | 'touched';

/** Bytes [from, to) of an arena. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

const NOTHING: Stretch = { from: 0, to: 0 };

/** A job on its way. */
export interface RunningJob {
  /** Rejects when a thread failed or the job was stopped. */
  readonly result: JobResult | Promise<JobResult>;
  /** For progress, and to stop the job. */
  readonly board: Board;
}

/** Threads at work on one arena, one job at a time. */
export interface Crew {
  readonly threads: number;
  /** Whether a thread has failed: no further job can be run. */
  readonly failed: boolean;
  /** Resolves when no thread has anything left to do with the job before. */
  idle(): Promise<unknown>;
  /**
   * Starts a job, once idle. With `lead` the calling thread does its share at once and returns with
   * the result; the other threads help where they come in time.
   */
  run(job: Job, lead: boolean): RunningJob;
  /** Has the system hand out the pages of a stretch of the arena. */
  touch(stretch: Stretch): Promise<void>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** How long a leading thread waits for a piece of another's, in milliseconds: a thousand times its due. */
const LEADERS_PATIENCE = 2000;

/** Threads that a crew has unless told otherwise. */
export function defaultThreads(): number {
  return availableParallelism();
}

/** Starts `threads` threads over `arena`. Idle, they neither use a core nor hold the process. */
export async function startCrew(arena: Arena, threads: number): Promise<Crew> {
  // Loaded here, for whoever only asks how many threads there are pays nothing.
  const { Piscina } = await import('piscina');
  const { memory } = arena;
  const module = compileKernels();
  const kernels = linkKernels(module, memory);
  const workerData: CrewData = { module, memory };
  const pool = new Piscina<Task, Share>({
    filename: new URL('./worker.js', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    atomics: 'sync',
    workerData,
  });
  let shares: Promise<Share>[] = [];
  // A thread that dies between jobs, or after its job was done without it, is reported by the next
  // one. A thread that never came up leaves its tasks unanswered: `broken` ends every wait for them.
  let failure: unknown;
  const broken = new Promise<never>((_, reject) => {
    pool.on('error', (error) => {
      failure ??= error;
      reject(error);
    });
  });
  broken.catch(() => {});

  // Threads take tens of milliseconds to come up. Until then a leader works alone instead of leaving
  // tasks in the queue that the next job would have to wait for.
  let up = false;
  Promise.all(Array.from({ length: threads }, (_, thread) => pool.run({ thread, touch: NOTHING })))
    .then(() => {
      up = true;
    })
    .catch((error) => {
      failure ??= error;
    });

  /** Hands tasks to threads; a failing one stops the job, so that no other waits for it. */
  function post(tasks: readonly Task[], stop: () => void): void {
    if (failure !== undefined) throw failure;
    shares = tasks.map((task) => pool.run(task));
    for (const share of shares) {
      share.catch((error) => {
        failure ??= error;
        stop();
      });
    }
  }

  /** The result of all shares, once all have ended; throws the failure that stopped them. */
  async function outcome(): Promise<JobResult> {
    const settled = await Promise.race([Promise.allSettled(shares), broken]);
    if (failure !== undefined) throw failure;
    for (const share of settled) {
      if (share.status === 'fulfilled' && typeof share.value === 'object') return share.value;
    }
    throw new JobStopped('the job was stopped');
  }

  function leadJob(job: Job, board: Board): JobResult {
    try {
      return runJob(job, kernels, memory, board, 0);
    } catch (error) {
      failure ??= error;
      throw error;
    }
  }

  return {
    threads,
    get failed() {
      return failure !== undefined;
    },
    idle: () => Promise.race([Promise.allSettled(shares), broken.catch(() => {})]),
    run(job, lead) {
      const { boardAt, phases } = job.places;
      const board = new Board(memory, boardAt, phases, LEADERS_PATIENCE);
      board.reset();
      const first = lead ? 1 : 0;
      const count = lead && !up ? 0 : threads - first;
      const others = Array.from({ length: count }, (_, i) => ({ thread: first + i, job }));
      post(others, () => board.stop());
      return { board, result: lead ? leadJob(job, board) : outcome() };
    },
    async touch({ from, to }) {
      const at = (t: number): number => from + Math.floor(((to - from) * t) / threads);
      const stretches = Array.from({ length: threads }, (_, thread) => ({
        thread,
        touch: { from: at(thread), to: at(thread + 1) },
      }));
      post(stretches, () => {});
      await Promise.race([Promise.all(shares), broken]);
    },
    close: () => pool.destroy(),
  };
}
