/**
 * The clock of a request's phases, and a request on a GPU, from its first phase to its commit. A
 * request ends early when the caller's signal aborts, or when an array is detached or resized. Both
 * classes are in one module, because bundlers would give a module for the clock a file that every
 * page loads.
 */

import type { Phase, SortRequest } from '../contract.js';
import { commitSteps, type Result } from './commit.js';
import { assertGoesOn } from './interruption.js';
import { checked, pauses, runInSlices } from './slices.js';
import { untilAborted } from './until-aborted.js';

/** Milliseconds by phase. */
export class Clock {
  /** What was measured so far. */
  readonly phases: { [phase in Phase]?: number } = {};
  readonly #now: () => number;
  #last: number;

  /** `now` returns milliseconds, as `performance.now` does. */
  constructor(now: () => number) {
    this.#now = now;
    this.#last = now();
  }

  /** Adds the time since the last lap to `phase`. */
  lap(phase: Phase): void {
    const now = this.#now();
    this.#add(phase, now - this.#last);
    this.#last = now;
  }

  /** Adds times that were measured elsewhere. The time since the last lap is not counted again. */
  take(phases: { readonly [phase in Phase]?: number }): void {
    for (const [phase, milliseconds] of Object.entries(phases)) {
      this.#add(phase as Phase, milliseconds);
    }
    this.#last = this.#now();
  }

  #add(phase: Phase, milliseconds: number): void {
    this.phases[phase] = (this.phases[phase] ?? 0) + milliseconds;
  }
}

/** One request on a GPU, from its phase 'queue' to its commit. */
export class GpuRequest {
  readonly #request: SortRequest;
  readonly #clock: Clock;
  #phase: Phase = 'queue';
  #isCommitted = false;
  /** Undoes what was written before the commit. */
  #putBack: (() => void) | undefined;

  /** Begins in the phase 'queue'. `now` returns milliseconds, as `performance.now` does. */
  constructor(request: SortRequest, now: () => number) {
    this.#request = request;
    this.#clock = new Clock(now);
  }

  /**
   * Ends the phase before, begins `phase`, and reports to the caller that it has `completed` so
   * many keys.
   * @throws the signal's reason on abort; TypeError when an array was detached or resized; what the
   *   caller's callback throws.
   */
  enter(phase: Phase, completed = 0): void {
    const { onProgress, shape } = this.#request;
    this.#clock.lap(this.#phase);
    this.#phase = phase;
    assertGoesOn(this.#request);
    onProgress?.({ phase, completed, total: shape.length });
    assertGoesOn(this.#request);
  }

  /** Checks after a pause that the request may go on. @throws as `enter`, without the callback. */
  goOn(): void {
    assertGoesOn(this.#request);
  }

  /**
   * Does work in slices, after each of which it is checked that the request goes on; with pauses,
   * in which the thread does its other work.
   * @throws as `goOn`; what `steps` throw.
   */
  run<T>(steps: Generator<unknown, T>): Promise<T> {
    return runInSlices(
      checked(steps, () => this.goOn()),
      pauses(),
    );
  }

  /**
   * Copies results into the caller's arrays, in slices with pauses: see `commitSteps`. From the
   * first on, an abort has no effect.
   * @throws as `goOn`; as `commitSteps`.
   */
  async commit(results: readonly Result[]): Promise<void> {
    this.goOn();
    const begin = (): void => {
      this.#setCommitted();
      this.#request.onCommit?.();
    };
    await runInSlices(commitSteps(results, begin), pauses());
  }

  /**
   * Has `write` write all results without a pause. It throws only before its first write.
   * @throws as `goOn`; what `write` throws.
   */
  commitBy(write: () => void): void {
    this.goOn();
    write();
    this.#setCommitted();
  }

  #setCommitted(): void {
    this.#isCommitted = true;
    this.#putBack = undefined;
  }

  /**
   * To be called before the caller's arrays are written piece by piece, ahead of the commit.
   * `putBack` makes them what they were, and must not throw.
   */
  undoBy(putBack: () => void): void {
    this.#putBack = putBack;
  }

  /** Puts back what was written, unless it is committed. An abort does so by itself, at once. */
  undo(): void {
    this.#putBack?.();
    this.#putBack = undefined;
  }

  /**
   * Resolves or rejects as `serving` does. An abort rejects at once, while the GPU finishes the
   * work that it has; after the commit it has no effect.
   */
  async answer<T>(serving: Promise<T>): Promise<T> {
    const { signal } = this.#request;
    const undo = (): void => this.undo();
    // The first listener: nobody hears of the abort before.
    signal?.addEventListener('abort', undo, { once: true });
    try {
      return await untilAborted(serving, signal);
    } catch (error) {
      if (this.#isCommitted) return await serving;
      throw error;
    } finally {
      signal?.removeEventListener('abort', undo);
    }
  }

  /** Milliseconds by phase, up to now. */
  stop(): { readonly [phase in Phase]?: number } {
    this.#clock.lap(this.#phase);
    return this.#clock.phases;
  }
}
