/** A whole request on a session: what the device can hold at a time, and results into the caller's arrays. */

import {
  bitsOf,
  copyOf,
  gather,
  identity,
  type KeyArray,
  mergeRuns,
  nextTask,
  type OrderedColumn,
  type Passes,
  type Result,
  type SortOutcome,
  type SortRequest,
  traitsOf,
} from '@keysweep/core';
import { OutOfMemory } from '../device/errors.js';
import type { Session } from '../device/session.js';
import { tileOf } from '../sorter/constants.js';
import { groupSegments, segmentNumbers } from '../sorter/segments.js';
import { execute } from './execute.js';
import type { GpuCourse } from './gpu-lifecycle.js';
import { fromWords, joined, shiftOf, Words, wordsPer } from './words.js';
import type { Column, Payload, Sorted } from './work.js';

/** Where fewer records at a time have no room, it is not for their number. */
const FEWEST_RECORDS = 2 ** 12;

/** An outcome without what only the backend knows. */
type Outcome = Pick<SortOutcome, 'permutation' | 'passes' | 'bound'>;

/**
 * Serves `request`. Where the device has no memory for it, with that which is kept for others, then with half as many
 * records at a time.
 * @throws BackendFailedError; OutOfMemory; what `course` throws.
 */
export async function serve(
  session: Session,
  request: SortRequest,
  course: GpuCourse,
): Promise<Outcome> {
  let othersKeepSome = !session.pool.isEmpty;
  for (;;) {
    try {
      return await serveOnce(session, request, course);
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error;
      const tried = Math.min(session.chunkLength, request.shape.length);
      if (!othersKeepSome) {
        if (tried <= FEWEST_RECORDS) throw error;
        session.chunkLength = Math.ceil(tried / 2);
      }
      session.pool.clear();
      othersKeepSome = false;
    }
  }
}

async function serveOnce(
  session: Session,
  request: SortRequest,
  course: GpuCourse,
): Promise<Outcome> {
  const { shape, segments, columns } = request;
  const { length: count, approximate } = shape;
  if (count < 2) {
    return finishByIndex(request, course, identity(count), { run: 0, skipped: 0 });
  }
  if (count > session.chunkLength) return serveChunks(session, request, course);

  const [keys] = columns;
  const groups =
    segments === undefined || columns.length > 1
      ? undefined
      : groupSegments(segments, count, tileOf(wordsPer(keys)));
  // Several columns, long segments: rows are sorted as indices.
  if (columns.length > 1 || (segments !== undefined && groups === undefined)) {
    const work = {
      columns: rows(orderedColumns(request), 0, count),
      payload: 'index',
      count,
    } as const;
    return execute(session, { ...work, approximate: false }, course, ({ payload, passes }) =>
      finishByIndex(request, course, joined(payload), passes),
    );
  }
  const work = {
    columns: rows([keyColumn(request, keys)], 0, count),
    payload: payloadOf(request),
    count,
    segments: groups && { starts: segments as Uint32Array, groups },
    approximate: approximate && segments === undefined,
  };
  return execute(session, work, course, (sorted) => finish(request, course, sorted));
}

/**
 * Sorts the indices of as many rows at a time as the device holds, and merges here, so that the length is
 * bounded by the host's memory alone. Takes 12 bytes a row, and the columns once more.
 */
async function serveChunks(
  session: Session,
  request: SortRequest,
  course: GpuCourse,
): Promise<Outcome> {
  const { length } = request.shape;
  const { chunkLength } = session;
  const columns = orderedColumns(request);
  const permutation = new Uint32Array(length);
  const starts: number[] = [];
  let [run, skipped] = [0, 0];
  for (let start = 0; start < length; start += chunkLength) {
    starts.push(start);
    const count = Math.min(length - start, chunkLength);
    const work = { columns: rows(columns, start, count), payload: 'index', count } as const;
    await execute(session, { ...work, approximate: false }, course, ({ payload, passes }) => {
      let at = start;
      for (const rows of payload) {
        for (let i = 0; i < rows.length; i++) permutation[at + i] = start + (rows[i] as number);
        at += rows.length;
      }
      run += passes.run;
      skipped += passes.skipped;
    });
  }
  const merged = await merge(columns, permutation, Uint32Array.from(starts), course);
  return finishByIndex(request, course, merged, { run, skipped });
}

