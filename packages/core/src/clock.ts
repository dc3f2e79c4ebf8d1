/** The time that a request takes, by phase. */

import type { Phase } from './contract.js';

/** Milliseconds by phase. */
export class Clock {
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
