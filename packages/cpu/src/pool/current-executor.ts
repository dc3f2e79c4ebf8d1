/**
 * The executor that a backend uses: starts its threads, replaces one that has failed, and has the
 * calling thread ready until the first threads are there.
 */

import { BackendFailedError, ClosedError, nextTask, type RequestQueue } from '@keysweep/core';
import { Arena } from '../arena/arena.js';
import { callingThreadExecutor } from './calling-thread-executors.js';
import { type Executor, threadFailure } from './executor.js';
import type { ExecutorStarter } from './executor-starter.js';
import { promptCollectorSoon } from './idle-release.js';

/**
 * Keys of sorts that the calling thread has done alone, and threads would have shared, after which
 * threads start: some forty sorts, of which each would have taken half a millisecond less.
 */
const KEYS_ALONE = 5e6;

export class CurrentExecutor {
  readonly #starter: ExecutorStarter;
  readonly #queue: RequestQueue;
  #starting: Promise<Executor> | undefined;
  /** The executor, once it can be handed requests: its threads may still be loading their code. */
  #executor: Executor | undefined;
  #areThreadsThere = false;
  /** The memory that threads share. The calling thread sorts in it until they are there. */
  #arena: Arena | undefined;
  #callingThread: Executor | undefined;
  #keysAlone = 0;
  #isClosed = false;

  /** All work of executors goes through `queue`, one at a time. */
  constructor(starter: ExecutorStarter, queue: RequestQueue) {
    this.#starter = starter;
    this.#queue = queue;
  }

  /** How many threads there are already. */
  get threads(): number {
    return this.#areThreadsThere ? this.#starter.threads : 0;
  }

  /** Whether nothing was started, or all was dismissed. */
  get isCold(): boolean {
    return this.#starting === undefined && this.#callingThread === undefined;
  }

  /** Bytes of memory held. */
  get bytes(): number {
    return this.#arena?.bytes ?? this.#executor?.bytes ?? 0;
  }

  /** Whether the calling thread can sort in the place of threads that are not there yet. */
  get hasStandIn(): boolean {
    return !this.#areThreadsThere && this.#starter.hasKernels;
  }

  /**
   * Does `work` on the calling thread, in slices, and then starts threads. Not beside it: on two
   * cores they would take time from it, in a page of Chromium a third of the whole.
   */
  async useCallingThread<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    await this.#dismissFailed();
    if (this.#callingThread === undefined) {
      // In a page this task has loaded code and compiled kernels already: the sort gets others.
      await nextTask();
      if (this.#isClosed) throw new ClosedError('the cpu backend');
    }
    this.#callingThread ??= callingThreadExecutor(this.#memory());
    const executor = this.#callingThread;
    try {
      return await work(executor);
    } finally {
      // The caller of the sort goes on first, and may have had everything released.
      void nextTask().then(() => {
        if (this.#callingThread === executor) void this.#startThreads();
      });
    }
  }

  /** Notes a sort that threads would have shared, had they been there. They start if they pay. */
  noteAlone(length: number): void {
    this.#keysAlone += length;
    if (this.#keysAlone < KEYS_ALONE || this.#starting !== undefined) return;
    // The caller of the sort goes on first, and may have had everything released.
    void nextTask().then(() => {
      if (this.#keysAlone >= KEYS_ALONE) void this.#startThreads();
    });
  }

  /**
   * Does `work` with the executor, once idle. One that has failed is dismissed: after, or before if
   * idle. If its threads had not started, `work` is done again with the next one.
   */
  async use<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    for (;;) {
      if (this.#isClosed) throw new ClosedError('the cpu backend');
      await this.#dismissFailed();
      let executor: Executor | undefined;
      try {
        executor = await this.#start();
        return await work(executor);
      } catch (error) {
        if (!(executor?.failedToStart && error instanceof BackendFailedError)) throw error;
      } finally {
        // A thread that died may have left the others in any state: the next sort gets new ones.
        if (executor === undefined || executor.failure !== undefined) await this.dismiss();
      }
    }
  }

  /** Ends the threads of an executor that has failed: one of them may still be at work. */
  async #dismissFailed(): Promise<void> {
    if (this.#executor?.failure !== undefined) await this.dismiss();
  }

  /**
   * Resolves when no thread uses the memory, the calling one included: what an aborted sort leaves
   * to do, its executor does a little later, and the next request may be for the other one.
   */
  async idle(): Promise<void> {
    await this.#callingThread?.idle();
    await this.#executor?.idle();
  }

  /** Waits until the threads have loaded their code. @throws BackendFailedError if they do not. */
  async threadsOf(executor: Executor): Promise<void> {
    try {
      await executor.started;
    } catch (cause) {
      throw threadFailure(cause);
    }
    if (this.#executor === executor) this.#areThreadsThere = true;
  }

  /** Ends the threads and drops the memory. The next request starts others. */
  async dismiss(): Promise<void> {
    const [starting, bytes] = [this.#starting, this.bytes];
    this.#starting = undefined;
    this.#executor = undefined;
    this.#areThreadsThere = false;
    this.#arena = undefined;
    this.#callingThread = undefined;
    this.#keysAlone = 0;
    // The request that started an executor in vain has rejected; nothing is left to close.
    const started = await starting?.catch(() => undefined);
    if (started?.failedToStart) this.#starter.drop(started.failure);
    await started?.close();
    promptCollectorSoon(bytes);
  }

  /** Starts no more threads. */
  close(): void {
    this.#isClosed = true;
  }

  async #start(): Promise<Executor> {
    this.#starting ??= this.#starter.start(() => this.#memory());
    const starting = this.#starting;
    const executor = await starting;
    if (this.#starting === starting && this.#executor !== executor) {
      this.#executor = executor;
      // Whoever needs the threads hears of their failure, too.
      this.threadsOf(executor).catch(() => {});
    }
    return executor;
  }

  /** Starts threads by one way after the other, until one works. Never rejects. */
  async #startThreads(): Promise<void> {
    while (!this.#isClosed && this.#starting === undefined) {
      let executor: Executor | undefined;
      const attempt = this.#start();
      const starting = this.#starting;
      try {
        executor = await attempt;
        return await this.threadsOf(executor);
      } catch {
        // The next request has the loss among its warnings. No caller waits for these threads, so
        // a failure to end them has no one to reject.
        let isCurrent = false;
        const dismissed = this.#queue.after(async () => {
          isCurrent = this.#starting === starting;
          if (isCurrent) await this.dismiss();
        });
        await dismissed.catch(() => {});
        // Threads that a release ended while they started have not failed: none follow them.
        if (!isCurrent || !executor?.failedToStart) return;
      }
    }
  }

  #memory(): Arena {
    this.#arena ??= new Arena();
    return this.#arena;
  }
}
