/**
 * Requests that use one thing, one at a time: short ones first, and long ones in time.
 *
 * A request may be overtaken by later ones of at most half its length, but in all by no more than eight times the keys that it
 * has itself. So short ones wait for the long one that is being served and for no other, unless there are very many of them; then
 * long ones have their turn as well.
 */

import { untilAborted } from './abort.js';
import type { SortRequest } from './contract.js';

/** How many times its own keys a request lets others have before it. */
const PATIENCE = 8;

/** One that waits. */
interface Waiting {
  /** Keys; 0 for what comes neither earlier nor later than its place. */
  readonly length: number;
  /** Keys that may still be served before it though they came later; 0 lets nobody past. */
  patience: number;
  readonly begin: () => void;
}

export class Turns {
  /** Those that wait, in the order in which they will be served. */
  readonly #line: Waiting[] = [];
  #busy = false;

  /**
   * Serves `request` by `work` when it is its turn. An abort while it waits rejects at once with the
   * signal's reason, and `work` is not begun.
   */
  async serve<T>(request: SortRequest, work: () => Promise<T>): Promise<T> {
    const { signal, onProgress, shape } = request;
    if (this.#busy) onProgress?.({ phase: 'queue', completed: 0, total: 1 });
    const turn = this.#turn(shape.length, PATIENCE * shape.length);
    try {
      await untilAborted(turn.come, signal);
    } catch (reason) {
      turn.leave();
      throw reason;
    }
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Does `work` when all requests before are done. */
  async after(work: () => Promise<void>): Promise<void> {
    await this.#turn(0, 0).come;
    try {
      await work();
    } finally {
      this.#next();
    }
  }

  #next(): void {
    const next = this.#line.shift();
    this.#busy = next !== undefined;
    next?.begin();
  }

  /** A place in the line: `come` resolves when it is its turn, `leave` gives it up, or the turn if that has come. */
  #turn(length: number, patience: number): { come: Promise<void>; leave: () => void } {
    if (!this.#busy) {
      this.#busy = true;
      return { come: Promise.resolve(), leave: () => this.#next() };
    }
    let begin: () => void = () => {};
    const come = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const waiting: Waiting = { length, patience, begin };
    this.#line.splice(this.#placeOf(waiting), 0, waiting);
    const leave = (): void => {
      const at = this.#line.indexOf(waiting);
      if (at >= 0) this.#line.splice(at, 1);
      else this.#next();
    };
    return { come, leave };
  }

  /** Goes past those at the end of the line that are much longer and let it. */
  #placeOf({ length }: Waiting): number {
    let at = this.#line.length;
    for (; length > 0 && at > 0; at--) {
      const before = this.#line[at - 1] as Waiting;
      if (before.length < 2 * length || before.patience < length) break;
      before.patience -= length;
    }
    return at;
  }
}
