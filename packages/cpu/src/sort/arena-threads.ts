/** What a sort in an arena asks of the threads that work there. */

import type { Result, SortRequest, TypedArray } from '@keysweep/core';
import type { Threading } from '../arena/cuts.js';
import type { Commit, ResultsAt } from './early-commit.js';
import type { Choosing, Job, JobResult, SharedArrays } from './job-context.js';

/** Copies what a job sorts into the arena, slice by slice; reports how many slices are there. */
export type Stage = (report: (slices: number) => void) => void | Promise<void>;

/**
 * Stages one job and runs it: at once on the calling thread, or on several, which begin with the
 * slices that are there. Reports now and then how many records are in place. The commit of
 * `writing` may begin while the job runs, which can then no longer be stopped. If a thread is lost
 * then, others may still write the pieces that they are at work on.
 */
export type RunJob = (
  job: Job,
  stage: Stage,
  report: (records: number) => void,
  writing: Writing | undefined,
) => JobResult | Promise<JobResult>;

/** Runs what the calling thread does itself: at once, or in slices with pauses between them. */
export type RunSteps = <T>(steps: Generator<unknown, T>) => T | Promise<T>;

/** An array, and the address in an arena of as many words or pairs of words. */
export interface Staged {
  readonly array: TypedArray;
  readonly at: number;
}

/** An array that results are written to. */
export type Target = Pick<Result, 'name' | 'target'>;

/** The job of one column, and what it is made from. */
export interface ColumnJob {
  readonly request: SortRequest;
  readonly buffer: ArrayBufferLike;
  readonly job: Job;
  readonly staged: readonly Staged[];
  /** The arrays for the results of the last column's job; none for other columns. */
  readonly targets: readonly Target[];
  readonly resultsAt: ResultsAt;
  /** Called before anything is written. An error that it throws ends the commit. */
  begin(): void;
}

/** What threads do with the caller's arrays while they do a job. */
export interface Writing {
  /** The arrays that all of them copy. */
  readonly arrays: SharedArrays;
  /** How results are written, if they can be. */
  readonly commit: Commit | undefined;
}

/** The threads that work in an arena. */
export interface ArenaThreads {
  readonly threading: Threading;
  readonly run: RunJob;
  /** The calling thread's own work: it copies in and out, with or without pauses. */
  readonly runSteps: RunSteps;
  /** How they choose rows, if they can. */
  readonly choosing?: Choosing | undefined;
  /** Says what they do with the caller's arrays; by default nothing. */
  readonly writing?: ((column: ColumnJob) => Writing) | undefined;
}
