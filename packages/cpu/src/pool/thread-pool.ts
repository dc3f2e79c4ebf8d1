/**
 * Threads over one arena that serve requests, one job at a time: sends every thread its task, lets
 * the calling thread take part, stops the job on an abort, and reports progress.
 */

import {
  every,
  type GatherRequest,
  type Pause,
  plainShape,
  runInSlices,
  type SortOutcome,
  type SortRequest,
  type SpellRequest,
  untilAborted,
} from '@keysweep/core';
import type { CpuKernels } from '@keysweep/kernels/cpu';
import type { Arena } from '../arena/arena.js';
import type { Threading } from '../arena/cuts.js';
import { JobStopped, WorkQueue } from '../arena/work-queue.js';
import { type GatherResult, gatherInArena } from '../gather/gather.js';
import type { RunJob, RunSteps, Stage } from '../sort/arena-threads.js';
import { CHOOSING } from '../sort/choose.js';
import type { Commit } from '../sort/early-commit.js';
import {
  type JobResult,
  NONE_SHARED,
  type SharedArrays,
  type ThreadPart,
} from '../sort/job-context.js';
import { sortInArena } from '../sort/stage.js';
import { writeAlone, writeShared } from '../sort/writers.js';
import { type SpellResult, spellInArena } from '../spelling/spell-job.js';
import { Breakage } from './breakage.js';
import { arenaBytes } from './calling-thread.js';
import { type LargeSorter, threadFailure } from './large-sorter.js';
import { jobSteps, type SharedJob, type SharedResult, type Task, type TaskResult } from './task.js';

/** How the threads of a pool are reached: through piscina, worker threads, or web workers. */
export interface WorkerTransport {
  /** How many threads take part in a job at most, the leader included. */
  readonly threads: number;
  /**
   * Has `count` threads do a task, with these arrays of the caller's. Only once those before have
   * ended theirs.
   */
  send(task: Task, count: number, arrays: SharedArrays): void;
  /** Whether `count` threads, the leader among them, can be handed arrays. By default never. */
  takesArrays?(count: number): boolean;
  /** Resolves when all have ended their task, to what they have answered. */
  ended(): Promise<readonly TaskResult[]>;
  /** Resolves when all threads have loaded their code. */
  readonly started: Promise<unknown>;
  /** Whether a thread was lost before it had loaded its code. */
  failedToStart(): boolean;
  /** Rejects when a thread is lost or its task fails: that may then not end. */
  readonly broken: Promise<never>;
  close(): Promise<void>;
}

/** A calling thread that takes part in jobs; the others help where they come in time. */
export interface Leader {
  readonly kernels: CpuKernels;
  /** Milliseconds that it waits for another thread's piece before the job fails. */
  readonly timeout: number;
  /** Whether the other threads can help with a job. */
  isHelped(job: SharedJob): boolean;
  /** Pauses for its event loop. */
  pauses(): Pause;
}

/**
 * Keys for each thread that takes part in a job, at least. On 16 cores a thread more takes about 20
 * microseconds of those that are awake.
 */
const KEYS_PER_THREAD = 1 << 15;

/** Milliseconds between two looks at the progress of a job. */
const PROGRESS_INTERVAL = 50;

/**
 * Has the leader take part in a job, from when all is staged: what it does alone, it does while the
 * others work.
 */
function join(queue: WorkQueue, threads: number): void {
  queue.join();
  // The third of three cores is idle, whatever the scheduler does.
  if (threads === 2) queue.awaitThreads(threads);
}

export class ThreadPool implements LargeSorter {
  readonly #arena: Arena;
  readonly #transport: WorkerTransport;
  readonly #breakage: Breakage;
  readonly #stepper: () => RunSteps;
  readonly #leader: Leader | undefined;
  /** The leader's part of the job before, or of the one at work. */
  #leading: Promise<unknown> = Promise.resolve();
  /** The work of the job at work, or of the one before. It holds nothing of the caller's. */
  #queue: WorkQueue | undefined;
  /**
   * What made a thread fail. One that dies between jobs, or after its job was done without it,
   * fails the next job. One that never started never ends its task: `broken` ends those waits.
   */
  #failure: unknown;

