/**
 * An argsort of chosen rows, or into an array of the caller's: a plain argsort of copies, whose
 * result leads back to the rows.
 */

import {
  assertGoesOn,
  assertUnchanged,
  bitsOf,
  checked,
  commit,
  emptyLike,
  type KeyArray,
  lengthOf,
  pauses,
  pickSteps,
  runAtOnce,
  runInSlices,
  type SortReport,
  type SortRequest,
  subarrayOf,
} from '@keysweep/core';
import type { Dispatcher } from '../run/dispatcher.js';
import {
  type ArgsortOptions,
  type Call,
  checkCall,
  checkSyncCall,
  checkU32,
  overlaps,
  type SyncArgsortOptions,
} from './check.js';
import { describe } from './describe.js';
import { type FrameRequest, isFrame, orderFrame } from './frame.js';
import { reportWithoutBackend } from './report.js';
import type { Rows } from './row-options.js';

/**
 * Checks what chooses the rows of an argsort, apart from the indices' values. `arrays` are all
 * memory that its columns are in.
 */
export function checkRows(
  { indices: givenIndices, out: given, precision, segments }: SyncArgsortOptions,
  arrays: readonly KeyArray[],
  rows: number,
  columns: number,
): Rows {
  const indices = checkU32('indices', givenIndices);
  const out = checkU32('out', given);
  if (indices !== undefined && segments !== undefined) {
    throw new TypeError('indices and segments cannot be given together: gather the keys first');
  }
  const length = indices === undefined ? rows : lengthOf(indices);
  const outLength = out === undefined ? 0 : lengthOf(out);
  if (out !== undefined) {
    if (outLength < length) {
      throw new RangeError(`out must have room for ${length} indices, it has ${outLength}`);
    }
    if (arrays.some((array) => overlaps(out, array))) {
      throw new TypeError('out must not overlap the keys: they are not written');
    }
    if (indices !== undefined && overlaps(out, indices) && !isSame(out, indices)) {
      throw new TypeError('out must be indices, or not overlap them in memory');
    }
  }
  if (precision !== undefined) {
    if (precision !== 16 && precision !== 24) {
      throw new TypeError(`precision must be 16 or 24, got ${describe(precision)}`);
    }
    if (columns > 1) {
      throw new TypeError(`precision is for one column of keys, got ${columns}`);
    }
  }
  return { indices, out, given, outLength };
}

const isSame = (a: KeyArray, b: KeyArray): boolean =>
  a.byteOffset === b.byteOffset && a.byteLength === b.byteLength;

/**
 * The request whose result leads to that of `rows`. O(n); allocates the keys of the rows. To be
 * made while the memory is locked.
 * @throws RangeError for an index of no row.
 */
export function requestOfRows(request: SortRequest, { indices }: Rows): SortRequest {
  if (indices === undefined) return request;
  const { shape } = request;
  assertRows(indices, shape.length);
  const columns = request.columns.map((column) => pick(column, indices));
  return {
    ...request,
    columns: columns as unknown as SortRequest['columns'],
    shape: { ...shape, length: indices.length },
  };
}

/** @throws RangeError for an index of no row. */
export function assertRows(indices: Uint32Array, length: number): void {
  const at = indices.findIndex((index) => index >= length);
  if (at < 0) return;
  throw new RangeError(`indices must be below the ${length} rows: element ${at} is ${indices[at]}`);
}

function pick(column: KeyArray, indices: Uint32Array): KeyArray {
  const picked = emptyLike(column, indices.length);
  runAtOnce(pickSteps(column, indices, bitsOf(picked)));
  return picked;
}

/**
 * The order of the rows, from the permutation of `requestOfRows`, written where it is wanted.
 * @throws TypeError where `indices` or `out` was detached or resized since the call.
 */
export function resultOfRows(
  { indices, out, given, outLength }: Rows,
  permutation: Uint32Array,
): Uint32Array {
  const length = lengthOf(permutation);
  if (indices !== undefined) {
    assertUnchanged('indices', indices, length);
    for (let i = 0; i < length; i++) permutation[i] = indices[permutation[i] as number] as number;
  }
  if (out === undefined) return permutation;
  commit([{ name: 'out', target: out, length: outLength, bits: permutation }]);
  return outLength === length ? (given as Uint32Array) : subarrayOf(out, 0, length);
}

