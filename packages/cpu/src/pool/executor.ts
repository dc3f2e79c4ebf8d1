/** Threads that serve whole requests, one at a time. */

import {
  BackendFailedError,
  plainShape,
  type RequestShape,
  type SortOutcome,
  type SortRequest,
  untilAborted,
} from '@keysweep/core';
import type { Arena } from '../sort/arena.js';
import { type RunJob, type RunSteps, type Stage, sortInArena } from '../sort/columns.js';
import type { Job, JobResult } from '../sort/job-context.js';
import { bytesFor } from './calling-thread.js';
import type { Crew } from './thread-pool.js';

/** More threads than memory could feed. */
export const MOST_THREADS = 256;

export interface Team {
  /** Whether a thread has failed: no further request can be served. */
  readonly failed: boolean;
  /** Bytes that its arena holds. */
  readonly bytes: number;
  /** Resolves when no thread has anything left to do with the request before. */
  idle(): Promise<unknown>;
  /** Serves a request, once idle. */
  sort(request: SortRequest): Promise<SortOutcome>;
  /** Takes memory for `length` 32-bit keys. */
  warmUp(length: number): Promise<void>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** What the caller wants of a team. */
export interface TeamOptions {
  readonly threads: number | undefined;
  /** Whether the threads shall do without WebAssembly. */
  readonly plain: boolean;
  readonly createWorker: (() => Worker) | undefined;
}

/** What there is of threads on a platform: one module for Node, another for pages. */
export interface Threads {
  /** How many a team would have; 0 where there can be none. */
  count(options: TeamOptions): number;
  /** Whether they would work in one memory; else arrays are sent to them. */
  readonly shareMemory: boolean;
  /** From this many keys on, a team serves a request. */
  payFrom(shape: RequestShape): number;
  /** @throws whatever keeps threads from starting. */
  start(options: TeamOptions): Promise<Team>;
}

export const threadFailure = (cause: unknown): BackendFailedError =>
  new BackendFailedError('cpu', `a worker thread stopped: ${String(cause)}`, { cause });

/**
 * A team of a crew and its arena. The calling thread copies in and out, by the steps that
 * `stepper` runs: a new one for each request.
 */
export function arenaTeam(arena: Arena, crew: Crew, stepper: () => RunSteps): Team {
  return {
    get failed() {
      return crew.failed;
    },
    get bytes() {
      return arena.bytes;
    },
    idle: () => crew.idle(),
    sort(request) {
      const run: RunJob = (job, stage, tell) => supervised(crew, job, stage, request, tell);
      return sortInArena(request, arena, crew.threads, run, stepper());
    },
    async warmUp(length) {
      const from = arena.bytes;
      arena.reserve(bytesFor(plainShape('sort', 'u32', length), crew.threads));
      try {
        await crew.touch({ from, to: arena.bytes });
      } catch (cause) {
        throw threadFailure(cause);
      }
    },
    close: () => crew.close(),
  };
}

/** How often progress is looked at while threads are at work, in milliseconds. */
const PROGRESS_INTERVAL = 50;

/** Has the crew run a job while it is staged; stops it when the caller aborts, and tells the caller how far it is. */
async function supervised(
  crew: Crew,
  job: Job,
  stage: Stage,
  { signal, onProgress }: SortRequest,
  tell: (records: number) => void,
): Promise<JobResult> {
  await crew.idle();
  if (signal?.aborted) throw signal.reason;
  let stop = (): void => {};
  let timer: ReturnType<typeof setInterval> | undefined;
  let thrown: { error: unknown } | undefined;
  try {
    const { board, finish } = crew.begin(job);
    stop = () => board.stop();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const staged = stage((slices) => board.stage(slices));
      if (staged instanceof Promise) await staged;
    } catch (error) {
      thrown = { error };
      stop();
      throw error;
    }
    // The caller may abort between the last slice and this line.
    if (signal?.aborted) throw signal.reason;
    const look = (): void => {
      try {
        tell(board.recordsDone);
      } catch (error) {
        thrown = { error };
        stop();
      }
    };
    if (onProgress !== undefined) timer = setInterval(look, PROGRESS_INTERVAL);
    // An abort is answered at once; threads come to their next piece a little later.
    return await untilAborted(finish(), signal);
  } catch (cause) {
    if (thrown !== undefined) throw thrown.error;
    if (signal?.aborted) throw signal.reason;
    throw threadFailure(cause);
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', stop);
  }
}
