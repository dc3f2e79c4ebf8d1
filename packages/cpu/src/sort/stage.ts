/**
 * One request in an arena: stages the caller's arrays, sorts column by column, and commits the
 * result. Columns go least significant first, each stable, so that the last one decides.
 */

import {
  assertGoesOn,
  type BitsArray,
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
  slicesOf,
  type TypedArray,
  traitsOf,
  writeAlike,
} from '@keysweep/core';
import { copyElements } from '#copy';
import type { Arena } from '../arena/arena.js';
import {
  type ArenaLayout,
  AT_ONCE,
  layOut,
  MAX_PIECES,
  planRecords,
  type RecordPlan,
  sliceOf,
  type Threading,
  widening,
} from '../arena/layout.js';
import type { Commit, Commits, ResultsAt } from './early-commit.js';
import { type Job, type JobResult, NONE_SHARED, type SharedArrays } from './job-context.js';

/** Copies what a job sorts into the arena, slice by slice; reports how many slices are there. */
export type Stage = (report: (slices: number) => void) => void | Promise<void>;

/**
 * Stages one job and runs it: at once on the calling thread, or on several, which begin with the
 * slices that are there, and copy `arrays`. Reports now and then how many records are in place.
 * `commit` may begin while the job runs, which can then no longer be stopped. Where a thread is
 * lost then, others may still write what they have in their hands.
 */
export type RunJob = (
  job: Job,
  stage: Stage,
  report: (records: number) => void,
  commit: Commit | undefined,
  arrays: SharedArrays,
) => JobResult | Promise<JobResult>;

/** What the threads behind a job can do with the caller's arrays. */
export interface Writers {
  /** Of a calling thread that is one of them: it can write what is in place. */
  readonly commits: Commits | undefined;
  /** Arrays as all of them can copy them, or none: see `sharedOf`. */
  readonly share: ((arrays: readonly TypedArray[]) => readonly TypedArray[]) | undefined;
}

/** Threads that have nothing but the arena. */
const ARENA_ALONE: Writers = { commits: undefined, share: undefined };

/** An array, and the address in an arena of as many words or pairs of words. */
interface Staged {
  readonly array: TypedArray;
  readonly at: number;
}

/** Runs what the calling thread does itself: at once, or in slices with pauses between them. */
export type RunSteps = <T>(steps: Generator<unknown, T>) => T | Promise<T>;

/**
 * Serves `request` in `arena` with the threads behind `run`. The calling thread pauses while it
 * copies in and out, as `runSteps` has it.
 * @throws BackendFailedError when the arena cannot grow; TypeError when an array was detached or
 *   resized.
 */
export async function sortInArena(
  request: SortRequest,
  arena: Arena,
  threading: Threading,
  run: RunJob,
  runSteps: RunSteps,
  writers: Writers = ARENA_ALONE,
): Promise<SortOutcome> {
  const steps = sortSteps(request, arena, threading, run, runSteps, writers);
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
  // Nothing here is a promise: there is nothing to wait for.
  return runAtOnce(sortSteps(request, arena, AT_ONCE, run, runAtOnce, ARENA_ALONE));
}

/** Waits for what a thread, or a pause, has promised. */
function* wait<T>(given: T | Promise<T>): Generator<Promise<T>, T, unknown> {
  return given instanceof Promise ? ((yield given) as T) : given;
}

