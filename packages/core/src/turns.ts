/** A line of requests that use one thing, one behind the other. */

import { untilAborted } from './abort.js';
import type { SortRequest } from './contract.js';

export class Turns {
  /** The last in the line. */
  #tail: Promise<unknown> = Promise.resolve();
  /** Requests in the line, the one being served included. */
  #waiting = 0;

  /**
   * Serves `request` by `work` when all before it are done. An abort while it waits rejects at once
   * with the signal's reason, and `work` is not begun.
   */
  async serve<T>({ signal, onProgress }: SortRequest, work: () => Promise<T>): Promise<T> {
    const before = this.#tail;
    let done: () => void = () => {};
    this.#tail = new Promise<void>((resolve) => {
      done = resolve;
    });
    try {
      if (this.#waiting++ > 0) onProgress?.({ phase: 'queue', completed: 0, total: 1 });
      await untilAborted(before, signal);
    } catch (reason) {
      this.#waiting--;
      // Those behind must still wait for those before.
      before.then(done);
      throw reason;
    }
    try {
      return await work();
    } finally {
      this.#waiting--;
      done();
    }
  }

  /** Does `work` when all requests before are done. */
  after(work: () => Promise<void>): Promise<void> {
    const turn = this.#tail.then(work);
    this.#tail = turn.catch(() => {});
    return turn;
  }
}
