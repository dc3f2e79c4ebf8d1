/**
 * Sorted keys, and counted rows, enter the caller's array while later ones are still being sorted.
 * From the first write on the request has to be finished, whatever becomes of the threads. The
 * partition leaves the keys that it divided as they are, and the calling thread can sort those
 * alone; rows it can order by the caller's keys.
 */

import {
  bitsOf,
  COPY_BYTES,
  commitSteps,
  copySteps,
  type KeyArray,
  type Result,
  type SortRequest,
} from '@keysweep/core';
import { copyElements } from '#copy';
import { sortPlain } from '../fallback/plain.js';

/** Keys, or rows, before number `end` are in place. */
export type OnPlaced = (end: number) => void;

/** Makes the commit of a request, for a calling thread that takes part: see EarlyCommit. */
export type CommitEarly = (
  request: SortRequest,
  result: Result<Uint32Array>,
  begin: () => void,
) => EarlyCommit;

/** The commit of one request's result, in steps that are taken as their keys are in place. */
export class EarlyCommit {
  readonly #request: SortRequest;
  readonly #result: Result<Uint32Array>;
  readonly #wordsPerKey: number;
  readonly #steps: Generator<undefined, void>;
  #isBegun = false;
  #stepsTaken = 0;
  #thrown: { readonly error: unknown } | undefined;

  /** `begin` is called before anything is written, and what it throws ends the commit. */
  constructor(request: SortRequest, result: Result<Uint32Array>, begin: () => void) {
    this.#request = request;
    this.#result = result;
    this.#wordsPerKey = result.bits.length / result.length;
    this.#steps = (function* () {
      begin();
      yield* commitSteps([result], request.onCommit, copyElements);
    })();
  }

  /** Whether something was written, or could not be: then the job has to go on to its end. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Takes the steps of the keys before number `end`. Never throws: a job is at work. */
  readonly onPlaced: OnPlaced = (end) => {
    const steps = Math.floor((end * this.#wordsPerKey * 4) / COPY_BYTES);
    while (this.#thrown === undefined && this.#stepsTaken < steps) {
      this.#isBegun = true;
      try {
        this.#steps.next();
        this.#stepsTaken++;
      } catch (error) {
        this.#thrown = { error };
      }
    }
  };

  /**
   * The steps that are left, once all keys are in place.
   * @throws what a step has thrown.
   */
  *rest(): Generator<undefined, void> {
    if (this.#thrown !== undefined) throw this.#thrown.error;
    yield* this.#steps;
  }

  /**
   * Finishes without the threads, one of which was lost. `words` are those of all keys, in any
   * order, where keys alone are sorted: in other memory, and written from the start.
   * @throws TypeError where rows are ordered, and their keys were detached or resized.
   */
  *alone(words: Uint32Array): Generator<undefined, void> {
    if (this.#thrown !== undefined) throw this.#thrown.error;
    const { target, length } = this.#result;
    const silent = { signal: undefined, onProgress: undefined, onCommit: undefined };
    const request = { ...this.#request, ...silent };
    if (request.shape.operation === 'argsort') {
      const { permutation } = yield* sortPlain(request);
      yield* copySteps(bitsOf(target), permutation as Uint32Array);
      return;
    }
    const Keys = target.constructor as new (length: number) => KeyArray;
    const keys = new Keys(length);
    yield* copySteps(bitsOf(keys), words);
    yield* sortPlain({ ...request, columns: [keys] });
    yield* copySteps(bitsOf(target), bitsOf(keys));
  }
}