/** Merges runs of rows that `permutation` has in order, run by run. */
async function merge(
  columns: readonly OrderedColumn[],
  permutation: Uint32Array,
  starts: Uint32Array,
  course: GpuCourse,
): Promise<Uint32Array> {
  const sorted = columns.map((column) => ({ ...column, keys: gathered(column.keys, permutation) }));
  const merging = mergeRuns(sorted, starts);
  for (;;) {
    const step = merging.next();
    if (step.done) return step.value.map((row) => permutation[row] as number);
    // Other work gets its turn, and an abort is heard.
    await nextTask();
    course.enter('readback');
  }
}

function gathered(keys: KeyArray, permutation: Uint32Array): KeyArray {
  const copy = copyOf(keys);
  bitsOf(copy).set(gather('keys', keys, permutation).bits);
  return copy;
}

const keyColumn = ({ shape }: SortRequest, keys: KeyArray): OrderedColumn => ({
  keys,
  order: shape.order,
  keyBits: shape.keyBits,
});

/** The request's columns, and as the most significant one the number of the segment. */
function orderedColumns(request: SortRequest): OrderedColumn[] {
  const columns = request.columns.map((keys) => keyColumn(request, keys));
  if (request.segments === undefined) return columns;
  const numbers = segmentNumbers(request.segments, request.shape.length);
  return [{ keys: numbers, order: 'ascending' }, ...columns];
}

/** Some rows of `columns` as the GPU takes them. */
function rows(
  columns: readonly OrderedColumn[],
  start: number,
  count: number,
): [Column, ...Column[]] {
  const taken = columns.map(({ keys, order, keyBits }) => {
    const { keyType } = traitsOf(keys);
    const words = new Words(keys.subarray(start, start + count), shiftOf(keyType));
    return { words, keyType, order, keyBits };
  });
  return taken as [Column, ...Column[]];
}

function payloadOf({ shape, values }: SortRequest): Payload | undefined {
  if (shape.operation === 'argsort') return 'index';
  return values && { words: new Words(values, 0), wordsPer: wordsPer(values) };
}

/** Brings sorted keys and payloads into the caller's arrays. */
function finish(
  request: SortRequest,
  course: GpuCourse,
  { keys, payload, passes, bound }: Sorted,
): Outcome {
  const { shape, columns, values } = request;
  if (shape.operation === 'argsort') return { permutation: joined(payload), passes, bound };
  const [target] = columns;
  const { length } = shape;
  const shift = shiftOf(traitsOf(target).keyType);
  const bits = keys.map((words) => fromWords(words, target, shift));
  const results: Result[] = [{ name: 'keys', target, length, bits }];
  if (values !== undefined) {
    const bits = payload.map((words) => fromWords(words, values, 0));
    results.push({ name: 'values', target: values, length, bits });
  }
  course.commit(results);
  return { permutation: undefined, passes, bound };
}

/** Brings keys and payloads into the order of a permutation; for argsort that is the result. */
function finishByIndex(
  request: SortRequest,
  course: GpuCourse,
  permutation: Uint32Array,
  passes: Passes,
): Outcome {
  const { shape, columns, values } = request;
  if (shape.operation === 'argsort') return { permutation, passes, bound: 0 };
  const results = [gather('keys', columns[0], permutation)];
  if (values !== undefined) results.push(gather('values', values, permutation));
  course.commit(results);
  return { permutation: undefined, passes, bound: 0 };
}
