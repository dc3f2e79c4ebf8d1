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
  type Result,
  readClock,
  runAtOnce,
  type SortOutcome,
  type SortRequest,
  type TypedArray,
  touchPages,
  traitsOf,
} from '@keysweep/core';
import { copyElements } from '#copy';
import type { Arena } from '../arena/arena.js';
import {
  type ArenaLayout,
  layOut,
  MAX_PIECES,
  planRecords,
  type RecordPlan,
  sliceOf,
  widening,
} from '../arena/layout.js';
import type { ArenaThreads, Stage } from './arena-threads.js';
import type { Commit, ResultsAt } from './early-commit.js';
import {
  type Choosing,
  type Job,
  type JobResult,
  NONE_SHARED,
  type SharedArrays,
} from './job-context.js';

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
  const steps = sortSteps(request, arena, threads);
  let next = steps.next();
  while (!next.done) {
    next = await next.value.then(
      (settled) => steps.next(settled),
      (error) => steps.throw(error),
    );
  }
  return next.value;
}

/** The same at once, if the calling thread is alone and does not pause. */
export function sortInArenaAtOnce(
  request: SortRequest,
  arena: Arena,
  threads: ArenaThreads,
): SortOutcome {
  // Nothing here is a promise: there is nothing to wait for.
  return runAtOnce(sortSteps(request, arena, threads));
}

/** Waits for what a thread, or a pause, has promised. */
function* wait<T>(given: T | Promise<T>): Generator<Promise<T>, T, unknown> {
  return given instanceof Promise ? ((yield given) as T) : given;
}

/** An array, and the address in an arena of as many words or pairs of words. */
interface Staged {
  readonly array: TypedArray;
  readonly at: number;
}

