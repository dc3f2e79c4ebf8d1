/** What a sort in an arena asks of the threads that work there. */

import type { TypedArray } from '@keysweep/core';
import type { Threading } from '../arena/layout.js';
import type { Commit, Commits } from './early-commit.js';
import type { Choosing, Job, JobResult, SharedArrays } from './job-context.js';

/** Copies what a job sorts into the arena, slice by slice; reports how many slices are there. */
export type Stage = (report: (slices: number) => void) => void | Promise<void>;

/**
 * Stages one job and runs it: at once on the calling thread, or on several, which begin with the
 * slices that are there, and copy `arrays`. Reports now and then how many records are in place.
 * `commit` may begin while the job runs, which can then no longer be stopped. If a thread is
 * lost then, others may still write the pieces that they are at work on.
 */
export type RunJob = (
  job: Job,
  stage: Stage,
  report: (records: number) => void,
  commit: Commit | undefined,
  arrays: SharedArrays,
) => JobResult | Promise<JobResult>;

/** Runs what the calling thread does itself: at once, or in slices with pauses between them. */
export type RunSteps = <T>(steps: Generator<unknown, T>) => T | Promise<T>;

/** What the threads of a job can do with the caller's arrays. */
interface Writers {
  /** Of a calling thread that is one of them: it can write what is in place. */
  readonly commits: Commits | undefined;
  /** Arrays as all of them can copy them, or none: see `sharedOf`. */
  readonly share: ((arrays: readonly TypedArray[]) => readonly TypedArray[]) | undefined;
}

/** The threads that work in an arena. */
export interface ArenaThreads {
  readonly threading: Threading;
  readonly run: RunJob;
  /** The calling thread's own work: it copies in and out, with or without pauses. */
  readonly runSteps: RunSteps;
  /** How they choose rows, if they can. */
  readonly choosing?: Choosing | undefined;
  /** By default they have nothing but the arena. */
  readonly writers?: Writers | undefined;
}
