/** A whole request: what the device can hold at a time, and results into the caller's arrays. */

import {
  bitsOf,
  emptyLike,
  type GpuRequest,
  gatherSteps,
  identitySteps,
  type KeyArray,
  type KeyType,
  keyTraits,
  mergeRuns,
  nextTask,
  type OnArrayBuffer,
  type OrderedColumn,
  type Passes,
  pickSteps,
  type RequestShape,
  type SortOutcome,
  type SortRequest,
  segmentNumberSteps,
  traitsOf,
} from '@keysweep/core';
import { tileOf } from '@keysweep/kernels/wgsl';
import { OutOfMemoryError } from '../device/errors.js';
import { maxRecords } from '../sorter/arguments/options.js';
import { groupSegments } from '../sorter/sorts/workgroup-sort.js';
import { maxInBinding } from '../sorter/tuning/tuning.js';
import { type Column, execute, type Work } from './execute.js';
import type { Session } from './session.js';
import { newMemory, overwritten } from './targets.js';
import { shiftOf, Words, wordsPer } from './upload.js';

/** If even this few records have no room, still fewer would not help. */
const MIN_RECORDS = 2 ** 12;

/** An outcome without what the backend adds. */
interface Outcome extends Pick<SortOutcome, 'permutation' | 'passes' | 'bound'> {
  /** What the GPU took for the sorts, by its own clock; undefined where it has none. */
  readonly gpuMilliseconds: number | undefined;
}

/**
 * Serves `request`. If the device has no memory for it, tries again: first without the memory
 * that is kept for later requests, then with half as many records at a time.
 * @throws BackendFailedError; OutOfMemoryError; what `lifecycle` throws.
 */
export async function serve(
  session: Session,
  request: SortRequest,
  lifecycle: GpuRequest,
): Promise<Outcome> {
  let poolHasMemory = !session.pool.isEmpty;
  for (;;) {
    try {
      return await serveOnce(session, request, lifecycle);
    } catch (error) {
      if (!(error instanceof OutOfMemoryError)) throw error;
      const tried = Math.min(maxAtATime(session, request), request.shape.length);
      if (!poolHasMemory) {
        if (tried <= MIN_RECORDS) throw error;
        session.chunkLength = Math.ceil(tried / 2);
      }
      session.pool.clear();
      poolHasMemory = false;
    }
  }
}

/**
 * The leading bits of the range that a precision asks for; undefined for all. One more of integers:
 * a range may be half of what its bits could hold. All of floats: the least and the largest key are
 * found on the device, so that nobody knows before how fine the bits between them are.
 */
function rangeBits({ precision, keyTypes }: RequestShape): number | undefined {
  const isFloat = keyTraits(keyTypes[0] as KeyType).kind === 'float';
  return precision === undefined || isFloat ? undefined : precision + 1;
}

async function serveOnce(
  session: Session,
  request: SortRequest,
  lifecycle: GpuRequest,
): Promise<Outcome> {
  const { shape, segments, columns } = request;
  const { length: count, approximate } = shape;
  if (count < 2) {
    return finishByIndex(request, lifecycle, {
      permutation: await lifecycle.run(identitySteps(count)),
      passes: { run: 0, skipped: 0 },
      gpuMilliseconds: undefined,
    });
  }
  if (count > maxAtATime(session, request)) return serveChunks(session, request, lifecycle);

  const [keys] = columns;
  const groups =
    segments === undefined || columns.length > 1
      ? undefined
      : groupSegments(segments, count, tileOf(wordsPer(keys)));
  // Several columns, or long segments: indices of rows are sorted.
  if (columns.length > 1 || (segments !== undefined && groups === undefined)) {
    const work = {
      columns: rows(await orderedColumns(request, lifecycle), 0, count),
      payload: 'index',
      count,
      approximate: false,
    } as const;
    const sorted = await sortIndices(session, request, work, lifecycle);
    return finishByIndex(request, lifecycle, sorted);
  }
  const work = {
    count,
    segments: groups && { starts: segments as Uint32Array, groups },
    approximate: approximate && segments === undefined,
    precision: rangeBits(shape),
  };
  if (shape.operation === 'argsort') {
    const columns = rows([keyColumn(request, keys)], 0, count);
    return sortIndices(session, request, { ...work, columns, payload: 'index' }, lifecycle);
  }
  return sortInPlace(session, request, work, lifecycle);
}

/** Sorts indices of rows, into `out` of an argsort that has it. */
async function sortIndices(
  session: Session,
  { shape, out: given, meanwhile }: SortRequest,
  work: Work,
  lifecycle: GpuRequest,
): Promise<Outcome & IndexSorted> {
  // What is written there is an ordinary Uint32Array, whatever its buffer.
  const out = shape.operation === 'argsort' ? (given as Uint32Array<ArrayBuffer>) : undefined;
  const permutation = out ?? new Uint32Array(work.count);
  const payload = out === undefined ? newMemory(permutation) : overwritten('out', out, 0);
  const check = async (): Promise<void> => {
    for (const _ of meanwhile?.() ?? []) await nextTask();
  };
  return { ...(await execute(session, work, lifecycle, { payload }, check)), permutation };
}

/** Sorts keys, and payloads with them, over the caller's arrays. */
async function sortInPlace(
  session: Session,
  request: SortRequest,
  work: Omit<Work, 'columns' | 'payload'>,
  lifecycle: GpuRequest,
): Promise<Outcome> {
  const { shape, columns, values } = request;
  const { keyType } = traitsOf(columns[0]);
  const { order, keyBits } = shape;
  const shift = shiftOf(keyType);
  const words = new Words(columns[0], shift);
  const payload = values && { words: new Words(values, 0), wordsPer: wordsPer(values) };
  const whole: Work = { ...work, columns: [{ words, keyType, order, keyBits }], payload };
  const sorted = await execute(session, whole, lifecycle, {
    keys: overwritten('keys', columns[0], shift),
    payload: values && overwritten('values', values, 0),
  });
  return { ...sorted, permutation: undefined };
}

