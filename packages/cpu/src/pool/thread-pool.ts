/** Threads at work on one arena, however they are reached. */

import { type Pause, runInSlices } from '@keysweep/core';
import type { Job, JobResult } from '../sort/job-context.js';
import type { Share, Stretch, Task } from './task.js';
import { Board, JobStopped, type Pausable, type Spin } from './work-queue.js';

/** A job on its way. */
export interface RunningJob {
  /** To say which slices are staged, for progress, and to stop the job. */
  readonly board: Board;
  /**
   * The result, once all slices are staged: a calling thread that leads now does its share, with pauses. Rejects
   * when a thread failed or the job was stopped.
   */
  finish(): Promise<JobResult>;
}

/** Threads at work on one arena, one job at a time. */
export interface Crew {
  readonly threads: number;
  /** Whether a thread has failed: no further job can be run. */
  readonly failed: boolean;
  /** Resolves when no thread has anything left to do with the job before. */
  idle(): Promise<unknown>;
  /** Starts a job, once idle, whose keys need not be staged yet: while threads come up, the caller does that. */
  begin(job: Job): RunningJob;
  /** Has the system hand out the pages of a stretch of the arena. */
  touch(stretch: Stretch): Promise<void>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** How a crew's threads are reached. */
export interface Hands {
  /** How many take part in a job, with the leader. */
  readonly threads: number;
  readonly memory: WebAssembly.Memory;
  /** Has a thread do a task; rejects when it fails. */
  send(task: Task): Promise<Share>;
  /** Rejects when a thread is lost: a task may then stay unanswered. */
  readonly broken: Promise<never>;
  close(): Promise<void>;
}

/** A calling thread that takes part in jobs; others help where they come in time. */
export interface Leader {
  /** Whether others can help with a job. */
  isHelped(job: Job): boolean;
  /** Milliseconds that it waits for a piece of another's. */
  readonly patience: number;
  readonly spin: Spin;
  lead(job: Job, board: Board): Pausable<JobResult>;
  /** Pauses for its event loop. */
  pauses(): Pause;
}

/** A crew of `hands`, on a thread that takes part if there is a `leader`. */
export function makeCrew(hands: Hands, leader?: Leader): Crew {
  const { threads, memory, broken } = hands;
  let shares: Promise<Share>[] = [];
  // A thread that dies between jobs, or after its job was done without it, is reported by the next
  // one. A thread that never came up leaves its tasks unanswered: `broken` ends every wait for them.
  let failure: unknown;
  const fail = (error: unknown): void => {
    failure ??= error;
  };
  broken.catch(fail);

  /** Hands tasks to threads. */
  function post(tasks: readonly Task[], stop: () => void): void {
    if (failure !== undefined) throw failure;
    shares = [];
    for (const task of tasks) take(hands.send(task), stop);
  }

  /** Counts a share in; one that fails stops the job, so that no other waits for it. */
  function take(share: Promise<Share>, stop: () => void): void {
    shares.push(share);
    share.catch((error) => {
      fail(error);
      stop();
    });
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

  /** The result of a job that the calling thread leads: when its share is done, all is. */
  async function led(share: Promise<Share>): Promise<JobResult> {
    const result = await Promise.race([share, broken]);
    if (failure !== undefined) throw failure;
    if (typeof result === 'object') return result;
    throw new JobStopped('the job was stopped');
  }

  async function leadJob(by: Leader, job: Job, board: Board, taking: number): Promise<Share> {
    board.arrive();
    board.rest(taking);
    try {
      return await runInSlices(by.lead(job, board), by.pauses());
    } catch (error) {
      if (error instanceof JobStopped) return 'stopped';
      throw error;
    }
  }

  return {
    threads,
    get failed() {
      return failure !== undefined;
    },
    idle: () => Promise.race([Promise.allSettled(shares), broken.catch(() => {})]),
    begin(job) {
      const { boardAt, phases } = job.places;
      const board = new Board(memory, boardAt, phases, leader?.patience ?? 0, leader?.spin);
      board.reset();
      const first = leader === undefined ? 0 : 1;
      const taking = leader?.isHelped(job) === false ? first : threads;
      const others = Array.from({ length: taking - first }, (_, i) => ({
        thread: first + i,
        // Under a leader they begin with what is staged.
        restsFor: leader === undefined ? taking : 0,
        job,
      }));
      const stop = (): void => board.stop();
      post(others, stop);
      const finish = (): Promise<JobResult> => {
        if (leader === undefined) return outcome();
        const share = leadJob(leader, job, board, taking);
        take(share, stop);
        return led(share);
      };
      return { board, finish };
    },
    async touch({ from, to }) {
      const others = leader === undefined ? threads : Math.max(threads - 1, 1);
      const at = (t: number): number => from + Math.floor(((to - from) * t) / others);
      const stretches = Array.from({ length: others }, (_, thread) => ({
        thread,
        touch: { from: at(thread), to: at(thread + 1) },
      }));
      post(stretches, () => {});
      await Promise.race([Promise.all(shares), broken]);
    },
    close: () => hands.close(),
  };
}