  /**
   * `stepper` makes, for each request, what runs the calling thread's copies in and out. With a
   * `leader` the calling thread is one of the threads.
   */
  constructor(arena: Arena, transport: WorkerTransport, stepper: () => RunSteps, leader?: Leader) {
    this.#arena = arena;
    this.#transport = transport;
    this.#stepper = stepper;
    this.#leader = leader;
    transport.broken.catch((error) => {
      this.#fail(error);
      // No other thread shall wait for that one.
      this.#queue?.stop();
    });
    this.#breakage = new Breakage(transport.broken);
  }

  get failure(): unknown {
    return this.#failure;
  }

  get started(): Promise<unknown> {
    return this.#breakage.unlessBroken(this.#transport.started);
  }

  get failedToStart(): boolean {
    return this.#transport.failedToStart();
  }

  /** Who sorts `length` keys. */
  #threadingFor(length: number): Threading {
    const { threads } = this.#transport;
    const pauses = threads === 1 && this.#leader !== undefined;
    const wanted = Math.max(Math.ceil(length / KEYS_PER_THREAD), 1);
    return { threads: Math.min(threads, wanted), pauses };
  }

  get bytes(): number {
    return this.#arena.bytes;
  }

  idle(): Promise<unknown> {
    const ended = Promise.all([this.#leading.catch(() => {}), this.#transport.ended()]);
    return this.#breakage.unlessBroken(ended).catch((error) => {
      if (!this.#breakage.isBroken) throw error;
    });
  }

  sort(request: SortRequest): Promise<SortOutcome> {
    const threading = this.#threadingFor(request.shape.length);
    const leads = this.#leader !== undefined;
    // Rows are chosen among keys that the calling thread has copied.
    const takesArrays =
      leads &&
      request.chosen === undefined &&
      this.#transport.takesArrays?.(threading.threads) === true;
    const run: RunJob = (job, stage, report, writing) => {
      const { arrays, commit } = writing ?? {};
      const { onPlaced, mayWrite } = commit ?? {};
      const part = { arrays, onPlaced, mayWrite };
      return this.#run(job, stage, request, report, part, commit) as Promise<JobResult>;
    };
    return sortInArena(request, this.#arena, {
      threading,
      run,
      runSteps: this.#stepper(),
      choosing: CHOOSING,
      writing: leads ? (takesArrays ? writeShared : writeAlone) : undefined,
    });
  }

  gather(request: GatherRequest): Promise<boolean> {
    return gatherInArena(
      request,
      this.#arena,
      this.#transport.threads,
      (job, stage, onPlaced) =>
        this.#run(job, stage, {}, () => {}, { onPlaced }) as Promise<GatherResult>,
      this.#stepper(),
    );
  }

  spell(request: SpellRequest): Promise<boolean> {
    return spellInArena(
      request,
      this.#arena,
      this.#transport.threads,
      (job, stage) => this.#run(job, stage, request, () => {}, {}) as Promise<SpellResult>,
    );
  }

  /** Takes memory for `length` 32-bit keys; the threads touch its pages, a stretch each. */
  async warmUp(length: number): Promise<void> {
    const { threads } = this.#transport;
    const from = this.#arena.bytes;
    this.#arena.reserve(arenaBytes(plainShape('sort', 'u32', length), this.#threadingFor(length)));
    const others = this.#leader === undefined ? threads : Math.max(threads - 1, 1);
    try {
      this.#send({ pages: { from, to: this.#arena.bytes }, threads: others }, others);
      await this.#breakage.unlessBroken(this.#transport.ended());
    } catch (cause) {
      throw threadFailure(cause);
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Runs a job while it is staged. Once `commit` has begun, it cannot be stopped any more. */
  async #run(
    job: SharedJob,
    stage: Stage,
    { signal, onProgress }: Partial<Pick<SortRequest, 'signal' | 'onProgress'>>,
    report: (records: number) => void,
    part: ThreadPart,
    commit?: Commit,
  ): Promise<SharedResult> {
    await this.idle();
    if (signal?.aborted) throw signal.reason;
    const leader = this.#leader;
    const { memory } = this.#arena;
    const { timeout = 0, kernels } = leader ?? {};
    const queue = new WorkQueue(memory, job.arena, timeout, kernels?.spin);
    queue.reset();
    const stop = (): void => {
      if (!commit?.isBegun) queue.stop();
    };
    let stopLooking = (): void => {};
    /** What a callback of the caller's threw. */
    let thrown: { readonly error: unknown } | undefined;
    try {
      this.#queue = queue;
      const threads = this.#start(job, part.arrays);
      signal?.addEventListener('abort', stop, { once: true });
      try {
        const staged = stage((slices) => {
          queue.markStaged(slices);
          if (leader !== undefined && slices === job.arena.slices) join(queue, threads);
        });
        if (staged instanceof Promise) await staged;
      } catch (error) {
        thrown = { error };
        stop();
        throw error;
      }
      // The caller may abort between the last slice and this line.
      if (signal?.aborted) throw signal.reason;
      const look = (): void => {
        if (commit?.isBegun) return;
        try {
          report(queue.recordsDone);
        } catch (error) {
          thrown = { error };
          stop();
        }
      };
      if (onProgress !== undefined) stopLooking = every(PROGRESS_INTERVAL, look);
      const finished = leader === undefined ? this.#result() : this.#lead(leader, job, queue, part);
      // An abort is answered at once; threads come to their next piece a little later.
      return await untilAborted(finished, signal).catch((error) => {
        if (commit?.isBegun) return finished;
        throw error;
      });
    } catch (cause) {
      // Then all threads are ended before the request is: none writes shared memory after it.
      if (commit?.isBegun) this.#fail(cause);
      if (thrown !== undefined) throw thrown.error;
      if (signal?.aborted) throw signal.reason;
      throw threadFailure(cause);
    } finally {
      stopLooking();
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Starts all threads but the leader on a job; returns how many take part. */
  #start(job: SharedJob, arrays: SharedArrays = NONE_SHARED): number {
    const first = this.#leader === undefined ? 0 : 1;
    const threads = this.#leader?.isHelped(job) === false ? first : job.arena.threads;
    // With a leader they begin with the slices that are staged; without one, all begin together.
    const waitFor = this.#leader === undefined ? threads : 0;
    if (threads > first) this.#send({ job, first, waitFor }, threads - first, arrays);
    return threads;
  }

  /** The result of a job that no calling thread leads, once all its tasks have ended. */
  async #result(): Promise<SharedResult> {
    const answers = await this.#breakage.unlessBroken(this.#transport.ended());
    if (this.#failure !== undefined) throw this.#failure;
    const result = answers.find((answer) => typeof answer === 'object');
    if (result !== undefined) return result;
    throw new JobStopped('the job was stopped');
  }

  /** Takes part in a job; when the leader's own task is done, the whole job is. */
  async #lead(
    leader: Leader,
    job: SharedJob,
    queue: WorkQueue,
    part: ThreadPart,
  ): Promise<SharedResult> {
    const lead = async (): Promise<TaskResult> => {
      try {
        const { memory } = this.#arena;
        const steps = jobSteps(job, leader.kernels, memory, queue, 0, part);
        return await runInSlices(steps, leader.pauses());
      } catch (error) {
        if (error instanceof JobStopped) return 'stopped';
        throw error;
      }
    };
    const leading = lead();
    this.#leading = leading;
    leading.catch((error) => {
      this.#fail(error);
      this.#queue?.stop();
    });
    const result = await this.#breakage.unlessBroken(leading);
    if (this.#failure !== undefined) throw this.#failure;
    if (typeof result === 'object') return result;
    throw new JobStopped('the job was stopped');
  }

  /** Sends a task to threads, with arrays of the caller's. */
  #send(task: Task, count: number, arrays: SharedArrays = NONE_SHARED): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#transport.send(task, count, arrays);
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
  }
}
