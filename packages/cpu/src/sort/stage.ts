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
  type Phase,
  readClock,
  runAtOnce,
  type SortOutcome,
  type SortRequest,
  touchPages,
  traitsOf,
} from '@keysweep/core';
import { copyElements } from '#copy';
import type { Arena } from '../arena/arena.js';
import { sliceOf } from '../arena/cuts.js';
import { type ArenaLayout, layOut } from '../arena/layout.js';
import { planRecords, type RecordPlan, widening } from '../arena/record-plan.js';
import type { ArenaThreads, Stage, Staged, Target, Writing } from './arena-threads.js';
import type { Commit, ResultsAt } from './early-commit.js';
import type { Choosing, Job, JobResult } from './job-context.js';

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
  const steps = new ColumnSort(request, arena, threads).steps();
  let next = steps.next();
  while (!next.done) {
    next = await next.value.then(
      (settled) => steps.next(settled),
      (error) => steps.throw(error),
    );
  }
  return next.value;
}

/** Serves `request` at once, if the calling thread is alone and does not pause. */
export function sortInArenaAtOnce(
  request: SortRequest,
  arena: Arena,
  threads: ArenaThreads,
): SortOutcome {
  // Nothing here is a promise: there is nothing to wait for.
  return runAtOnce(new ColumnSort(request, arena, threads).steps());
}

/** Work that stops at what a thread, or a pause, has promised. */
type Waiting<T> = Generator<Promise<unknown>, T, unknown>;

/** Waits for what a thread, or a pause, has promised. */
function* wait<T>(given: T | Promise<T>): Waiting<T> {
  return given instanceof Promise ? ((yield given) as T) : given;
}

/** The sort of one request, column by column, from the caller's arrays to the results. */
class ColumnSort {
  readonly #clock = new Clock(readClock);
  readonly #request: SortRequest;
  readonly #threads: ArenaThreads;
  /** One for each column. */
  readonly #plans: readonly RecordPlan[];
  readonly #layout: ArenaLayout;
  /** Whether the arena has grown for this request. */
  readonly #isFresh: boolean;
  readonly #buffer: ArrayBufferLike;
  readonly #passes = { run: 0, skipped: 0 };
  /** The most threads that a job had. */
  #threadsUsed = 1;
  /** The result of the latest job that has moved records; undefined if none has. */
  #last: JobResult | undefined;
  /** The array that an argsort without `out` returns, from the job of the last column on. */
  #permutation: Uint32Array<ArrayBuffer> | undefined;
  /** How results are written while a job runs, if they can be. */
  #commit: Commit | undefined;

  constructor(request: SortRequest, arena: Arena, threads: ArenaThreads) {
    const { shape } = request;
    const { threading, choosing } = threads;
    const choiceBytes = choosing?.bytes(request);
    this.#request = request;
    this.#threads = threads;
    this.#plans = shape.keyTypes.map((keyType) => planRecords(shape, keyType));
    this.#layout = layOut(this.#plans, shape.length, shape.segmentCount, threading, choiceBytes);
    this.#isFresh = arena.reserve(this.#layout.end);
    this.#buffer = arena.memory.buffer;
  }

  /** The steps of the request. */
  *steps(): Waiting<SortOutcome> {
    yield* this.#runChecked(stageBounds(this.#buffer, this.#layout, this.#request));
    for (let c = this.#plans.length - 1; c >= 0; c--) {
      if (yield* this.#sortColumn(c)) return this.#outcome();
    }
    if (this.#commit?.isBegun) {
      yield* this.#run(this.#commit.rest());
    } else {
      this.#beginReadback();
      yield* this.#run(this.#finish());
    }
    return this.#outcome();
  }

  /** Does work of the calling thread itself. */
  #run<T>(steps: Generator<undefined, T>): Waiting<T> {
    return wait(this.#threads.runSteps(steps));
  }

  /** Does work of the calling thread as long as the request goes on. */
  #runChecked(steps: Generator<undefined, unknown>): Waiting<unknown> {
    return this.#run(checked(steps, this.#check));
  }

  readonly #check = (): void => assertGoesOn(this.#request);

