/**
 * Threads over one arena that serve requests, one job at a time: sends every thread its task, lets
 * the calling thread take part, stops the job on an abort, and reports progress.
 */

import {
  type GatherRequest,
  type Pause,
  plainShape,
  runInSlices,
  type SortOutcome,
  type SortRequest,
  untilAborted,
} from '@keysweep/core';
import type { CpuKernels } from '@keysweep/kernels/cpu';
import { type GatherResult, gatherInArena } from '../gather/gather.js';
import type { Arena } from '../sort/arena.js';
import type { Threading } from '../sort/arena-layout.js';
import type { JobResult } from '../sort/job-context.js';
import { type RunSteps, type Stage, sortInArena } from '../sort/stage.js';
import { arenaBytes } from './calling-thread.js';
import { type Executor, threadFailure } from './executor.js';
import { jobSteps, type SharedJob, type SharedResult, type Task, type TaskResult } from './task.js';
import { JobStopped, WorkQueue } from './work-queue.js';

/** How the threads of a pool are reached: through piscina, worker threads, or web workers. */
export interface WorkerTransport {
  /** How many threads take part in a job, the leader included. */
  readonly threads: number;
  /** Has a thread do a task; rejects when the task fails. */
  send(task: Task): Promise<TaskResult>;
  /** Whether a thread was lost before it had loaded its code. */
  failedToStart(): boolean;
  /** Rejects when a thread is lost: its task may then stay unanswered. */
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

/** Milliseconds between two looks at the progress of a job. */
const PROGRESS_INTERVAL = 50;

export class ThreadPool implements Executor {
  readonly #arena: Arena;
  readonly #transport: WorkerTransport;
  readonly #stepper: () => RunSteps;
  readonly #leader: Leader | undefined;
  /** The tasks of the job before, or of the one at work. */
  #tasks: Promise<TaskResult>[] = [];
  /**
   * What made a thread fail. One that dies between jobs, or after its job was done without it,
   * fails the next job. One that never started leaves its tasks unanswered: `broken` ends those
   * waits.
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
    transport.broken.catch((error) => this.#fail(error));
  }

  get failure(): unknown {
    return this.#failure;
  }

  get failedToStart(): boolean {
    return this.#transport.failedToStart();
  }

  get #threading(): Threading {
    const { threads } = this.#transport;
    return { threads, pauses: threads === 1 && this.#leader !== undefined };
  }

  get bytes(): number {
    return this.#arena.bytes;
  }

  idle(): Promise<unknown> {
    const { broken } = this.#transport;
    return Promise.race([Promise.allSettled(this.#tasks), broken.catch(() => {})]);
  }

  sort(request: SortRequest): Promise<SortOutcome> {
    return sortInArena(
      request,
      this.#arena,
      this.#threading,
      (job, stage, report) => this.#run(job, stage, request, report) as Promise<JobResult>,
      this.#stepper(),
    );
  }

  gather(request: GatherRequest): Promise<boolean> {
    return gatherInArena(
      request,
      this.#arena,
      this.#transport.threads,
      (job, stage) => this.#run(job, stage, {}, () => {}) as Promise<GatherResult>,
      this.#stepper(),
    );
  }

  /** Takes memory for `length` 32-bit keys; the threads touch its pages, a stretch each. */
  async warmUp(length: number): Promise<void> {
    const { threads, broken } = this.#transport;
    const from = this.#arena.bytes;
    this.#arena.reserve(arenaBytes(plainShape('sort', 'u32', length), this.#threading));
    const bytes = this.#arena.bytes - from;
    const others = this.#leader === undefined ? threads : Math.max(threads - 1, 1);
    const at = (thread: number): number => from + Math.floor((bytes * thread) / others);
    try {
      this.#send(
        Array.from({ length: others }, (_, thread) => ({
          thread,
          pages: { from: at(thread), to: at(thread + 1) },
        })),
        () => {},
      );
      await Promise.race([Promise.all(this.#tasks), broken]);
    } catch (cause) {
      throw threadFailure(cause);
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Runs a job while it is staged. */
  async #run(
    job: SharedJob,
    stage: Stage,
    { signal, onProgress }: Partial<Pick<SortRequest, 'signal' | 'onProgress'>>,
    report: (records: number) => void,
  ): Promise<SharedResult> {
    await this.idle();
    if (signal?.aborted) throw signal.reason;
    const leader = this.#leader;
    const { queueAt, phases } = job.arena;
    const { memory } = this.#arena;
    const { timeout = 0, kernels } = leader ?? {};
    const queue = new WorkQueue(memory, queueAt, phases, timeout, kernels?.spin);
    queue.reset();
    const stop = (): void => queue.stop();
    let timer: ReturnType<typeof setInterval> | undefined;
    /** What a callback of the caller's threw. */
    let thrown: { readonly error: unknown } | undefined;
    try {
      const threads = this.#start(job, stop);
      signal?.addEventListener('abort', stop, { once: true });
      try {
        const staged = stage((slices) => queue.markStaged(slices));
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
          report(queue.recordsDone);
        } catch (error) {
          thrown = { error };
          stop();
        }
      };
      if (onProgress !== undefined) timer = setInterval(look, PROGRESS_INTERVAL);
      const finished =
        leader === undefined ? this.#result() : this.#lead(leader, job, queue, threads, stop);
      // An abort is answered at once; threads come to their next piece a little later.
      return await untilAborted(finished, signal);
    } catch (cause) {
      if (thrown !== undefined) throw thrown.error;
      if (signal?.aborted) throw signal.reason;
      throw threadFailure(cause);
    } finally {
      clearInterval(timer);
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Starts all threads but the leader on a job; returns how many take part. */
  #start(job: SharedJob, stop: () => void): number {
    const first = this.#leader === undefined ? 0 : 1;
    const threads = this.#leader?.isHelped(job) === false ? first : this.#transport.threads;
    this.#send(
      Array.from({ length: threads - first }, (_, i) => ({
        thread: first + i,
        // With a leader they begin with what is staged; without, all begin together.
        waitFor: this.#leader === undefined ? threads : 0,
        job,
      })),
      stop,
    );
    return threads;
  }

  /** The result of a job that no calling thread leads, once all its tasks have ended. */
  async #result(): Promise<SharedResult> {
    const ended = await Promise.race([Promise.allSettled(this.#tasks), this.#transport.broken]);
    if (this.#failure !== undefined) throw this.#failure;
    for (const task of ended) {
      if (task.status === 'fulfilled' && typeof task.value === 'object') return task.value;
    }
    throw new JobStopped('the job was stopped');
  }

  /** Takes part in a job; when the leader's own task is done, the whole job is. */
  async #lead(
    leader: Leader,
    job: SharedJob,
    queue: WorkQueue,
    threads: number,
    stop: () => void,
  ): Promise<SharedResult> {
    const lead = async (): Promise<TaskResult> => {
      queue.join();
      queue.awaitThreads(threads);
      try {
        const steps = jobSteps(job, leader.kernels, this.#arena.memory, queue, 0);
        return await runInSlices(steps, leader.pauses());
      } catch (error) {
        if (error instanceof JobStopped) return 'stopped';
        throw error;
      }
    };
    const own = lead();
    this.#watch(own, stop);
    const result = await Promise.race([own, this.#transport.broken]);
    if (this.#failure !== undefined) throw this.#failure;
    if (typeof result === 'object') return result;
    throw new JobStopped('the job was stopped');
  }

  /** Sends tasks to threads, in place of those before. */
  #send(tasks: readonly Task[], stop: () => void): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#tasks = [];
    for (const task of tasks) this.#watch(this.#transport.send(task), stop);
  }

  /** Notes a task; one that fails stops the job, so that no other thread waits for it. */
  #watch(task: Promise<TaskResult>, stop: () => void): void {
    this.#tasks.push(task);
    task.catch((error) => {
      this.#fail(error);
      stop();
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
  }
}
