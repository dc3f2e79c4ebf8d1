/** What hangs is given up. */

import type { CancelSignal } from '@keysweep/core';

/** A wait is cut into so many, for a thread that was busy, or stopped, finds its timers due before it hears the answers. */
const PARTS = 4;

/**
 * Resolves or rejects as `work` does, or rejects with `tooLate()` once `limit` milliseconds have passed in which
 * `signsOfLife()` did not change. What becomes of `work` later is dropped. Time in which this thread could not run its
 * timers counts a quarter of `limit` at most.
 */
export function patiently<T>(
  work: Promise<T>,
  limit: number,
  tooLate: () => Error,
  signsOfLife: () => number = () => 0,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let signs = signsOfLife();
    let parts = 0;
    const wait = (): ReturnType<typeof setTimeout> =>
      setTimeout(() => {
        const now = signsOfLife();
        parts = now === signs ? parts + 1 : 0;
        signs = now;
        if (parts === PARTS) reject(tooLate());
        else timer = wait();
      }, limit / PARTS);
    let timer = wait();
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** A signal that aborts with the caller's, and when the dispatcher says so: a backend that is given up shall not write any more. */
export class Leash implements CancelSignal {
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<() => void>();
  readonly #caller: CancelSignal | undefined;
  readonly #pass = (): void => this.abort(this.#caller?.reason);

  constructor(caller: CancelSignal | undefined) {
    this.#caller = caller;
    caller?.addEventListener('abort', this.#pass, { once: true });
    if (caller?.aborted) this.#pass();
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

  /** Lets go of the caller's signal. */
  drop(): void {
    this.#caller?.removeEventListener('abort', this.#pass);
  }
}
