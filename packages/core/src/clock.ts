/** Where a request's time goes. */

import type { Phase } from './contract.js';

/** Milliseconds by phase. */
export class Clock {
  readonly phases: { [phase in Phase]?: number } = {};
  readonly #now: () => number;
  #last: number;

  /** `now` tells milliseconds, as `performance.now` does. */
  constructor(now: () => number) {
    this.#now = now;
    this.#last = now();
  }

  /** The time since the last lap belongs to `phase`. */
  lap(phase: Phase): void {
    const now = this.#now();
    this.#add(phase, now - this.#last);
    this.#last = now;
  }

  /** The time since the last lap was measured by somebody else. */
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
