/** A page's line to one worker: questions, answers, and word of its end. */

import type { Progress } from '@keysweep/core';
import type { Question, Questions, Reply } from './messages.js';

/** How long a worker may take to load its code and answer, in milliseconds. */
const START_PATIENCE = 10_000;

/**
 * How long a worker may take for anything where nobody tells of its end, in milliseconds: in a page
 * without locks (https or localhost have them). No sort that fits in a worker's memory takes half of it.
 */
const UNWATCHED_PATIENCE = 120_000;

/** A question that waits for its answer. */
interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
  readonly hear: ((progress: Progress) => void) | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Makes a worker that runs the code of `page-worker.ts`. */
export type CreateWorker = () => Worker;

export class WorkerLink {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  /** Whether a lock tells of the worker's end. */
  #watched = false;
  #end: { readonly error: unknown } | undefined;
  #lose: (error: unknown) => void = () => {};
  #rest: () => void = () => {};
  #resting: Promise<void> = Promise.resolve();

  /** Rejects when the worker is of no use any more: it failed, it was terminated, the link closed. */
  readonly lost: Promise<never>;

  /** @throws what `createWorker` throws. */
  constructor(createWorker: CreateWorker) {
    this.lost = new Promise<never>((_, reject) => {
      this.#lose = reject;
    });
    this.lost.catch(() => {});
    const worker = createWorker();
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => this.#receive(data));
    worker.addEventListener('messageerror', () => {
      this.#fail(new Error('an answer of its could not be read'));
    });
    worker.addEventListener('error', (event) => {
      // Told here in full; the page's own listeners are for errors that nobody deals with.
      event.preventDefault();
      // Browsers say nothing of code that could not be loaded.
      const what = event.message || 'its code could not be loaded';
      this.#fail(new Error(what, { cause: event.error }));
    });
    this.#greet();
  }

  /** Whether the worker is of no use any more. */
  get failed(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Asks the worker; `transfer` goes over to it. `hear` is told of progress; what it throws rejects
   * the question, though the worker goes on with it.
   */
  ask<Kind extends keyof Questions>(
    kind: Kind,
    ask: Questions[Kind]['ask'],
    transfer: readonly Transferable[] = [],
    hear?: (progress: Progress) => void,
  ): Promise<Questions[Kind]['answer']> {
    if (this.#end !== undefined) return Promise.reject(this.#end.error);
    return new Promise((resolve, reject) => {
      this.#worker.postMessage({ kind, ask } as Question, [...transfer]);
      const timer = this.#watched ? undefined : this.#patience(UNWATCHED_PATIENCE);
      if (this.#waiting.length === 0) {
        this.#resting = new Promise((rest) => {
          this.#rest = rest;
        });
      }
      this.#waiting.push({ resolve: resolve as Waiting['resolve'], reject, hear, timer });
    });
  }

  /** Resolves when no question waits. */
  idle(): Promise<void> {
    return this.#resting;
  }

  /** Ends the worker. */
  close(): void {
    this.#fail(new Error('it was closed'));
  }

  /**
   * Nobody is told when a worker is terminated. So it holds a lock for life, which the page waits
   * for: whoever gets it knows that the worker is gone.
   */
  #greet(): void {
    const locks: LockManager | undefined = globalThis.navigator?.locks;
    const name = locks && `keysweep-${crypto.randomUUID()}`;
    const timer = this.#patience(START_PATIENCE);
    this.ask('greet', name).then(
      (isHeld) => {
        clearTimeout(timer);
        if (locks === undefined || name === undefined || !isHeld) return;
        this.#watched = true;
        for (const { timer } of this.#waiting) clearTimeout(timer);
        const onGone = (): void => this.#fail(new Error('it was terminated'));
        locks.request(name, onGone).catch((error) => this.#fail(error));
      },
      () => clearTimeout(timer),
    );
  }

  #patience(milliseconds: number): ReturnType<typeof setTimeout> {
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
        first?.hear?.(reply.progress);
      } catch (error) {
        first?.reject(error);
      }
      return;
    }
    this.#waiting.shift();
    clearTimeout(first?.timer);
    first?.resolve(reply.answer as never);
    if (this.#waiting.length === 0) this.#rest();
  }

  #fail(error: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.#worker.terminate();
    for (const { reject, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      reject(error);
    }
    this.#rest();
    this.#lose(error);
  }
}
