/** Gives up a backend that shows no sign of life. */

import {
  type Backend,
  BackendFailedError,
  inTurn,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import { isBuiltin } from '../builtin/builtin.js';
import { LinkedSignal, withTimeOut } from './time-out.js';

/**
 * A backend is given up after this many times the expected duration of a sort, if that is more than
 * the time-out.
 */
const TIME_OUT_FACTOR = 20;

/** Watches one backend's work. Progress, and requests that end, are its signs of life. */
export class Watchdog {
  readonly #backend: Backend;
  /** The least number of milliseconds without a sign of life after which it is given up. */
  readonly #timeOut: number;
  /** The longest time-out of a sort so far. */
  #longestTimeOut: number;
  #signsOfLife = 0;

  constructor(backend: Backend, timeOut: number) {
    this.#backend = backend;
    this.#timeOut = timeOut;
    this.#longestTimeOut = timeOut;
  }

  /** Waits for a probe. @throws BackendFailedError if it does not end in time. */
  probe<T>(probing: Promise<T>): Promise<T> {
    return withTimeOut(probing, this.#timeOut, () => this.#timeOutError('probe', this.#timeOut));
  }

  /**
   * Has the backend sort a request that should take `expected` milliseconds. If it hangs,
   * `onGivenUp` is called, and a result that comes later is dropped.
   * @throws BackendFailedError if it hangs; whatever the backend throws.
   */
  async sort(request: SortRequest, expected: number, onGivenUp: () => void): Promise<SortOutcome> {
    const { shape, signal, onProgress } = request;
    const timeOut = Math.max(this.#timeOut, TIME_OUT_FACTOR * expected);
    this.#longestTimeOut = Math.max(this.#longestTimeOut, timeOut);
    const linked = new LinkedSignal(signal);
    let isCommitting = false;
    // A backend that writes its result works on this thread only, and cannot hang.
    const signs = (): number => (isCommitting ? ++this.#signsOfLife : this.#signsOfLife);
    try {
      const linkedRequest: SortRequest = {
        ...request,
        signal: linked,
        onProgress:
          onProgress &&
          ((progress) => {
            this.#signsOfLife++;
            onProgress(progress);
          }),
        onCommit: () => {
          isCommitting = true;
        },
      };
      const serve = (): Promise<SortOutcome> => this.#backend.sort(linkedRequest);
      // The runtime's own sort does not look at turns: see make-serving.ts for short arrays.
      const sorting = isBuiltin(this.#backend) ? inTurn(shape.length, serve) : serve();
      const giveUp = (): Error => {
        const error = this.#timeOutError('sort', timeOut);
        linked.abort(error);
        onGivenUp();
        return error;
      };
      return await withTimeOut(sorting, timeOut, giveUp, signs);
    } finally {
      this.#signsOfLife++;
      linked.unlink();
    }
  }

  /** Waits for the end of a release or close. Sorts that still finish are signs of life. */
  ending(what: string, work: Promise<void>): Promise<void> {
    const timeOut = this.#longestTimeOut;
    const makeError = (): Error => this.#timeOutError(what, timeOut);
    return withTimeOut(work, timeOut, makeError, () => this.#signsOfLife);
  }

  #timeOutError(what: string, timeOut: number): Error {
    const seconds = (timeOut / 1000).toPrecision(2);
    return new BackendFailedError(
      this.#backend.name,
      `its ${what} showed no sign of life for ${seconds} s and was given up`,
    );
  }
}
