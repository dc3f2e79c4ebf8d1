/** Pauses and cancels a run, between its sorts. */

import { nextTask } from '@keysweep/core';

export class RunControl {
  readonly #controller = new AbortController();
  #resumed: Promise<void> | undefined;
  #onResume: () => void = () => {};
  /** Milliseconds spent paused. */
  paused = 0;

  /** Aborted when the run is cancelled, even while it sorts. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  pause(): void {
    this.#resumed ??= new Promise((resolve) => {
      this.#onResume = resolve;
    });
  }

  resume(): void {
    this.#resumed = undefined;
    this.#onResume();
  }

  cancel(): void {
    this.#controller.abort(new DOMException('the run was cancelled', 'AbortError'));
    this.resume();
  }

  /** Resolves when the run may continue. @throws the signal's reason when it is cancelled */
  async checkpoint(): Promise<void> {
    // Pausing and cancelling arrive as messages, which are handled in a task of their own.
    await nextTask();
    const start = performance.now();
    while (this.#resumed !== undefined) await this.#resumed;
    this.paused += performance.now() - start;
    this.signal.throwIfAborted();
  }
}
