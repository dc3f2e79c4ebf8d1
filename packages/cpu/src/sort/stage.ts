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
  runAtOnce,
  type SortOutcome,
  type SortRequest,
  slicesOf,
  type TypedArray,
  traitsOf,
} from '@keysweep/core';
import { copyElements } from '#copy';
import type { Arena } from './arena.js';
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
} from './arena-layout.js';
import type { CommitEarly, EarlyCommit } from './early-commit.js';
import type { Job, JobResult } from './job-context.js';

/** Copies what a job sorts into the arena, slice by slice; reports how many slices are there. */
export type Stage = (report: (slices: number) => void) => void | Promise<void>;

/**
 * Stages one job and runs it: at once on the calling thread, or on several, which begin with the
 * slices that are there. Reports now and then how many records are in place. `early` takes keys
 * while the job runs, which can then no longer be stopped.
 */
export type RunJob = (
  job: Job,
  stage: Stage,
  report: (records: number) => void,
  early: EarlyCommit | undefined,
) => JobResult | Promise<JobResult>;

/** An array, and the address in an arena of as many words or pairs of words. */
export interface Staged {
  readonly array: TypedArray;
  readonly at: number;
}

/** Copies a request's arrays by all threads: into the arena, and out of it. */
export interface CopyShared {
  /** @throws what `check` throws, and BackendFailedError. */
  in(arrays: readonly Staged[], check: () => void): Promise<void>;
  /** Never fails half way. */
  out(arrays: readonly Staged[]): Promise<void>;
}

/** Runs what the calling thread does itself: at once, or in slices with pauses between them. */
export type RunSteps = <T>(steps: Generator<unknown, T>) => T | Promise<T>;

/**
 * Serves `request` in `arena` with the threads behind `run`. The calling thread pauses while it
 * copies in and out, as `runSteps` has it, where there is no `copyShared` that does so.
 * @throws BackendFailedError when the arena cannot grow; TypeError when an array was detached or
 *   resized.
 */
