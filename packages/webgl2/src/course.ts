/** The course of one request: its phases, its time, whether it still stands, and its end. */

import { assertGoesOn, commit, type Phase, type Result, type SortRequest } from '@keysweep/core';

export class Course {
  readonly #request: SortRequest;
  readonly #milliseconds: { [phase in Phase]?: number } = {};
  #phase: Phase = 'queue';
  #since: number = performance.now();
  #isCommitted = false;

  /** Begins with the wait for a turn. */
  constructor(request: SortRequest) {
    this.#request = request;
  }

  /** Whether the result is in the caller's arrays: from then on an abort comes too late. */
  get isCommitted(): boolean {
    return this.#isCommitted;
  }

  /**
   * Ends the phase before and begins `phase`; tells the caller.
   * @throws the signal's reason on abort, TypeError when an array was taken away, what the caller's callback throws.
   */
  enter(phase: Phase): void {
    const { onProgress, shape } = this.#request;
    this.#turnTo(phase);
    assertGoesOn(this.#request);
    onProgress?.({ phase, completed: 0, total: shape.length });
    assertGoesOn(this.#request);
  }

  /** Looks, after a pause, whether the request still stands. @throws as `enter`, but for callbacks. */
  goOn(): void {
    assertGoesOn(this.#request);
  }

  /** Copies results into the caller's arrays, all or none. */
  commit(results: readonly Result[]): void {
    commit(results);
    this.#isCommitted = true;
  }

  /** Milliseconds by phase, up to now. */
  stop(): { readonly [phase in Phase]?: number } {
    this.#turnTo(this.#phase);
    return this.#milliseconds;
  }

  #turnTo(phase: Phase): void {
    const now = performance.now();
    this.#milliseconds[this.#phase] = (this.#milliseconds[this.#phase] ?? 0) + now - this.#since;
    this.#phase = phase;
    this.#since = now;
  }
}
