/**
 * A queue of requests that use one resource, one at a time. Short requests may pass long ones,
 * within a bound.
 *
 * A later request passes a waiting one if it has at most half the keys, and as long as all that
 * pass that one have at most eight times its keys between them. So a short request waits only for
 * the long one that is being served. A long request is delayed, but not for ever: without the bound
 * it would never be served under a steady load of short ones.
 */

import type { SortRequest } from '../contract.js';
import { untilAborted } from './until-aborted.js';

/** Later requests with this many times the keys of a waiting one may pass it in all. */
const PASSING_KEYS = 8;

/** A request that waits. */
interface Waiting {
  /** Keys; 0 for work that keeps its place. */
  readonly length: number;
  /** Keys that may still pass it. */
  passable: number;
  readonly begin: () => void;
}

/** A queue for one resource: short requests pass long ones, within a bound. */
export class RequestQueue {
  /** Waiting requests, in the order in which they will be served. */
  readonly #waiting: Waiting[] = [];
  #busy = false;

  /** Whether a request is being served, or waits. */
  get isBusy(): boolean {
    return this.#busy;
  }

  /**
   * Runs `work` for `request` once the requests before it are done. Reports the phase 'queue' if it
   * has to wait. An abort meanwhile rejects at once with the signal's reason, and `work` never
   * begins.
   */
  async serve<T>(request: SortRequest, work: () => Promise<T>): Promise<T> {
    const { signal, onProgress, shape } = request;
    if (this.#busy) onProgress?.({ phase: 'queue', completed: 0, total: 1 });
    const place = this.#enter(shape.length);
    try {
      await untilAborted(place.ready, signal);
    } catch (reason) {
      place.leave();
      throw reason;
    }
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Runs `work` once all requests that came before are done. No later one passes it. */
  async after(work: () => Promise<void>): Promise<void> {
    await this.#enter(0).ready;
    try {
      await work();
    } finally {
      this.#next();
    }
  }

  #next(): void {
    const next = this.#waiting.shift();
    this.#busy = next !== undefined;
    next?.begin();
  }

  /**
   * Enters the queue: `ready` resolves when the resource is free, `leave` gives up waiting or
   * the resource.
   */
  #enter(length: number): { ready: Promise<void>; leave: () => void } {
    if (!this.#busy) {
      this.#busy = true;
      return { ready: Promise.resolve(), leave: () => this.#next() };
    }
    let begin: () => void = () => {};
    const ready = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const waiting: Waiting = { length, passable: PASSING_KEYS * length, begin };
    this.#waiting.splice(this.#placeOf(waiting), 0, waiting);
    const leave = (): void => {
      const at = this.#waiting.indexOf(waiting);
      if (at >= 0) this.#waiting.splice(at, 1);
      else this.#next();
    };
    return { ready, leave };
  }

  /**
   * The place in the queue: before those at its end that are at least twice as long and can be
   * passed.
   */
  #placeOf({ length }: Waiting): number {
    let at = this.#waiting.length;
    for (; length > 0 && at > 0; at--) {
      const before = this.#waiting[at - 1] as Waiting;
      if (before.length < 2 * length || before.passable < length) break;
      before.passable -= length;
    }
    return at;
  }
}
