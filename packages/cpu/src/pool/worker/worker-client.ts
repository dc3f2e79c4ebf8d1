/** A page's side of one worker: calls, answers, and its end. */

import type { Progress } from '@keysweep/core';
import type { Call, Calls, Reply } from './messages.js';

/** Milliseconds that a worker may take to load its code and answer. */
const START_TIMEOUT = 10_000;

/**
 * Milliseconds that a worker may take for a call where no lock tells of its end: in a page without
 * locks (https and localhost have them). No sort that fits a worker's memory takes half of it.
 */
const NO_LOCKS_TIMEOUT = 120_000;

/** A call that waits for its answer. */
interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Makes a worker that runs the code of `page-worker.ts`. */
export type CreateWorker = () => Worker;

export class WorkerClient {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  /** Whether a lock tells of the worker's end. */
  #isWatched = false;
  #hasStarted = false;
  #end: { readonly error: unknown } | undefined;
  #rejectLost: (error: unknown) => void = () => {};
  #resolveIdle: () => void = () => {};
  #idle: Promise<void> = Promise.resolve();

  /** Resolves when the worker has loaded its code; rejects when it is lost before. */
  readonly ready: Promise<void>;

  /** Rejects when the worker cannot be used any more: it failed, was terminated, or was closed. */
  readonly lost: Promise<never>;

  /** @throws what `createWorker` throws. */
  constructor(createWorker: CreateWorker) {
    this.lost = new Promise<never>((_, reject) => {
      this.#rejectLost = reject;
    });
    this.lost.catch(() => {});
    const worker = createWorker();
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => this.#receive(data));
    worker.addEventListener('messageerror', () => {
      this.#fail(new Error('an answer of its could not be read'));
    });
    worker.addEventListener('error', (event) => {
      // Handled here; the page's own listeners are for errors that nothing else handles.
      event.preventDefault();
      // Browsers give no message for code that could not be loaded.
      const what = event.message || 'its code could not be loaded';
      this.#fail(new Error(what, { cause: event.error }));
    });
    this.ready = this.#watchLock();
    this.ready.catch(() => {});
  }

  /** Why the worker cannot be used any more; undefined while it can. */
  get failure(): unknown {
    return this.#end?.error;
  }

  /** Whether it failed before it had loaded its code. */
  get failedToStart(): boolean {
    return this.#end !== undefined && !this.#hasStarted;
  }

  /**
   * Calls the worker; the buffers `transfer` move to it. `onProgress` may throw: that rejects the
   * call, though the worker goes on with it.
   */
  call<Kind extends keyof Calls>(
    kind: Kind,
    argument: Calls[Kind]['argument'],
    transfer: readonly Transferable[] = [],
    onProgress?: (progress: Progress) => void,
  ): Promise<Calls[Kind]['answer']> {
    if (this.#end !== undefined) return Promise.reject(this.#end.error);
    return new Promise((resolve, reject) => {
      this.#worker.postMessage({ kind, argument } as Call, [...transfer]);
      const timer = this.#isWatched ? undefined : this.#startTimeout(NO_LOCKS_TIMEOUT);
      if (this.#waiting.length === 0) {
        this.#idle = new Promise((resolve) => {
          this.#resolveIdle = resolve;
        });
      }
      this.#waiting.push({ resolve: resolve as Waiting['resolve'], reject, onProgress, timer });
    });
  }

  /** Resolves when no call waits. */
  idle(): Promise<void> {
    return this.#idle;
  }

  /** Ends the worker. */
  close(): void {
    this.#fail(new Error('it was closed'));
  }

  /**
   * Browsers do not tell when a worker is terminated. So the worker holds a lock for life, and the
   * page waits for that lock: when the page gets it, the worker is gone.
   */
  async #watchLock(): Promise<void> {
    const locks: LockManager | undefined = globalThis.navigator?.locks;
    const name = locks && `keysweep-${crypto.randomUUID()}`;
    const timer = this.#startTimeout(START_TIMEOUT);
    try {
      const isHeld = await this.call('hold', name);
      this.#hasStarted = true;
      if (locks === undefined || name === undefined || !isHeld) return;
    } finally {
      clearTimeout(timer);
    }
    this.#isWatched = true;
    for (const { timer } of this.#waiting) clearTimeout(timer);
    const onGone = (): void => this.#fail(new Error('it was terminated'));
    locks.request(name, onGone).catch((error) => this.#fail(error));
  }

  #startTimeout(milliseconds: number): ReturnType<typeof setTimeout> {
    const error = new Error(`it did not answer within ${milliseconds / 1000} seconds`);
    return setTimeout(() => this.#fail(error), milliseconds);
  }

  #receive(reply: Reply): void {
    if ('error' in reply) {
      this.#fail(new Error(reply.error));
      return;
    }
    const [first] = this.#waiting;
    if ('progress' in reply) {
      try {
        first?.onProgress?.(reply.progress);
      } catch (error) {
        first?.reject(error);
      }
      return;
    }
    this.#waiting.shift();
    clearTimeout(first?.timer);
    first?.resolve(reply.answer as never);
    if (this.#waiting.length === 0) this.#resolveIdle();
  }

  #fail(error: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.#worker.terminate();
    for (const { reject, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      reject(error);
    }
    this.#resolveIdle();
    this.#rejectLost(error);
  }
}