/** The steps of one request, from the caller's arrays to the results. */
function* sortSteps(
  request: SortRequest,
  arena: Arena,
  { threading, run, runSteps, choosing, writers }: ArenaThreads,
): Generator<Promise<unknown>, SortOutcome, unknown> {
  const { shape, columns, values, chosen } = request;
  const { length } = shape;
  const check = (): void => assertGoesOn(request);
  const clock = new Clock(readClock);
  const plans = shape.keyTypes.map((keyType) => planRecords(shape, keyType));
  const layout = layOut(plans, length, shape.segmentCount, threading, choosing?.bytes(request));
  const isFresh = arena.bytes < layout.end;
  arena.reserve(layout.end);
  const { buffer } = arena.memory;
  const passes = { run: 0, skipped: 0 };
  let threads = 1;
  let last: JobResult | undefined;
  let permutation: Uint32Array<ArrayBuffer> | undefined;
  let commit: Commit | undefined;

  /** Tells of progress over all columns, so that it never goes back. */
  const tell = (phase: Phase, completed: number): void =>
    request.onProgress?.({ phase, completed, total: length * columns.length });

  const beginReadback = (): void => {
    request.onProgress?.({ phase: 'readback', completed: 0, total: length });
    check();
  };

  const outcome = (): SortOutcome => {
    clock.lap('readback');
    // What is written there is an ordinary Uint32Array, whatever its buffer.
    const rows = permutation ?? (request.out as typeof permutation);
    return { permutation: rows, milliseconds: clock.phases, passes, threads, bound: 0 };
  };

  /** The results that lie at these addresses, one for each array that is written. */
  const resultsAt: ResultsAt = (at) =>
    targetsOf(request, permutation).map(({ name, target }, i) => {
      const words = traitsOf(target).bits === 64 ? 2 * length : length;
      const bits = new Uint32Array(buffer, at[i] as number, words);
      return { name, target, length, bits };
    });

  /** What all threads copy for a job of which these arrays are staged. */
  function sharedArrays(c: number, staged: readonly Staged[]): SharedArrays {
    const share = writers?.share;
    if (share === undefined) return NONE_SHARED;
    return {
      staged: share(staged.map(({ array }) => array)),
      results: share(c === 0 ? targetsOf(request).map(({ target }) => target) : []),
    };
  }

  /** How results are written while the job of the last column runs, if they can be. */
  function commitOf(
    { results }: SharedArrays,
    keysAt: number,
    report: (records: number) => void,
  ): Commit | undefined {
    const begin = (): void => {
      report(length);
      beginReadback();
    };
    if (results.length > 0) return writers?.commits?.shared(request, resultsAt, begin);
    const isOneArray = columns.length === 1 && values === undefined;
    if (!writers?.commits || !isOneArray || layout.threads === 1) return undefined;
    new Uint32Array(buffer, layout.placedAt, 2 * MAX_PIECES).fill(0);
    const at = shape.operation === 'argsort' ? keysAt : layout.recordsAt;
    const [whole] = resultsAt([at]) as [Result<Uint32Array>];
    return writers.commits.early(request, whole, begin);
  }

  /** Copies the arrays of a job into the arena, or leaves that to the threads. */
  function* stageColumn(
    c: number,
    job: Job,
    staged: readonly Staged[],
    arrays: SharedArrays,
    report: (slices: number) => void,
  ): Generator<undefined, void> {
    if (arrays.staged.length > 0) {
      // The threads do it with the survey.
      report(layout.slices);
    } else {
      const chosenIn = chosen && choosing?.stage(buffer, job, chosen);
      yield* stageSlices(buffer, layout, staged, chosenIn, report);
      clock.lap('upload');
      tell('upload', length * (columns.length - c));
      check();
    }
    // While threads are at work already.
    if (c === 0 && request.meanwhile !== undefined) yield* request.meanwhile();
    if (permutation !== undefined) yield* touchPages(permutation);
  }

  /**
   * Sorts by one column. Returns whether a thread was lost, and the results are written already.
   */
  function* sortColumn(c: number): Generator<Promise<unknown>, boolean, unknown> {
    const plan = plans[c] as RecordPlan;
    const keysAt = shape.operation === 'sort' ? layout.recordsAt : layout.spareAt;
    const valuesAt = values || chosen ? keysAt + plan.keyBytes * length : 0;
    const at = chosen ? layout.recordsAt : keysAt;
    const staged: Staged[] = [{ array: columns[c] as KeyArray, at }];
    if (values !== undefined) staged.push({ array: values, at: valuesAt });
    if (c === 0 && shape.operation === 'argsort' && request.out === undefined) {
      permutation = new Uint32Array(length);
    }
    const done = length * (columns.length - 1 - c);
    const report = (records: number): void => tell('sort', done + Math.min(records, length));
    const arrays = sharedArrays(c, staged);
    commit = commitOf(arrays, keysAt, report);
    const job: Job = {
      arena: layout,
      keyType: shape.keyTypes[c] as Job['keyType'],
      keyBits: shape.keyBits,
      precision: shape.precision,
      descending: shape.order === 'descending',
      plan,
      isFresh,
      length,
      keysAt,
      valuesAt,
      rows: chosen?.rows,
      permuted: last !== undefined,
      keysWanted: shape.operation === 'sortPairs',
      segmentCount: shape.segmentCount,
    };
    const stage: Stage = (reportStaged) => {
      check();
      return runSteps(checked(stageColumn(c, job, staged, arrays, reportStaged), check));
    };
    let result: JobResult;
    try {
      result = yield* wait(run(job, stage, report, commit, arrays));
    } catch (error) {
      if (!commit?.isBegun) throw error;
      const words = new Uint32Array(buffer, layout.spareAt, (plan.stride / 4) * length);
      yield* wait(runSteps(commit.alone(words)));
      return true;
    }
    if (!commit?.isBegun) report(length);
    clock.lap('sort');
    passes.run += result.passesRun;
    passes.skipped += result.passesSkipped;
    threads = Math.max(threads, result.threads);
    // Rows that were chosen are taken from where they were brought.
    if (result.inputOrder === 'sorted' && chosen === undefined) return false;
    last = result;
    if (c > 0) {
      // The next column is staged where these indices lie.
      const sorted = new Uint32Array(buffer, result.valuesAt, length);
      const order = new Uint32Array(buffer, layout.indicesAt, length);
      yield* wait(runSteps(checked(copySteps(order, sorted), check)));
      last = { ...result, valuesAt: layout.indicesAt };
    }
    return false;
  }

  yield* wait(runSteps(checked(stageBounds(buffer, layout, request), check)));
  for (let c = columns.length - 1; c >= 0; c--) {
    if (yield* sortColumn(c)) return outcome();
  }
  if (commit?.isBegun) {
    yield* wait(runSteps(commit.rest()));
  } else {
    beginReadback();
    yield* wait(runSteps(finish(buffer, request, last, permutation, resultsAt)));
  }
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

/**
 * Writes the permutation of an argsort, into `out` if the request has that, or the results to the
 * caller's arrays. `last` is undefined if all keys were in order.
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
