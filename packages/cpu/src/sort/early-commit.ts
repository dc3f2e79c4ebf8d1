/**
 * Sorted keys, and counted rows, enter the caller's array while later ones are still being sorted:
 * an ordinary array by the calling thread, arrays on shared memory by all threads. From the first
 * write on the request has to be finished, whatever becomes of the threads. The partition leaves
 * the keys that it divided as they are, and the calling thread can sort those alone; rows it can
 * order by the caller's keys.
 */

import {
  assertUnchanged,
  bitsOf,
  COPY_BYTES,
  commitSteps,
  copyChosen,
  copySteps,
  type KeyArray,
  type Result,
  rowsChosen,
  type SortRequest,
} from '@keysweep/core';
import { copyElements } from '#copy';
import { sortPlain } from '../fallback/plain.js';

/** Nobody is told of a request that is finished once more. */
const SILENT = { signal: undefined, onProgress: undefined, onCommit: undefined };

/** Keys, or rows, before number `end` are in place. */
export type OnPlaced = (end: number) => void;

/** What is in the arena and stays while threads write results to the caller's arrays. */
interface Kept {
  /** Whether it is the results; otherwise all keys in any order. */
  readonly isSorted: boolean;
  /** The address of each array's words. */
  readonly at: readonly number[];
}

/** Decides whether results are written now; `kept` is what finishing alone would start from. */
export type MayWrite = (kept: Kept) => 'write' | 'leave';

/** A commit that begins while threads are at work. */
export interface Commit {
  /** Whether something was written, or could not be: then the job has to go on to its end. */
  readonly isBegun: boolean;
  /** Takes the steps of the keys before number `end`; for an ordinary array. Never throws. */
  readonly onPlaced?: OnPlaced;
  /** Decides, once for all, whether all threads write; for shared memory. Never throws. */
  readonly mayWrite?: MayWrite;
  /**
   * The steps that are left once the job is done.
   * @throws what has kept results from being written.
   */
  rest(): Generator<undefined, void>;
  /**
   * Finishes without the threads, one of which was lost. Others may still write a piece of the same
   * results.
   * @throws as `rest`.
   */
  alone(): Generator<undefined, void>;
}

/** The commit of one request's result, in steps that are taken as their keys are in place. */
class EarlyCommit implements Commit {
  readonly #request: SortRequest;
  readonly #result: Result<Uint32Array>;
  readonly #words: Uint32Array;
  readonly #wordsPerKey: number;
  readonly #steps: Generator<undefined, void>;
  #isBegun = false;
  #stepsTaken = 0;
  #thrown: { readonly error: unknown } | undefined;

  /**
   * `words` are the words of all keys, in any order. `begin` is called before anything is written,
   * and an error that it throws ends the commit.
   */
  constructor(
    request: SortRequest,
    result: Result<Uint32Array>,
    words: Uint32Array,
    begin: () => void,
  ) {
    this.#request = request;
    this.#result = result;
    this.#words = words;
    this.#wordsPerKey = result.bits.length / result.length;
    this.#steps = (function* () {
      begin();
      yield* commitSteps([result], request.onCommit, copyElements);
    })();
  }

  get isBegun(): boolean {
    return this.#isBegun;
  }

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

  *rest(): Generator<undefined, void> {
    if (this.#thrown !== undefined) throw this.#thrown.error;
    yield* this.#steps;
  }

  /** @throws TypeError where rows are ordered, and their keys were detached or resized. */
  *alone(): Generator<undefined, void> {
    if (this.#thrown !== undefined) throw this.#thrown.error;
    if (this.#request.shape.operation === 'argsort') {
      const all = yield* copyChosen(this.#request);
      const { permutation } = yield* sortPlain({ ...all.request, ...SILENT });
      const rows = yield* rowsChosen(permutation as Uint32Array, all);
      yield* copySteps(bitsOf(this.#result.target), rows);
      return;
    }
    yield* sortAlone(this.#request, { ...this.#result, bits: this.#words });
  }
}

/** Results that lie at these addresses, and the caller's arrays for them. */
export type ResultsAt = (at: readonly number[]) => readonly Result<Uint32Array>[];

/** The commit of one request's results by all threads, to arrays on shared memory. */
class SharedCommit implements Commit {
  readonly #request: SortRequest;
  readonly #resultsAt: ResultsAt;
  readonly #begin: () => void;
  #kept: Kept | undefined;
  #thrown: { readonly error: unknown } | undefined;

  /** `begin` is called before anything is written, and what it throws ends the commit. */
  constructor(request: SortRequest, resultsAt: ResultsAt, begin: () => void) {
    this.#request = request;
    this.#resultsAt = resultsAt;
    this.#begin = begin;
  }

  get isBegun(): boolean {
    return this.#kept !== undefined;
  }

  readonly mayWrite: MayWrite = (kept) => {
    if (this.#kept === undefined) {
      this.#kept = kept;
      this.#start(kept);
    }
    return this.#thrown === undefined ? 'write' : 'leave';
  };

  #start({ at }: Kept): void {
    try {
      this.#begin();
      for (const { name, target, length } of this.#resultsAt(at)) {
        assertUnchanged(name, target, length);
      }
      this.#request.onCommit?.();
    } catch (error) {
      this.#thrown = { error };
    }
  }

  rest(): Generator<undefined, void> {
    if (this.#thrown !== undefined) throw this.#thrown.error;
    // The threads have written all.
    return commitSteps([]);
  }

  *alone(): Generator<undefined, void> {
    yield* this.rest();
    const { isSorted, at } = this.#kept as Kept;
    const results = this.#resultsAt(at);
    if (isSorted) yield* commitSteps(results, undefined, copyElements);
    else yield* sortAlone(this.#request, results[0] as Result<Uint32Array>);
  }
}

/** How commits are made. */
interface Commits {
  early(
    request: SortRequest,
    result: Result<Uint32Array>,
    words: Uint32Array,
    begin: () => void,
  ): Commit;
  shared(request: SortRequest, resultsAt: ResultsAt, begin: () => void): Commit;
}

export const commits: Commits = {
  early: (request, result, words, begin) => new EarlyCommit(request, result, words, begin),
  shared: (request, resultsAt, begin) => new SharedCommit(request, resultsAt, begin),
};

/** Sorts keys, of which a result has the bits in any order, in other memory, and writes them. */
function* sortAlone(
  request: SortRequest,
  { target, length, bits }: Result<Uint32Array>,
): Generator<undefined, void> {
  const Keys = target.constructor as new (length: number) => KeyArray;
  const keys = new Keys(length);
  yield* copySteps(bitsOf(keys), bits);
  yield* sortPlain({ ...request, columns: [keys], ...SILENT });
  yield* copySteps(bitsOf(target), bitsOf(keys));
}
