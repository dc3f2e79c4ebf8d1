/** Gives up a backend that shows no sign of life. */

import {
  type Backend,
  BackendFailedError,
  type CancelSignal,
  every,
  inTurn,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import { isBuiltin } from '../builtin/builtin.js';
import { sharedSignal } from '../call/shared-signal.js';

/**
 * A backend is given up after this many times the expected duration of a sort, if that is more than
 * the time-out.
 */
const TIME_OUT_FACTOR = 20;

/** Watches one backend's work. Progress, and requests that end, are its signs of life. */
export class Watchdog {
  readonly #backend: Backend;
  /** The least number of milliseconds without a sign of life after which it is given up. */
  readonly #timeOut: number;
  /** The longest time-out of a sort so far. */
  #longestTimeOut: number;
  #signsOfLife = 0;

  constructor(backend: Backend, timeOut: number) {
    this.#backend = backend;
    this.#timeOut = timeOut;
    this.#longestTimeOut = timeOut;
  }

  /** Waits for a probe. @throws BackendFailedError if it does not end in time. */
  probe<T>(probing: Promise<T>): Promise<T> {
    return withTimeOut(probing, this.#timeOut, () => this.#timeOutError('probe', this.#timeOut));
  }

  /**
   * Has the backend sort a request that should take `expected` milliseconds. If it hangs,
   * `onGivenUp` is called, and a result that comes later is dropped.
   * @throws BackendFailedError if it hangs; whatever the backend throws.
   */
  async sort(request: SortRequest, expected: number, onGivenUp: () => void): Promise<SortOutcome> {
    const { shape, signal, onProgress } = request;
    const timeOut = Math.max(this.#timeOut, TIME_OUT_FACTOR * expected);
    this.#longestTimeOut = Math.max(this.#longestTimeOut, timeOut);
    const linked = new LinkedSignal(signal);
    let isCommitting = false;
    // A backend that writes its result works on this thread only, and cannot hang.
    const signs = (): number => (isCommitting ? ++this.#signsOfLife : this.#signsOfLife);
    try {
      const linkedRequest: SortRequest = {
        ...request,
        signal: linked,
        onProgress:
          onProgress &&
          ((progress) => {
            this.#signsOfLife++;
            onProgress(progress);
          }),
        onCommit: () => {
          isCommitting = true;
        },
      };
      const serve = (): Promise<SortOutcome> => this.#backend.sort(linkedRequest);
      // The runtime's own sort does not look at turns: see make-serving.ts for short arrays.
      const sorting = isBuiltin(this.#backend) ? inTurn(shape.length, serve) : serve();
      const giveUp = (): Error => {
        const error = this.#timeOutError('sort', timeOut);
        linked.abort(error);
        onGivenUp();
        return error;
      };
      return await withTimeOut(sorting, timeOut, giveUp, signs);
    } finally {
      this.#signsOfLife++;
      linked.unlink();
    }
  }

  /** Waits for the end of a release or close. Sorts that still finish are signs of life. */
  ending(what: string, work: Promise<void>): Promise<void> {
    const timeOut = this.#longestTimeOut;
    const makeError = (): Error => this.#timeOutError(what, timeOut);
    return withTimeOut(work, timeOut, makeError, () => this.#signsOfLife);
  }

  #timeOutError(what: string, timeOut: number): Error {
    const seconds = (timeOut / 1000).toPrecision(2);
    return new BackendFailedError(
      this.#backend.name,
      `its ${what} showed no sign of life for ${seconds} s and was given up`,
    );
  }
}

/**
 * Ticks of a wait. A thread that was busy finds its timer due before it receives the answers that
 * came meanwhile: one late tick must not end a wait.
 */
const TICKS = 4;

/**
 * Resolves or rejects as `work` does, or rejects with `makeError()` after `limit` milliseconds in
 * which `signsOfLife()` did not change. `work` itself goes on, and its result is dropped. A time in
 * which this thread is blocked counts as a quarter of `limit` at most, however long it is.
 */
function withTimeOut<T>(
  work: Promise<T>,
  limit: number,
  makeError: () => Error,
  signsOfLife: () => number = () => 0,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let signs = signsOfLife();
    let silentTicks = 0;
    const stop = every(limit / TICKS, () => {
      const now = signsOfLife();
      silentTicks = now === signs ? silentTicks + 1 : 0;
      signs = now;
      if (silentTicks < TICKS) return;
      stop();
      reject(makeError());
    });
    work.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        reject(error);
      },
    );
  });
}

/**
 * An abort signal that aborts with the caller's signal, or when `abort` is called. A backend
 * that is given up sees it, and must not write to the caller's arrays any more.
 */
export class LinkedSignal implements CancelSignal {
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<() => void>();
  readonly #caller: CancelSignal | undefined;
  readonly #onCallerAbort = (): void => this.abort(this.#caller?.reason);

  constructor(caller: CancelSignal | undefined) {
    this.#caller = caller && sharedSignal(caller);
    this.#caller?.addEventListener('abort', this.#onCallerAbort, { once: true });
    if (this.#caller?.aborted) this.#onCallerAbort();
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Removes its listener from the caller's signal. */
  unlink(): void {
    this.#caller?.removeEventListener('abort', this.#onCallerAbort);
  }
}
