/** A backend rests after a failure, so that not every request tries it again. */

import { readClock } from '@keysweep/core';

/**
 * How long a backend rests after its first failure in a row, in milliseconds, and at most. Each
 * rest is twice as long as the one before.
 */
const FIRST_REST = 1000;
const LONGEST_REST = 60_000;

export class Rest {
  /** Failures since the last success. */
  #failures = 0;
  #until = 0;
  /** The message of the last failure. */
  failure: string | undefined;

  /** Milliseconds of rest that are left; 0 if the backend does not rest. */
  get restsFor(): number {
    return this.#failures === 0 ? 0 : Math.max(0, this.#until - readClock());
  }

  noteFailure(error: unknown): void {
    this.failure = error instanceof Error ? error.message : String(error);
    this.#until = readClock() + Math.min(LONGEST_REST, FIRST_REST * 2 ** this.#failures++);
  }

  noteSuccess(): void {
    this.#failures = 0;
  }
}