/** The frame that a request is, where it is ordered as one. @throws as `requestOfRows`. */
function frameOf(
  { columns, shape, segments }: SortRequest,
  rows: Rows,
  precision: number | undefined,
): FrameRequest | undefined {
  const [keys] = columns;
  const count = orderLength(rows, shape.length);
  const isPlain = columns.length === 1 && segments === undefined && shape.keyBits === undefined;
  if (!isPlain || !isFrame(keys, count, precision)) return undefined;
  if (rows.indices !== undefined) assertRows(rows.indices, shape.length);
  return { keys, order: shape.order, rows };
}

/** The order of a frame, where it is wanted. @throws TypeError where `out` was detached. */
function finishFrame({ out, given, outLength }: Rows, order: Uint32Array): Uint32Array {
  if (out === undefined) return order;
  assertUnchanged('out', out, outLength);
  if (order.buffer !== out.buffer) out.set(order);
  const { length } = order;
  return outLength === length ? (given as Uint32Array) : subarrayOf(out, 0, length);
}

/** Orders a frame in slices of 5 ms. An abort after its first row was written comes too late. */
async function runFrame(
  { request, onReport }: Call,
  frame: FrameRequest,
  start: number,
): Promise<Uint32Array> {
  let isPlaced = false;
  const steps = orderFrame(frame, () => {
    isPlaced = true;
  });
  const check = (): void => {
    if (!isPlaced) assertGoesOn(request);
  };
  request.onProgress?.({ phase: 'sort', completed: 0, total: 1 });
  const order = finishFrame(frame.rows, await runInSlices(checked(steps, check), pauses()));
  const shape = { ...request.shape, length: order.length };
  onReport?.(reportWithoutBackend(shape, 'rows counted by 16 bits on the calling thread', start));
  return order;
}

/** From so many rows on, threads order by all bits faster than one thread by 16. */
const THREADS_FROM = 2 ** 18;

const orderLength = ({ indices }: Rows, length: number): number => indices?.length ?? length;

/** Serves an argsort of chosen rows at once; `serve` sorts. @throws as `argsortSync`. */
export function argsortRowsAtOnce(
  keys: unknown,
  options: SyncArgsortOptions,
  serve: (request: SortRequest) => Uint32Array | undefined,
): Uint32Array {
  const request = checkSyncCall({ operation: 'argsort', keys }, options);
  const rows = checkRows(options, request.columns, request.shape.length, request.columns.length);
  const frame = frameOf(request, rows, options.precision);
  if (frame !== undefined) return finishFrame(rows, runAtOnce(orderFrame(frame, () => {})));
  return resultOfRows(rows, serve(requestOfRows(request, rows)) as Uint32Array);
}

/**
 * Serves an argsort of chosen rows by `dispatcher` while its memory is locked; `start` is when the
 * call was made. The report comes once the result is written. @throws as `argsort`.
 */
export async function argsortRows(
  keys: unknown,
  options: ArgsortOptions,
  dispatcher: Dispatcher,
  start: number,
): Promise<Uint32Array> {
  const call = checkCall({ operation: 'argsort', keys }, options);
  const { columns, shape } = call.request;
  const rows = checkRows(options, columns, shape.length, columns.length);
  assertGoesOn(call.request);
  const frame = frameOf(call.request, rows, options.precision);
  const isFree = call.backend === 'auto' && orderLength(rows, shape.length) < THREADS_FROM;
  if (frame !== undefined && isFree) return runFrame(call, frame, start);
  const request = requestOfRows(call.request, rows);
  let report: SortReport | undefined;
  const onReport = (given: SortReport): void => {
    report = given;
  };
  const permutation = await dispatcher.run({ ...call, request, onReport }, start);
  const result = resultOfRows(rows, permutation as Uint32Array);
  call.onReport?.(report as SortReport);
  return result;
}
