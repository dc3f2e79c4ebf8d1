/**
 * One request in an arena: stages the caller's arrays, sorts column by column, and commits the
 * result. Columns go least significant first, each stable, so that the last one decides.
 */

import {
  assertGoesOn,
  Clock,
  checked,
  commitSteps,
  copySteps,
  identitySteps,
  type KeyArray,
  type Result,
  readClock,
  runAtOnce,
  type SortOutcome,
  type SortRequest,
  type TypedArray,
  traitsOf,
  writeAlike,
} from '@keysweep/core';
import { copyElements } from '#copy';
import type { Arena } from '../arena/arena.js';
import { AT_ONCE, MAX_PIECES, sliceOf } from '../arena/cuts.js';
import {
  type ArenaLayout,
  layOut,
  planRecords,
  type RecordPlan,
  widening,
} from '../arena/layout.js';
import { touchPages } from '../arena/pages.js';
import type { ArenaThreads, Stage, Writers } from './arena-threads.js';
import type { Commit, ResultsAt } from './early-commit.js';
import { type Job, type JobResult, NONE_SHARED, type SharedArrays } from './job-context.js';

/** Threads that have nothing but the arena. */
const ARENA_ALONE: Writers = { commits: undefined, share: undefined };

/**
 * Serves `request` in `arena`.
 * @throws BackendFailedError when the arena cannot grow; TypeError when an array was detached or
 *   resized.
 */
export async function sortInArena(
  request: SortRequest,
  arena: Arena,
  threads: ArenaThreads,
): Promise<SortOutcome> {
  const steps = new ArenaSort(request, arena, threads).steps();
  let next = steps.next();
  while (!next.done) {
    next = await next.value.then(
      (settled) => steps.next(settled),
      (error) => steps.throw(error),
    );
  }
  return next.value;
}

/** The same at once, on the calling thread alone. */
export function sortInArenaAtOnce(
  request: SortRequest,
  arena: Arena,
  run: (job: Job, stage: Stage) => JobResult,
): SortOutcome {
  const threads = { threading: AT_ONCE, run, runSteps: runAtOnce, writers: ARENA_ALONE };
  // Nothing here is a promise: there is nothing to wait for.
  return runAtOnce(new ArenaSort(request, arena, threads).steps());
}

/** Waits for what a thread, or a pause, has promised. */
function* wait<T>(given: T | Promise<T>): Generator<Promise<T>, T, unknown> {
  return given instanceof Promise ? ((yield given) as T) : given;
}

/** Work of an arena that may have to wait for promises. */
type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** An array, and the address in an arena of as many words or pairs of words. */
interface Staged {
  readonly array: TypedArray;
  readonly at: number;
}

/** The sort of one request, from the caller's arrays to the results. */
class ArenaSort {
  readonly #request: SortRequest;
  readonly #threads: ArenaThreads;
  readonly #plans: readonly RecordPlan[];
  readonly #layout: ArenaLayout;
  readonly #buffer: ArrayBufferLike;
  /** Whether the arena has grown for this request. */
  readonly #isFresh: boolean;
  readonly #check = (): void => assertGoesOn(this.#request);
  readonly #clock = new Clock(readClock);
  readonly #passes = { run: 0, skipped: 0 };
  #threadsSeen = 1;
  /** The job of the last column that was moved; undefined while all were in order. */
  #last: JobResult | undefined;
  #permutation: Uint32Array<ArrayBuffer> | undefined;
  #commit: Commit | undefined;

