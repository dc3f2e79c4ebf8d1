/** Time-outs: a backend that shows no sign of life is given up. */

import { type CancelSignal, every } from '@keysweep/core';
import { sharedSignal } from '../call/shared-signal.js';

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
export function withTimeOut<T>(
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