  /** Tells of progress over all columns, so that it never goes back. */
  #tell(phase: Phase, completed: number): void {
    const { length } = this.#request.shape;
    this.#request.onProgress?.({ phase, completed, total: length * this.#plans.length });
  }

  #beginReadback(): void {
    const { shape, onProgress } = this.#request;
    onProgress?.({ phase: 'readback', completed: 0, total: shape.length });
    this.#check();
  }

  #outcome(): SortOutcome {
    this.#clock.lap('readback');
    return {
      // It is an ordinary Uint32Array, whatever its buffer.
      permutation: this.#permutation ?? (this.#request.out as Uint32Array<ArrayBuffer> | undefined),
      milliseconds: this.#clock.phases,
      passes: this.#passes,
      threads: this.#threadsUsed,
      bound: 0,
    };
  }

  /** The arrays that results are written to. */
  #targets(): Target[] {
    const { shape, columns, values, out = this.#permutation } = this.#request;
    if (shape.operation === 'argsort') {
      return out === undefined ? [] : [{ name: 'out', target: out }];
    }
    const keys = { name: 'keys', target: columns[0] };
    return values === undefined ? [keys] : [keys, { name: 'values', target: values }];
  }

  /** The results that lie at these addresses, one for each array that is written. */
  readonly #resultsAt: ResultsAt = (at) => {
    const { length } = this.#request.shape;
    return this.#targets().map(({ name, target }, i) => {
      const words = traitsOf(target).bits === 64 ? 2 * length : length;
      const bits = new Uint32Array(this.#buffer, at[i] as number, words);
      return { name, target, length, bits };
    });
  };

  /** Copies the arrays of a job into the arena, or leaves that to the threads. */
  *#stageColumn(
    c: number,
    job: Job,
    staged: readonly Staged[],
    writing: Writing | undefined,
    report: (slices: number) => void,
  ): Generator<undefined, void> {
    const { chosen, meanwhile } = this.#request;
    if (writing?.arrays.staged.length) {
      // The threads do it with the survey.
      report(this.#layout.slices);
    } else {
      const chosenIn = chosen && this.#threads.choosing?.stage(this.#buffer, job, chosen);
      yield* stageSlices(this.#buffer, this.#layout, staged, chosenIn, report);
      this.#clock.lap('upload');
      this.#tell('upload', job.length * (this.#plans.length - c));
      this.#check();
    }
    // While threads are at work already.
    if (c === 0 && meanwhile !== undefined) yield* meanwhile();
    if (this.#permutation !== undefined) yield* touchPages(this.#permutation);
  }

  /**
   * Sorts by one column. Returns whether a thread was lost, and the results are written already.
   */
  *#sortColumn(c: number): Waiting<boolean> {
    const { shape, columns, values, chosen, out } = this.#request;
    const [layout, plan] = [this.#layout, this.#plans[c] as RecordPlan];
    const { length } = shape;
    const keysAt = shape.operation === 'sort' ? layout.recordsAt : layout.spareAt;
    const valuesAt = values || chosen ? keysAt + plan.keyBytes * length : 0;
    const at = chosen ? layout.recordsAt : keysAt;
    const staged: Staged[] = [{ array: columns[c] as KeyArray, at }];
    if (values !== undefined) staged.push({ array: values, at: valuesAt });
    if (c === 0 && shape.operation === 'argsort' && out === undefined) {
      this.#permutation = new Uint32Array(length);
    }
    const job: Job = {
      arena: layout,
      keyType: shape.keyTypes[c] as Job['keyType'],
      keyBits: shape.keyBits,
      precision: shape.precision,
      descending: shape.order === 'descending',
      plan,
      isFresh: this.#isFresh,
      length,
      keysAt,
      valuesAt,
      rows: chosen?.rows,
      permuted: this.#last !== undefined,
      keysWanted: shape.operation === 'sortPairs',
      segmentCount: shape.segmentCount,
    };
    const done = length * (this.#plans.length - 1 - c);
    const report = (records: number): void => this.#tell('sort', done + Math.min(records, length));
    const writing = this.#threads.writing?.({
      request: this.#request,
      buffer: this.#buffer,
      job,
      staged,
      targets: c === 0 ? this.#targets() : [],
      resultsAt: this.#resultsAt,
      begin: () => {
        report(length);
        this.#beginReadback();
      },
    });
    const commit = writing?.commit;
    this.#commit = commit;
    const stage: Stage = (reportStaged) => {
      this.#check();
      const steps = this.#stageColumn(c, job, staged, writing, reportStaged);
      return this.#threads.runSteps(checked(steps, this.#check));
    };
    let result: JobResult;
    try {
      result = yield* wait(this.#threads.run(job, stage, report, writing));
    } catch (error) {
      if (!commit?.isBegun) throw error;
      yield* this.#run(commit.alone());
      return true;
    }
    if (!commit?.isBegun) report(length);
    this.#clock.lap('sort');
    this.#passes.run += result.passesRun;
    this.#passes.skipped += result.passesSkipped;
    this.#threadsUsed = Math.max(this.#threadsUsed, result.threads);
    // Rows that were chosen are taken from where they were brought.
    if (result.inputOrder === 'sorted' && chosen === undefined) return false;
    this.#last = result;
    if (c > 0) {
      // The next column is staged where these indices lie.
      const sorted = new Uint32Array(this.#buffer, result.valuesAt, length);
      const order = new Uint32Array(this.#buffer, layout.indicesAt, length);
      yield* this.#runChecked(copySteps(order, sorted));
      this.#last = { ...result, valuesAt: layout.indicesAt };
    }
    return false;
  }

  /**
   * Writes the permutation of an argsort, into `out` if the request has that, or the results to the
   * caller's arrays.
   */
  *#finish(): Generator<undefined, void> {
    const { shape, out, onCommit } = this.#request;
    const { length } = shape;
    const [last, permutation] = [this.#last, this.#permutation];
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
}

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
 * Copies arrays' bits slice by slice, elements narrower than 32 bits widened. Reports how many
 * slices are there.
 */
function* stageSlices(
  buffer: ArrayBufferLike,
  layout: ArenaLayout,
  arrays: readonly Staged[],
  chosenIn: ReturnType<Choosing['stage']> | undefined,
  report: (slices: number) => void,
): Generator<undefined, void> {
  const copies = arrays.map(({ array, at }) => {
    const bits = widening(array) as Uint32Array;
    const target = new Uint32Array(buffer, at, bits.length);
    return { bits, target, wordsPerElement: bits.length / array.length };
  });
  const { length } = (arrays[0] as Staged).array;
  for (let slice = 0; slice < layout.slices; slice++) {
    if (slice > 0) yield;
    const [first, n] = chosenIn?.(slice) ?? sliceOf(layout, slice, 0, length);
    for (const { bits, target, wordsPerElement } of copies) {
      const [from, to] = [first * wordsPerElement, (first + n) * wordsPerElement];
      yield* copySteps(target, bits.subarray(from, to), from, copyElements);
    }
    report(slice + 1);
  }
}
