/**
 * The sorter that a backend uses: starts its threads, replaces one that has failed, and has the
 * calling thread ready until the first threads are there.
 */

import { BackendFailedError, ClosedError, nextTask, type RequestQueue } from '@keysweep/core';
import { Arena } from '../arena/arena.js';
import { callingThreadSorter } from './calling-thread-sorters.js';
import { promptCollectorSoon } from './idle-release.js';
import { type LargeSorter, threadFailure } from './large-sorter.js';
import type { LargeSorterStarter } from './large-sorter-starter.js';

/**
 * Keys of sorts that the calling thread has done alone, and threads would have shared, after which
 * threads start: some forty sorts, of which each would have taken half a millisecond less.
 */
const KEYS_ALONE = 5e6;

export class LargeSorterInUse {
  readonly #starter: LargeSorterStarter;
  readonly #queue: RequestQueue;
  #starting: Promise<LargeSorter> | undefined;
  /** The sorter, once it can be handed requests: its threads may still be loading their code. */
  #largeSorter: LargeSorter | undefined;
  #areThreadsThere = false;
  /** The memory that threads share. The calling thread sorts in it until they are there. */
  #arena: Arena | undefined;
  #callingThread: LargeSorter | undefined;
  #keysAlone = 0;
  #isClosed = false;

  /** All work of large sorters goes through `queue`, one at a time. */
  constructor(starter: LargeSorterStarter, queue: RequestQueue) {
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
    return this.#arena?.bytes ?? this.#largeSorter?.bytes ?? 0;
  }

  /** Whether the calling thread can sort in the place of threads that are not there yet. */
  get hasStandIn(): boolean {
    return !this.#areThreadsThere && this.#starter.hasKernels;
  }

  /**
   * Does `work` on the calling thread, in slices, and then starts threads. Not beside it: on two
   * cores they would take time from it, in a page of Chromium a third of the whole.
   */
  async useCallingThread<T>(work: (sorter: LargeSorter) => Promise<T>): Promise<T> {
    await this.#dismissFailed();
    if (this.#callingThread === undefined) {
      // In a page this task has loaded code and compiled kernels already: the sort gets others.
      await nextTask();
      if (this.#isClosed) throw new ClosedError('the cpu backend');
    }
    this.#callingThread ??= callingThreadSorter(this.#memory());
    const sorter = this.#callingThread;
    try {
      return await work(sorter);
    } finally {
      // The caller of the sort goes on first, and may have had everything released.
      void nextTask().then(() => {
        if (this.#callingThread === sorter) void this.#startThreads();
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
   * Does `work` with the large sorter, once it is idle. One that has failed is dismissed: after the
   * work, or before it if idle. If its threads had not started, `work` is done again with the next one.
   */
  async use<T>(work: (sorter: LargeSorter) => Promise<T>): Promise<T> {
    for (;;) {
      if (this.#isClosed) throw new ClosedError('the cpu backend');
      await this.#dismissFailed();
      let sorter: LargeSorter | undefined;
      try {
        sorter = await this.#start();
        return await work(sorter);
      } catch (error) {
        if (!(sorter?.failedToStart && error instanceof BackendFailedError)) throw error;
      } finally {
        // A thread that died may have left the others in any state: the next sort gets new ones.
        if (sorter === undefined || sorter.failure !== undefined) await this.dismiss();
      }
    }
  }

  /** Ends the threads of a large sorter that has failed: one of them may still be at work. */
  async #dismissFailed(): Promise<void> {
    if (this.#largeSorter?.failure !== undefined) await this.dismiss();
  }

  /**
   * Resolves when no thread uses the memory, the calling one included: what an aborted sort leaves
   * to do, its sorter does a little later, and the next request may be for the other one.
   */
  async idle(): Promise<void> {
    await this.#callingThread?.idle();
    await this.#largeSorter?.idle();
  }

  /** Waits until the threads have loaded their code. @throws BackendFailedError if they do not. */
  async threadsOf(sorter: LargeSorter): Promise<void> {
    try {
      await sorter.started;
    } catch (cause) {
      throw threadFailure(cause);
    }
    if (this.#largeSorter === sorter) this.#areThreadsThere = true;
  }

  /** Ends the threads and drops the memory. The next request starts others. */
  async dismiss(): Promise<void> {
    const [starting, bytes] = [this.#starting, this.bytes];
    this.#starting = undefined;
    this.#largeSorter = undefined;
    this.#areThreadsThere = false;
    this.#arena = undefined;
    this.#callingThread = undefined;
    this.#keysAlone = 0;
    // The request that started a large sorter in vain has rejected; nothing is left to close.
    const started = await starting?.catch(() => undefined);
    if (started?.failedToStart) this.#starter.drop(started.failure);
    await started?.close();
    promptCollectorSoon(bytes);
  }

  /** Starts no more threads. */
  close(): void {
    this.#isClosed = true;
  }

  async #start(): Promise<LargeSorter> {
    this.#starting ??= this.#starter.start(() => this.#memory());
    const starting = this.#starting;
    const sorter = await starting;
    if (this.#starting === starting && this.#largeSorter !== sorter) {
      this.#largeSorter = sorter;
      // Whoever needs the threads hears of their failure, too.
      this.threadsOf(sorter).catch(() => {});
    }
    return sorter;
  }

  /** Starts threads by one way after the other, until one works. Never rejects. */
  async #startThreads(): Promise<void> {
    while (!this.#isClosed && this.#starting === undefined) {
      let sorter: LargeSorter | undefined;
      const attempt = this.#start();
      const starting = this.#starting;
      try {
        sorter = await attempt;
        return await this.threadsOf(sorter);
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
        if (!isCurrent || !sorter?.failedToStart) return;
      }
    }
  }

  #memory(): Arena {
    this.#arena ??= new Arena();
    return this.#arena;
  }
}