  constructor(request: SortRequest, arena: Arena, threads: ArenaThreads) {
    const { shape } = request;
    this.#request = request;
    this.#threads = threads;
    this.#plans = shape.keyTypes.map((keyType) => planRecords(shape, keyType));
    this.#layout = layOut(this.#plans, shape.length, shape.segmentCount, threads.threading);
    this.#isFresh = arena.bytes < this.#layout.end;
    arena.reserve(this.#layout.end);
    this.#buffer = arena.memory.buffer;
  }

  /** Sorts column by column, the least significant one first, and writes the results. */
  *steps(): Steps<SortOutcome> {
    const request = this.#request;
    yield* this.#runChecked(stageBounds(this.#buffer, this.#layout, request));
    for (let c = request.columns.length - 1; c >= 0; c--) {
      const isWritten = yield* this.#sortColumn(c);
      if (isWritten) return this.#outcome();
    }
    if (this.#commit?.isBegun) {
      yield* this.#runSteps(this.#commit.rest());
    } else {
      this.#beginReadback();
      yield* this.#runSteps(this.#finish());
    }
    return this.#outcome();
  }

  /** Sorts by one column. Returns whether a thread was lost and the results are written already. */
  *#sortColumn(c: number): Steps<boolean> {
    const { shape, columns, values } = this.#request;
    const { length } = shape;
    const plan = this.#plans[c] as RecordPlan;
    const keysAt = shape.operation === 'sort' ? this.#layout.recordsAt : this.#layout.spareAt;
    const valuesAt = values === undefined ? 0 : keysAt + plan.keyBytes * length;
    const staged: Staged[] = [{ array: columns[c] as KeyArray, at: keysAt }];
    if (values !== undefined) staged.push({ array: values, at: valuesAt });
    if (c === 0 && shape.operation === 'argsort' && this.#request.out === undefined) {
      this.#permutation = new Uint32Array(length);
    }
    const arrays = this.#sharedArrays(c, staged);
    const job = this.#jobOf(c, keysAt, valuesAt);
    const commit = this.#commitOf(arrays, keysAt);
    this.#commit = commit;
    const done = this.#rowsDone(c);
    const stage: Stage = (report) => {
      this.#check();
      return this.#threads.runSteps(checked(this.#stage(c, staged, arrays, report), this.#check));
    };
    const report = (records: number): void => this.#reportSorted(done, records);
    let result: JobResult;
    try {
      result = yield* wait(this.#threads.run(job, stage, report, commit, arrays));
    } catch (error) {
      if (!commit?.isBegun) throw error;
      const words = (plan.stride / 4) * length;
      const kept = new Uint32Array(this.#buffer, this.#layout.spareAt, words);
      yield* this.#runSteps(commit.alone(kept));
      return true;
    }
    if (!commit?.isBegun) report(length);
    this.#clock.lap('sort');
    this.#passes.run += result.passesRun;
    this.#passes.skipped += result.passesSkipped;
    this.#threadsSeen = Math.max(this.#threadsSeen, result.threads);
    if (result.inputOrder === 'sorted') return false;
    this.#last = result;
    if (c > 0) {
      // The next column is staged where these indices lie.
      const { indicesAt } = this.#layout;
      const sorted = new Uint32Array(this.#buffer, result.valuesAt, length);
      yield* this.#runChecked(copySteps(new Uint32Array(this.#buffer, indicesAt, length), sorted));
      this.#last = { ...result, valuesAt: indicesAt };
    }
    return false;
  }

  /** The job of a column. */
  #jobOf(c: number, keysAt: number, valuesAt: number): Job {
    const { shape } = this.#request;
    return {
      arena: this.#layout,
      keyType: shape.keyTypes[c] as Job['keyType'],
      keyBits: shape.keyBits,
      precision: shape.precision,
      descending: shape.order === 'descending',
      plan: this.#plans[c] as RecordPlan,
      isFresh: this.#isFresh,
      length: shape.length,
      keysAt,
      valuesAt,
      permuted: this.#last !== undefined,
      keysWanted: shape.operation === 'sortPairs',
      segmentCount: shape.segmentCount,
    };
  }

  /** What all threads copy for a job of which these arrays are staged. */
  #sharedArrays(c: number, staged: readonly Staged[]): SharedArrays {
    // Rows become alike while the calling thread copies.
    const share = this.#request.alike ? undefined : this.#threads.writers.share;
    if (share === undefined) return NONE_SHARED;
    const results = c === 0 ? targetsOf(this.#request) : [];
    return {
      staged: share(staged.map(({ array }) => array)),
      results: share(results.map(({ target }) => target)),
    };
  }

  /** How results are written while the job of the last column runs, if they can be. */
  #commitOf(arrays: SharedArrays, keysAt: number): Commit | undefined {
    const { shape, columns, values } = this.#request;
    const { commits } = this.#threads.writers;
    const resultsAt: ResultsAt = (at) => this.#resultsAt(at);
    const begin = (): void => {
      this.#reportSorted(this.#rowsDone(0), shape.length);
      this.#beginReadback();
    };
    if (arrays.results.length > 0) return commits?.shared(this.#request, resultsAt, begin);
    const isOneArray = columns.length === 1 && values === undefined;
    if (commits === undefined || !isOneArray || this.#layout.threads === 1) return undefined;
    new Uint32Array(this.#buffer, this.#layout.placedAt, 2 * MAX_PIECES).fill(0);
    const at = shape.operation === 'argsort' ? keysAt : this.#layout.recordsAt;
    const [whole] = resultsAt([at]) as [Result<Uint32Array>];
    return commits.early(this.#request, whole, begin);
  }

  /** Copies what a job sorts into the arena, or leaves that to the threads. */
  *#stage(
    c: number,
    staged: readonly Staged[],
    arrays: SharedArrays,
    report: (slices: number) => void,
  ): Generator<undefined, void> {
    const { shape, columns, alike, meanwhile, onProgress } = this.#request;
    const layout = this.#layout;
    if (arrays.staged.length > 0) {
      // The threads do it with the survey.
      report(layout.slices);
    } else {
      yield* stageSlices(this.#buffer, layout, staged, alike, report);
      this.#clock.lap('upload');
      const total = shape.length * columns.length;
      onProgress?.({ phase: 'upload', completed: this.#rowsDone(c) + shape.length, total });
      this.#check();
    }
    // While threads are at work already.
    if (c === 0 && meanwhile !== undefined) yield* meanwhile();
    const permutation = this.#permutation;
    if (permutation !== undefined) yield* touchPages(permutation);
  }

  /**
   * Writes the permutation of an argsort, into `out` if the request has that, or the results to the
   * caller's arrays.
   */
  *#finish(): Generator<undefined, void> {
    const { shape, out, onCommit } = this.#request;
    const { length } = shape;
    const last = this.#last;
    const permutation = this.#permutation;
    if (permutation !== undefined) {
      const steps: Generator<undefined, unknown> =
        last === undefined
          ? identitySteps(length, permutation)
          : copySteps(
              permutation,
              new Uint32Array(this.#buffer, last.valuesAt, length),
              0,
              copyElements,
            );
      yield* checked(steps, this.#check);
    } else if (last !== undefined) {
      const { keysAt, valuesAt } = last;
      const at = shape.operation === 'argsort' ? [valuesAt] : [keysAt, valuesAt];
      yield* commitSteps(this.#resultsAt(at), onCommit, copyElements);
    } else if (out !== undefined) {
      const bits = yield* identitySteps(length);
      yield* commitSteps([{ name: 'out', target: out, length, bits }], onCommit, copyElements);
    }
  }

  /** The results that lie at these addresses, one for each array that is written. */
  #resultsAt(at: readonly number[]): readonly Result<Uint32Array>[] {
    const { length } = this.#request.shape;
    return targetsOf(this.#request, this.#permutation).map(({ name, target }, i) => {
      const words = traitsOf(target).bits === 64 ? 2 * length : length;
      const bits = new Uint32Array(this.#buffer, at[i] as number, words);
      return { name, target, length, bits };
    });
  }

  *#runSteps<T>(steps: Generator<unknown, T>): Steps<T> {
    return yield* wait(this.#threads.runSteps(steps));
  }

  #runChecked<T>(steps: Generator<undefined, T>): Steps<T> {
    return this.#runSteps(checked(steps, this.#check));
  }

  /** Rows of the columns that were sorted before: progress is over all columns. */
  #rowsDone(c: number): number {
    const { shape, columns } = this.#request;
    return shape.length * (columns.length - 1 - c);
  }

  #reportSorted(done: number, records: number): void {
    const { shape, columns, onProgress } = this.#request;
    const completed = done + Math.min(records, shape.length);
    onProgress?.({ phase: 'sort', completed, total: shape.length * columns.length });
  }

  #beginReadback(): void {
    const { length } = this.#request.shape;
    this.#request.onProgress?.({ phase: 'readback', completed: 0, total: length });
    this.#check();
  }

  #outcome(): SortOutcome {
    this.#clock.lap('readback');
    return {
      // What is written there is an ordinary Uint32Array, whatever its buffer.
      permutation: this.#permutation ?? (this.#request.out as Uint32Array<ArrayBuffer> | undefined),
      milliseconds: this.#clock.phases,
      passes: this.#passes,
      threads: this.#threadsSeen,
      bound: 0,
    };
  }
}

/** The arrays that results are written to; of a permutation without `out` one that is made. */
function targetsOf(
  { shape, columns, values, out: given }: SortRequest,
  made?: Uint32Array<ArrayBuffer>,
): Target[] {
  const out = given ?? made;
  if (shape.operation === 'argsort') return out === undefined ? [] : [{ name: 'out', target: out }];
  const keys = { name: 'keys', target: columns[0] };
  return values === undefined ? [keys] : [keys, { name: 'values', target: values }];
}

type Target = Pick<Result, 'name' | 'target'>;

function* stageBounds(
  buffer: ArrayBufferLike,
  layout: ArenaLayout,
  { shape, segments }: SortRequest,
): Generator<undefined, void> {
  const bounds = new Uint32Array(buffer, layout.boundsAt, shape.segmentCount + 1);
  if (segments !== undefined) yield* copySteps(bounds, segments);
  else bounds[0] = 0;
  bounds[shape.segmentCount] = shape.length;
}

/**
 * Copies arrays' bits slice by slice, elements narrower than 32 bits widened; rows of keys that are
 * alike get one key. Reports how many slices are there.
 */
function* stageSlices(
  buffer: ArrayBufferLike,
  layout: ArenaLayout,
  arrays: readonly Staged[],
  alike: SortRequest['alike'],
  report: (slices: number) => void,
): Generator<undefined, void> {
  let next = 0;
  const copies = arrays.map(({ array, at }) => {
    const bits = widening(array) as Uint32Array;
    const target = new Uint32Array(buffer, at, bits.length);
    return { bits, target, wordsPerElement: bits.length / array.length };
  });
  const length = (arrays[0] as Staged).array.length;
  for (let slice = 0; slice < layout.slices; slice++) {
    if (slice > 0) yield;
    const [first, n] = sliceOf(layout, slice, 0, length);
    for (const { bits, target, wordsPerElement } of copies) {
      const [from, to] = [first * wordsPerElement, (first + n) * wordsPerElement];
      yield* copySteps(target, bits.subarray(from, to), from, copyElements);
      if (alike) next = writeAlike(alike, target, bits, wordsPerElement, first + n, next);
    }
    report(slice + 1);
  }
}
