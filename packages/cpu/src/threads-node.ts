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

/** One thread's task: a job that `threads` take part in, or pages to touch so that the system hands them out. */
export type Task =
  | { readonly thread: number; readonly threads: number; readonly job: Job; readonly touch?: never }
  | {
      readonly thread: number;
      readonly threads?: never;
      readonly job?: never;
      readonly touch: Stretch;
    };

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
  readonly result: Promise<JobResult>;
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
   * Starts a job, once idle. The calling thread does its share, with pauses; the other threads help where they come in
   * time.
   */
  run(job: Job): RunningJob;
  /** Has the system hand out the pages of a stretch of the arena. */
  touch(stretch: Stretch): Promise<void>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** How long a leading thread waits for a piece of another's, in milliseconds: a thousand times its due. */
const LEADERS_PATIENCE = 2000;

/**
 * How long the calling thread works before its event loop gets a turn, in milliseconds. It works with the others, because
 * it is awake: where it slept instead, a system of two cores left the threads that it woke on one of them for some 10 ms.
 */
const PAUSE_AFTER = 8;

/** A job of so many keys takes long enough for threads to join it that are still coming up. */
const AWAITS_THREADS_FROM = 1 << 22;

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

  // Threads take tens of milliseconds to come up. Until then short jobs are the calling thread's alone, instead of
  // leaving tasks in the queue that the next job would have to wait for.
  let up = false;
  Promise.all(Array.from({ length: threads }, (_, thread) => pool.run({ thread, touch: NOTHING })))
    .then(() => {
      up = true;
    })
    .catch((error) => {
      failure ??= error;
    });

  /** Hands tasks to threads, behind the caller's own; a failing one stops the job, so that no other waits for it. */
  function post(tasks: readonly Task[], stop: () => void, own?: () => Promise<Share>): void {
    if (failure !== undefined) throw failure;
    shares = tasks.map((task) => pool.run(task));
    if (own !== undefined) shares.unshift(own());
    for (const share of shares) {
      share.catch((error) => {
        failure ??= error;
        stop();
      });
    }
  }

  /** The result of the caller's own share, the first, which ends when all is done; throws what stopped it. */
  async function outcome(): Promise<JobResult> {
    const result = await Promise.race([shares[0] as Promise<Share>, broken]);
    if (failure !== undefined) throw failure;
    if (typeof result === 'object') return result;
    throw new JobStopped('the job was stopped');
  }

  /** Does the calling thread's share, with a pause for the event loop now and then. */
  async function lead(job: Job, board: Board, taking: number): Promise<Share> {
    board.arrive(taking);
    const work = runJob(job, kernels, memory, board, 0);
    let since = performance.now();
    try {
      for (let step = work.next(); ; step = work.next()) {
        if (step.done === true) return step.value;
        if (performance.now() - since < PAUSE_AFTER) continue;
        await new Promise((resolve) => setImmediate(resolve));
        since = performance.now();
      }
    } catch (error) {
      if (error instanceof JobStopped) return 'stopped';
      board.stop();
      throw error;
    }
  }

  return {
    threads,
    get failed() {
      return failure !== undefined;
    },
    idle: () => Promise.race([Promise.allSettled(shares), broken.catch(() => {})]),
    run(job) {
      const { boardAt, phases } = job.places;
      const board = new Board(memory, boardAt, phases, LEADERS_PATIENCE);
      board.reset();
      const count = up || job.length >= AWAITS_THREADS_FROM ? threads - 1 : 0;
      const taking = 1 + count;
      const others = Array.from({ length: count }, (_, i) => ({
        thread: 1 + i,
        threads: taking,
        job,
      }));
      post(
        others,
        () => board.stop(),
        () => lead(job, board, taking),
      );
      return { board, result: outcome() };
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
