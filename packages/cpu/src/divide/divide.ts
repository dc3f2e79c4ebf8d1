/**
 * Requests that are too long for an arena. One pass moves all rows to the place of their part in
 * the result; each part is sorted there by a request of its own; then the whole is committed. So
 * only the host's memory bounds the length.
 *
 * Whole segments make a part as long as they fit. A longer one, and an undivided array, is divided
 * by the words of its most significant column. Rows that all have the same word there are sorted by
 * the other columns, if there are any.
 */

import {
  assertGoesOn,
  BackendFailedError,
  bitsOf,
  Clock,
  checked,
  commitSteps,
  copySteps,
  emptyLike,
  type KeyArray,
  type Phase,
  pauses,
  pickSteps,
  type Result,
  readClock,
  runInSlices,
  type SortOutcome,
  type SortRequest,
  slicesOf,
  type TypedArray,
  type ValueArray,
} from '@keysweep/core';
import { moveIndices, movePairs, moveWords, sameTargets } from '@keysweep/kernels/cpu';
import { partitionByRange, STEP } from './range-partition.js';

/** Milliseconds between two reports of progress while rows are moved. */
const PROGRESS_INTERVAL = 50;

/** Rows [start, end) of the result, to be sorted among themselves. */
interface Part {
  readonly start: number;
  readonly end: number;
  /** Where its segments start, if it has several. */
  readonly segments: Uint32Array | undefined;
  /** Whether all its rows are ties by the first column. */
  readonly isTied: boolean;
}

/**
 * The result while it is made: sorted keys and values, or for argsort the rows that the keys come
 * from.
 */
interface Whole {
  readonly keys: KeyArray | undefined;
  readonly values: ValueArray | undefined;
  readonly rows: Uint32Array<ArrayBuffer> | undefined;
}

/**
 * Serves `request` in parts of at most `most` rows and segments, each by `sortPart`. O(n) more than
 * the parts take: one read of the first column for each 16 bits that it takes to divide it, at most
 * four, and one pass over all rows. Allocates the result (of argsort, the permutation) once more;
 * an argsort copies the columns of one part at a time. Its own work comes in steps of less than a
 * millisecond, with pauses after 5 ms.
 * @throws whatever `sortPart` throws; BackendFailedError when there is no memory for the result;
 *   the signal's reason; TypeError when an array was detached or resized.
 */
export async function sortInParts(
  request: SortRequest,
  most: number,
  sortPart: (part: SortRequest) => Promise<SortOutcome>,
): Promise<SortOutcome> {
  const { onProgress } = request;
  const { length: total } = request.shape;
  const check = (): void => assertGoesOn(request);
  const run = <T>(steps: Generator<unknown, T>, checkEach = check): Promise<T> =>
    runInSlices(checked(steps, checkEach), pauses());
  let reported = 0;
  const report = (phase: Phase, completed: number): void => {
    reported = readClock();
    onProgress?.({ phase, completed, total });
    check();
  };

  const clock = new Clock(readClock);
  let [threads, passes] = [1, { run: 0, skipped: 0 }];
  report('upload', 0);
  const whole = allocate(request);
  let moved = 0;
  const advance = (rows: number): void => {
    moved += rows;
  };
  const parts = await run(moveToParts(request, whole, most, advance), () => {
    if (readClock() - reported > PROGRESS_INTERVAL) report('upload', moved);
    else check();
  });
  report('upload', total);
  for (const part of parts) {
    const { start, end } = part;
    const partRequest = await run(requestOf(request, whole, part));
    clock.lap('upload');
    if (partRequest !== undefined) {
      const reportPart: SortRequest['onProgress'] = ({ phase, completed, total: ofPart }) => {
        if (phase === 'sort')
          report('sort', start + Math.floor(((end - start) * completed) / ofPart));
      };
      const callbacks = { onProgress: onProgress && reportPart, onCommit: undefined };
      const outcome = await sortPart({ ...partRequest, ...callbacks });
      clock.take(outcome.milliseconds);
      threads = Math.max(threads, outcome.threads);
      if (outcome.passes.run >= passes.run) passes = outcome.passes;
      const { permutation } = outcome;
      if (permutation !== undefined) await run(reorder(whole, part, permutation));
    }
    report('sort', end);
  }
  report('readback', 0);
  await runInSlices(commitSteps(resultsOf(request, whole), request.onCommit), pauses());
  clock.lap('readback');
  return {
    permutation: whole.rows,
    milliseconds: clock.phases,
    // The most passes of any part, and the one that made the parts.
    passes: { ...passes, run: passes.run + 1 },
    threads,
    bound: 0,
  };
}

/** @throws BackendFailedError */
function allocate({ shape, columns: [keys], values }: SortRequest): Whole {
  try {
    return shape.operation === 'argsort'
      ? { keys: undefined, values: undefined, rows: new Uint32Array(shape.length) }
      : { keys: emptyLike(keys), values: values && emptyLike(values), rows: undefined };
  } catch (cause) {
    const what = `no memory for the result, as a sort of ${shape.length} keys in parts needs it`;
    throw new BackendFailedError('cpu', what, { cause });
  }
}