function* sortSteps(
  request: SortRequest,
  arena: Arena,
  threading: Threading,
  run: RunJob,
  runSteps: RunSteps,
  writers: Writers,
): Generator<Promise<unknown>, SortOutcome, unknown> {
  const { shape, columns, values } = request;
  const check = (): void => assertGoesOn(request);
  const clock = new Clock(readClock);
  const plans = shape.keyTypes.map((keyType) => planRecords(shape, keyType));
  const layout = layOut(plans, shape.length, shape.segmentCount, threading);
  const isFresh = arena.bytes < layout.end;
  arena.reserve(layout.end);
  const { buffer } = arena.memory;
  yield* wait(runSteps(checked(stageBounds(buffer, layout, request), check)));

  // Progress is over all columns, so that it never goes back.
  const total = shape.length * columns.length;
  let passesRun = 0;
  let passesSkipped = 0;
  let threadsSeen = 0;
  let last: JobResult | undefined;
  let permutation: Uint32Array<ArrayBuffer> | undefined;
  let commit: Commit | undefined;
  const beginReadback = (): void => {
    request.onProgress?.({ phase: 'readback', completed: 0, total: shape.length });
    check();
  };
  const outcome = (): SortOutcome => {
    clock.lap('readback');
    return {
      // What is written there is an ordinary Uint32Array, whatever its buffer.
      permutation: permutation ?? (request.out as typeof permutation),
      milliseconds: clock.phases,
      passes: { run: passesRun, skipped: passesSkipped },
      threads: Math.max(threadsSeen, 1),
      bound: 0,
    };
  };
  const resultsAt: ResultsAt = (at) =>
    targetsOf(request, permutation).map(({ name, target }, i) => {
      const words = traitsOf(target).bits === 64 ? 2 * shape.length : shape.length;
      const bits = new Uint32Array(buffer, at[i] as number, words);
      return { name, target, length: shape.length, bits };
    });
  for (let c = columns.length - 1; c >= 0; c--) {
    const plan = plans[c] as RecordPlan;
    const keysAt = shape.operation === 'sort' ? layout.recordsAt : layout.spareAt;
    const valuesAt = values === undefined ? 0 : keysAt + plan.keyBytes * shape.length;
    const done = shape.length * (columns.length - 1 - c);
    const staged: Staged[] = [{ array: columns[c] as KeyArray, at: keysAt }];
    if (values !== undefined) staged.push({ array: values, at: valuesAt });
    // Rows become alike while the calling thread copies.
    const share = request.alike ? undefined : writers.share;
    // What all threads copy for a job of which these arrays are staged.
    const arrays: SharedArrays = share
      ? {
          staged: share(staged.map(({ array }) => array)),
          results: share(c === 0 ? targetsOf(request).map(({ target }) => target) : []),
        }
      : NONE_SHARED;
    const stage: Stage = (reportStaged) => {
      check();
      const steps = function* (): Generator<undefined, void> {
        if (arrays.staged.length > 0) {
          // The threads do it with the survey.
          reportStaged(layout.slices);
        } else {
          yield* stageSlices(buffer, layout, staged, request.alike, reportStaged);
          clock.lap('upload');
          request.onProgress?.({ phase: 'upload', completed: done + shape.length, total });
          check();
        }
        // While threads are at work already.
        if (c === 0 && request.meanwhile !== undefined) yield* request.meanwhile();
        if (permutation !== undefined) yield* takePages(permutation);
      };
      return runSteps(checked(steps(), check));
    };
    const report = (records: number): void => {
      request.onProgress?.({
        phase: 'sort',
        completed: done + Math.min(records, shape.length),
        total,
      });
    };
    const job: Job = {
      arena: layout,
      keyType: shape.keyTypes[c] as Job['keyType'],
      keyBits: shape.keyBits,
      precision: shape.precision,
      descending: shape.order === 'descending',
      plan,
      isFresh,
      length: shape.length,
      keysAt,
      valuesAt,
      permuted: last !== undefined,
      keysWanted: shape.operation === 'sortPairs',
      segmentCount: shape.segmentCount,
    };
    if (c === 0 && shape.operation === 'argsort' && request.out === undefined) {
      permutation = new Uint32Array(shape.length);
    }
    const begin = (): void => {
      report(shape.length);
      beginReadback();
    };
    const isOneArray = columns.length === 1 && values === undefined;
    if (arrays.results.length > 0) {
      commit = writers.commits?.shared(request, resultsAt, begin);
    } else if (writers.commits && isOneArray && layout.threads > 1) {
      new Uint32Array(buffer, layout.placedAt, 2 * MAX_PIECES).fill(0);
      const at = shape.operation === 'argsort' ? keysAt : layout.recordsAt;
      const [whole] = resultsAt([at]) as [Result<Uint32Array>];
      commit = writers.commits.early(request, whole, begin);
    }
    let result: JobResult;
    try {
      result = yield* wait(run(job, stage, report, commit, arrays));
    } catch (error) {
      if (!commit?.isBegun) throw error;
      const words = new Uint32Array(buffer, layout.spareAt, (plan.stride / 4) * shape.length);
      yield* wait(runSteps(commit.alone(words)));
      return outcome();
    }
    if (!commit?.isBegun) report(shape.length);
    clock.lap('sort');
    passesRun += result.passesRun;
    passesSkipped += result.passesSkipped;
    threadsSeen = Math.max(threadsSeen, result.threads);
    if (result.inputOrder !== 'sorted') {
      last = result;
      if (c > 0) {
        // The next column is staged where these indices lie.
        const sorted = new Uint32Array(buffer, result.valuesAt, shape.length);
        const order = new Uint32Array(buffer, layout.indicesAt, shape.length);
        yield* wait(runSteps(checked(copySteps(order, sorted), check)));
        last = { ...result, valuesAt: layout.indicesAt };
      }
    }
  }
  if (commit?.isBegun) {
    yield* wait(runSteps(commit.rest()));
    return outcome();
  }
  beginReadback();
  yield* wait(runSteps(finish(buffer, request, last, permutation, resultsAt)));
  return outcome();
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

/** Elements in a page of memory, of 4 KiB at least. */
const PAGE = 1024;

/** Elements between two pauses while pages are touched: about a millisecond. */
const TAKEN = 2 ** 18;

/**
 * Has the system hand out the pages of fresh memory, while other threads sort: that takes longer
 * than a copy to them.
 */
export function* takePages(array: BitsArray): Generator<undefined, void> {
  for (const [from, to] of slicesOf(array.length, TAKEN)) {
    if (from > 0) yield;
    for (let i = from; i < to; i += PAGE) array[i] = 0;
  }
}

/**
 * Writes the permutation of an argsort, into `out` where the request has that, or the results to
 * the caller's arrays. `last` is undefined where all keys were in order.
 */
function* finish(
  buffer: ArrayBufferLike,
  request: SortRequest,
  last: JobResult | undefined,
  permutation: Uint32Array<ArrayBuffer> | undefined,
  resultsAt: ResultsAt,
): Generator<undefined, void> {
  const { shape, out, onCommit } = request;
  const { length } = shape;
  if (permutation !== undefined) {
    const steps: Generator<undefined, unknown> =
      last === undefined
        ? identitySteps(length, permutation)
        : copySteps(permutation, new Uint32Array(buffer, last.valuesAt, length), 0, copyElements);
    yield* checked(steps, () => assertGoesOn(request));
  } else if (last !== undefined) {
    const { keysAt, valuesAt } = last;
    const at = shape.operation === 'argsort' ? [valuesAt] : [keysAt, valuesAt];
    yield* commitSteps(resultsAt(at), onCommit, copyElements);
  } else if (out !== undefined) {
    const bits = yield* identitySteps(length);
    yield* commitSteps([{ name: 'out', target: out, length, bits }], onCommit, copyElements);
  }
}