export async function sortInArena(
  request: SortRequest,
  arena: Arena,
  threading: Threading,
  run: RunJob,
  runSteps: RunSteps,
  copyShared?: CopyShared,
  commitEarly?: CommitEarly,
): Promise<SortOutcome> {
  const steps = sortSteps(request, arena, threading, run, runSteps, copyShared, commitEarly);
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
  return runAtOnce(sortSteps(request, arena, AT_ONCE, run, runAtOnce));
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
  copyShared?: CopyShared,
  commitEarly?: CommitEarly,
): Generator<Promise<unknown>, SortOutcome, unknown> {
  const { shape, columns, values } = request;
  const check = (): void => assertGoesOn(request);
  const clock = new Clock(() => performance.now());
  const plans = shape.keyTypes.map((keyType) => planRecords(shape, keyType));
  const layout = layOut(plans, shape.length, shape.segmentCount, threading);
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
  let early: EarlyCommit | undefined;
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
  const staged = (keys: KeyArray, keysAt: number, valuesAt: number): Staged[] => {
    const arrays: Staged[] = [{ array: keys, at: keysAt }];
    if (values !== undefined) arrays.push({ array: values, at: valuesAt });
    return arrays;
  };
  for (let c = columns.length - 1; c >= 0; c--) {
    const plan = plans[c] as RecordPlan;
    const keysAt = shape.operation === 'sort' ? layout.recordsAt : layout.spareAt;
    const valuesAt = values === undefined ? 0 : keysAt + plan.keyBytes * shape.length;
    const done = shape.length * (columns.length - 1 - c);
    const arrays = staged(columns[c] as KeyArray, keysAt, valuesAt);
    if (copyShared !== undefined) yield* wait(copyShared.in(arrays, check));
    const stage: Stage = (reportStaged) => {
      check();
      const steps = function* (): Generator<undefined, void> {
        if (copyShared !== undefined) reportStaged(layout.slices);
        else yield* stageSlices(buffer, layout, arrays, reportStaged);
        clock.lap('upload');
        request.onProgress?.({ phase: 'upload', completed: done + shape.length, total });
        check();
        if (c > 0 || shape.operation !== 'argsort') return;
        // While threads are at work already.
        if (request.meanwhile !== undefined) yield* request.meanwhile();
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
    const isOneArray = columns.length === 1 && values === undefined;
    if (commitEarly !== undefined && isOneArray && layout.threads > 1) {
      const begin = (): void => {
        report(shape.length);
        beginReadback();
      };
      new Uint32Array(buffer, layout.placedAt, 2 * MAX_PIECES).fill(0);
      const [name, target, placedAt] =
        shape.operation === 'argsort'
          ? (['out', request.out ?? (permutation as Uint32Array), keysAt] as const)
          : (['keys', columns[0], layout.recordsAt] as const);
      const result = sortedBits(buffer, placedAt, name, target, shape.length);
      early = commitEarly(request, result, begin);
    }
    let result: JobResult;
    try {
      result = yield* wait(run(job, stage, report, early));
    } catch (error) {
      if (!early?.isBegun) throw error;
      const words = new Uint32Array(buffer, layout.spareAt, (plan.stride / 4) * shape.length);
      yield* wait(runSteps(early.alone(words)));
      return outcome();
    }
    if (!early?.isBegun) report(shape.length);
    clock.lap('sort');
    passesRun += result.passesRun;
    passesSkipped += result.passesSkipped;
    threadsSeen = Math.max(threadsSeen, result.threads);
    if (result.inputOrder === 'reversed') {
      const steps = reverse(buffer, layout.recordsAt, plan, shape.length);
      yield* wait(runSteps(checked(steps, check)));
      last = { ...result, keysAt: layout.recordsAt };
    } else if (result.inputOrder === 'mixed') {
      last = result;
      if (columns.length > 1) {
        // The next column is staged where these indices lie.
        const sorted = new Uint32Array(buffer, result.valuesAt, shape.length);
        const order = new Uint32Array(buffer, layout.indicesAt, shape.length);
        yield* wait(runSteps(checked(copySteps(order, sorted), check)));
        last = { ...result, valuesAt: layout.indicesAt };
      }
    }
  }
  if (early?.isBegun) {
    yield* wait(runSteps(early.rest()));
    return outcome();
  }
  beginReadback();
  if (copyShared !== undefined && last !== undefined) {
    const arrays = staged(columns[0], last.keysAt, last.valuesAt);
    request.onCommit?.();
    yield* wait(copyShared.out(arrays));
  } else {
    yield* wait(runSteps(finish(buffer, request, last, permutation)));
  }
  return outcome();
}

/** Elements between two pauses while keys are reversed: some tenths of a millisecond. */
const REVERSED = 2 ** 17;

/** Reverses staged keys: the whole sort of keys that were in reverse order. */
function* reverse(
  buffer: ArrayBufferLike,
  at: number,
  plan: RecordPlan,
  length: number,
): Generator<undefined, void> {
  const keys =
    plan.keyBytes === 8
      ? new BigUint64Array(buffer, at, length)
      : new Uint32Array(buffer, at, length);
  // Slices of both ends change places, each reversed; what is left in the middle is one slice.
  let from = 0;
  for (; length - 2 * from > 2 * REVERSED; from += REVERSED) {
    const front = keys.slice(from, from + REVERSED).reverse();
    const to = length - from;
    keys.copyWithin(from, to - REVERSED, to);
    keys.subarray(from, from + REVERSED).reverse();
    keys.set(front as never, to - REVERSED);
    yield;
  }
  keys.subarray(from, length - from).reverse();
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

/** An array of the caller's, and where its elements go. */
/**
 * Copies arrays' bits slice by slice, elements narrower than 32 bits widened; reports how many
 * slices are there.
 */
function* stageSlices(
  buffer: ArrayBufferLike,
  layout: ArenaLayout,
  arrays: readonly Staged[],
  report: (slices: number) => void,
): Generator<undefined, void> {
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
): Generator<undefined, void> {
  const { shape, columns, values, out } = request;
  const { length } = shape;
  if (shape.operation === 'argsort' && out !== undefined) {
    const bits =
      last === undefined
        ? yield* identitySteps(length)
        : new Uint32Array(buffer, last.valuesAt, length);
    const results = [{ name: 'out', target: out, length, bits }];
    yield* commitSteps(results, request.onCommit, copyElements);
    return;
  }
  if (permutation !== undefined) {
    const steps: Generator<undefined, unknown> =
      last === undefined
        ? identitySteps(length, permutation)
        : copySteps(permutation, new Uint32Array(buffer, last.valuesAt, length), 0, copyElements);
    yield* checked(steps, () => assertGoesOn(request));
    return;
  }
  const [keys] = columns;
  if (last === undefined) return;
  const results: Result[] = [sortedBits(buffer, last.keysAt, 'keys', keys, length)];
  if (values !== undefined) {
    results.push(sortedBits(buffer, last.valuesAt, 'values', values, length));
  }
  yield* commitSteps(results, request.onCommit, copyElements);
}

function sortedBits(
  buffer: ArrayBufferLike,
  at: number,
  name: string,
  target: TypedArray,
  length: number,
): Result<Uint32Array> {
  const words = traitsOf(target).bits === 64 ? 2 * length : length;
  return { name, target, length, bits: new Uint32Array(buffer, at, words) };
}