/** Moves all rows to their parts; returns these, in the order of the result. */
function* moveToParts(
  request: SortRequest,
  whole: Whole,
  most: number,
  advance: (rows: number) => void,
): Generator<undefined, Part[]> {
  const { columns, shape } = request;
  const { order, keyBits } = shape;
  const parts: Part[] = [];
  for (const rows of yield* rowRangesOf(request, most)) {
    const { start, end } = rows;
    if (end - start <= most) {
      yield* moveRows(request, whole, rows, sameTargets, advance);
      parts.push({ ...rows, isTied: false });
      continue;
    }
    const keys = columns[0].subarray(start, end);
    const partition = yield* partitionByRange(
      {
        keys,
        order,
        keyBits,
      },
      most,
    );
    const findTargets = (from: number, targets: Uint32Array): void =>
      partition.findTargets(from, targets);
    yield* moveRows(request, whole, rows, findTargets, advance);
    let at = start;
    for (const { rows, isTied } of partition.ranges) {
      parts.push({ start: at, end: at + rows, segments: undefined, isTied });
      at += rows;
    }
  }
  return parts;
}

/** Rows [start, end) that make a part, or are to be divided. */
type RowRange = Omit<Part, 'isTied'>;

/** Puts segments together as long as they, and their number, are no more than `most`. */
function* rowRangesOf(
  { shape, segments }: SortRequest,
  most: number,
): Generator<undefined, RowRange[]> {
  const { length } = shape;
  if (segments === undefined) return [{ start: 0, end: length, segments: undefined }];
  const ranges: RowRange[] = [];
  const startOf = (segment: number): number => segments[segment] ?? length;
  let first = 0;
  const close = (next: number): void => {
    const [start, end] = [startOf(first), startOf(next)];
    const starts = next - first > 1 ? segments.subarray(first, next) : undefined;
    if (end > start)
      ranges.push({
        start,
        end,
        segments: starts,
      });
    first = next;
  };
  for (const [from, to] of slicesOf(segments.length, STEP)) {
    for (let i = from; i < to; i++) {
      const rows = startOf(i + 1) - startOf(first);
      if (i > first && rows + (i + 1 - first) > most) close(i);
    }
    yield;
  }
  close(segments.length);
  return ranges;
}

/** Moves rows within their range: `findTargets` writes where those from row `from` on go. */
function* moveRows(
  { columns, values }: SortRequest,
  whole: Whole,
  { start, end }: RowRange,
  findTargets: (from: number, targets: Uint32Array) => void,
  advance: (rows: number) => void,
): Generator<undefined, void> {
  const room = new Uint32Array(STEP);
  for (const [from, to] of slicesOf(end - start, STEP)) {
    const targets = room.subarray(0, to - from);
    findTargets(from, targets);
    const move = (source: TypedArray, target: TypedArray): void => {
      const elements = bitsOf(source.subarray(start + from, start + to));
      const moved = bitsOf(target.subarray(start, end));
      if (source.BYTES_PER_ELEMENT === 8) movePairs(elements, targets, moved);
      else moveWords(elements, targets, moved);
    };
    if (whole.keys !== undefined) move(columns[0], whole.keys);
    if (whole.values !== undefined) move(values as ValueArray, whole.values);
    if (whole.rows !== undefined) {
      moveIndices(start + from, targets, whole.rows.subarray(start, end));
    }
    advance(to - from);
    yield;
  }
}

/**
 * The request that sorts a part, in place but for argsort; undefined where there is nothing to
 * sort.
 */
function* requestOf(
  request: SortRequest,
  whole: Whole,
  { start, end, segments, isTied }: Part,
): Generator<undefined, SortRequest | undefined> {
  const length = end - start;
  const [first, ...others] = isTied ? request.columns.slice(1) : request.columns;
  if (first === undefined || length < 2) return undefined;
  const columns: [KeyArray, ...KeyArray[]] = [first, ...others];
  if (whole.keys !== undefined) {
    columns[0] = whole.keys.subarray(start, end);
  } else {
    const rows = (whole.rows as Uint32Array).subarray(start, end);
    for (const [i, column] of columns.entries()) {
      columns[i] = emptyLike(column.subarray(0, length));
      yield* pickSteps(column, rows, bitsOf(columns[i]));
    }
  }
  const { shape } = request;
  return {
    ...request,
    shape: {
      ...shape,
      keyTypes: shape.keyTypes.slice(-columns.length),
      length,
      segmentCount: segments?.length ?? 1,
    },
    columns,
    out: undefined,
    values: whole.values?.subarray(start, end),
    segments: segments && (yield* offsetsFrom(start, segments)),
  };
}

/** The starts of segments, counted from `start`. */
function* offsetsFrom(start: number, segments: Uint32Array): Generator<undefined, Uint32Array> {
  const offsets = new Uint32Array(segments.length);
  for (const [from, to] of slicesOf(segments.length, STEP)) {
    for (let i = from; i < to; i++) offsets[i] = (segments[i] as number) - start;
    yield;
  }
  return offsets;
}

/** Brings the rows of a part into the order that its argsort found. */
function* reorder(
  { rows }: Whole,
  { start, end }: Part,
  permutation: Uint32Array,
): Generator<undefined, void> {
  const partRows = (rows as Uint32Array).subarray(start, end);
  const sorted = new Uint32Array(partRows.length);
  yield* pickSteps(partRows, permutation, sorted);
  yield* copySteps(partRows, sorted);
}

/** What is to be copied over the caller's arrays. */
function resultsOf({ shape, columns, values }: SortRequest, whole: Whole): Result[] {
  const { length } = shape;
  const results: Result[] = [];
  const result = (name: string, target: TypedArray, sorted: TypedArray): void => {
    results.push({ name, target, length, bits: bitsOf(sorted) });
  };
  if (whole.keys !== undefined) result('keys', columns[0], whole.keys);
  if (whole.values !== undefined) result('values', values as ValueArray, whole.values);
  return results;
}
