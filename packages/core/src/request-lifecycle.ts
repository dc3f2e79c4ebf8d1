/** The course of one request on a GPU: its phases, its time, whether it still stands, and its end. */

import { assertGoesOn, untilAborted } from './abort.js';
import { Clock } from './clock.js';
import { commit, type Result } from './commit.js';
import type { Phase, SortRequest } from './contract.js';

export class Course {
  readonly #request: SortRequest;
  readonly #clock: Clock;
  #phase: Phase = 'queue';
  #isCommitted = false;

  /** Begins with the wait for a turn. `now` tells milliseconds, as `performance.now` does. */
  constructor(request: SortRequest, now: () => number) {
    this.#request = request;
    this.#clock = new Clock(now);
  }

  /**
   * Ends the phase before and begins `phase`; tells the caller.
   * @throws the signal's reason on abort, TypeError when an array was taken away, what the caller's callback throws.
   */
  enter(phase: Phase): void {
    const { onProgress, shape } = this.#request;
    this.#clock.lap(this.#phase);
    this.#phase = phase;
    assertGoesOn(this.#request);
    onProgress?.({ phase, completed: 0, total: shape.length });
    assertGoesOn(this.#request);
  }

  /** Looks, after a pause, whether the request still stands. @throws as `enter`, but for callbacks. */
  goOn(): void {
    assertGoesOn(this.#request);
  }

  /** Copies results into the caller's arrays, all or none: from then on an abort comes too late. */
  commit(results: readonly Result[]): void {
    commit(results);
    this.#isCommitted = true;
  }

  /** Resolves or rejects as `serving` does; an abort is answered at once, while the GPU finishes what it has. */
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