/** Most records of `request` that are sorted at a time. */
function maxAtATime({ device, chunkLength }: Session, request: SortRequest): number {
  const { columns, values, segments } = request;
  // If rows are gathered, or many segments are sorted, one binding holds all keys.
  if (columns.length > 1 || segments !== undefined) {
    const widest = { keyWords: 2, valueWords: 2, approximate: false } as const;
    return Math.min(chunkLength, maxInBinding(device, widest));
  }
  const keyWords = wordsPer(columns[0]);
  // Indices have one word.
  const valueWords = values === undefined ? 1 : wordsPer(values);
  return Math.min(chunkLength, maxRecords(device, { keyWords, valueWords, approximate: false }));
}

/**
 * Sorts the indices of as many rows at a time as the device holds, and merges the runs on the
 * host. So only the host's memory limits the length. Takes 12 bytes a row, and the columns once
 * more.
 */
async function serveChunks(
  session: Session,
  request: SortRequest,
  lifecycle: GpuRequest,
): Promise<Outcome> {
  const { length } = request.shape;
  const chunkLength = maxAtATime(session, request);
  const columns = await orderedColumns(request, lifecycle);
  const permutation = new Uint32Array(length);
  const starts: number[] = [];
  let [run, skipped] = [0, 0];
  let gpuMilliseconds: number | undefined;
  for (let start = 0; start < length; start += chunkLength) {
    starts.push(start);
    const count = Math.min(length - start, chunkLength);
    const work = {
      columns: rows(columns, start, count),
      payload: 'index',
      count,
      approximate: false,
    } as const;
    const payload = {
      isNew: true,
      write: (rows: Uint32Array, at: number): void => {
        for (let i = 0; i < rows.length; i++) {
          permutation[start + at + i] = start + (rows[i] as number);
        }
      },
    };
    const { passes, ...sorted } = await execute(session, work, lifecycle, { payload });
    run += passes.run;
    skipped += passes.skipped;
    if (sorted.gpuMilliseconds !== undefined) {
      gpuMilliseconds = (gpuMilliseconds ?? 0) + sorted.gpuMilliseconds;
    }
  }
  const merged = await merge(columns, permutation, Uint32Array.from(starts), lifecycle);
  const passes = { run, skipped };
  return finishByIndex(request, lifecycle, { permutation: merged, passes, gpuMilliseconds });
}

/** Merges runs of rows that `permutation` has in order, run by run. */
async function merge(
  columns: readonly OrderedColumn[],
  permutation: Uint32Array,
  starts: Uint32Array,
  lifecycle: GpuRequest,
): Promise<Uint32Array<ArrayBuffer>> {
  const sorted: OrderedColumn[] = [];
  for (const column of columns) {
    const keys = await lifecycle.run(pickedSteps(column.keys, permutation));
    sorted.push({ ...column, keys });
  }
  const merging = mergeRuns(sorted, starts);
  for (;;) {
    const step = merging.next();
    if (step.done) return lifecycle.run(pickedSteps(permutation, step.value));
    // Other work gets its turn, and an abort is heard.
    await nextTask();
    lifecycle.enter('readback', step.value);
  }
}

/** Elements in the order of `rows`. */
function* pickedSteps<K extends KeyArray>(
  source: K,
  rows: Uint32Array,
): Generator<undefined, OnArrayBuffer<K>> {
  const picked = emptyLike(source, rows.length);
  yield* pickSteps(source, rows, bitsOf(picked));
  return picked;
}

const keyColumn = ({ shape }: SortRequest, keys: KeyArray): OrderedColumn => ({
  keys,
  order: shape.order,
  keyBits: shape.keyBits,
});

/** The request's columns; with segments, their numbers are the most significant column. */
async function orderedColumns(
  request: SortRequest,
  lifecycle: GpuRequest,
): Promise<OrderedColumn[]> {
  const columns = request.columns.map((keys) => keyColumn(request, keys));
  if (request.segments === undefined) return columns;
  const steps = segmentNumberSteps(request.segments, request.shape.length);
  const numbers = await lifecycle.run(steps);
  return [{ keys: numbers, order: 'ascending' }, ...columns];
}

/** The `count` rows of `columns` that begin at `start`, as the GPU takes them. */
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

/** A sort of row indices that is done. */
interface IndexSorted {
  readonly permutation: Uint32Array<ArrayBuffer>;
  readonly passes: Passes;
  readonly gpuMilliseconds: number | undefined;
}

/**
 * Brings keys and payloads into the order of a permutation; for argsort the permutation is the
 * result.
 */
async function finishByIndex(
  request: SortRequest,
  lifecycle: GpuRequest,
  { permutation, passes, gpuMilliseconds }: IndexSorted,
): Promise<Outcome> {
  const { shape, columns, values } = request;
  const outcome = { passes, bound: 0, gpuMilliseconds };
  if (shape.operation === 'argsort') return { permutation, ...outcome };
  const results = [await lifecycle.run(gatherSteps('keys', columns[0], permutation))];
  if (values !== undefined) {
    results.push(await lifecycle.run(gatherSteps('values', values, permutation)));
  }
  await lifecycle.commit(results);
  return { permutation: undefined, ...outcome };
}
