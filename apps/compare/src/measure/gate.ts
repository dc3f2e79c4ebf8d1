/** Pausing and cancelling a run: asked between sorts. */

import { nextTask } from '@keysweep/core';

export class Gate {
  readonly #controller = new AbortController();
  #opening: Promise<void> | undefined;
  #open: () => void = () => {};
  /** Milliseconds spent waiting here. */
  paused = 0;

  /** Ends the run, even while it sorts. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  pause(): void {
    this.#opening ??= new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  resume(): void {
    this.#opening = undefined;
    this.#open();
  }

  cancel(): void {
    this.#controller.abort(new DOMException('the run was cancelled', 'AbortError'));
    this.resume();
  }

  /** Resolves when the run may go on. @throws the signal's reason */
  async pass(): Promise<void> {
    // Pausing and cancelling are messages: they need a turn to be heard.
    await nextTask();
    const start = performance.now();
    while (this.#opening !== undefined) await this.#opening;
    this.paused += performance.now() - start;
    this.signal.throwIfAborted();
  }
}
