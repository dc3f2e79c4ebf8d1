/** The lifecycle of one request on a GPU: its phases, their times, aborts, and the commit. */

import { assertGoesOn, untilAborted } from './abort.js';
import { Clock } from './clock.js';
import { commit, type Result } from './commit.js';
import type { Phase, SortRequest } from './contract.js';

export class RequestLifecycle {
  readonly #request: SortRequest;
  readonly #clock: Clock;
  #phase: Phase = 'queue';
  #isCommitted = false;

  /** Begins in the phase 'queue'. `now` returns milliseconds, as `performance.now` does. */
  constructor(request: SortRequest, now: () => number) {
    this.#request = request;
    this.#clock = new Clock(now);
  }

  /**
   * Ends the phase before, begins `phase`, and reports it to the caller.
   * @throws the signal's reason on abort; TypeError when an array was detached or resized; what the
   *   caller's callback throws.
   */
  enter(phase: Phase): void {
    const { onProgress, shape } = this.#request;
    this.#clock.lap(this.#phase);
    this.#phase = phase;
    assertGoesOn(this.#request);
    onProgress?.({ phase, completed: 0, total: shape.length });
    assertGoesOn(this.#request);
  }

  /** Checks after a pause that the request may go on. @throws as `enter`, without the callback. */
  goOn(): void {
    assertGoesOn(this.#request);
  }

  /** Copies results into the caller's arrays, all or none. An abort after it has no effect. */
  commit(results: readonly Result[]): void {
    commit(results);
    this.#isCommitted = true;
  }

  /**
   * Resolves or rejects as `serving` does. An abort rejects at once, while the GPU finishes the
   * work that it has; after the commit it has no effect.
   */
  answer<T>(serving: Promise<T>): Promise<T> {
    return untilAborted(serving, this.#request.signal).catch((error: unknown) => {
      if (this.#isCommitted) return serving;
      throw error;
    });
  }

  /** Milliseconds by phase, up to now. */
  stop(): { readonly [phase in Phase]?: number } {
    this.#clock.lap(this.#phase);
    return this.#clock.phases;
  }
}
