/**
 * An argsort with `indices`, `out` or `precision`: of chosen rows, into the caller's array, or not
 * exact. Chosen keys are copied and get a plain argsort, whose result is then turned into row
 * numbers.
 */

import {
  assertGoesOn,
  assertUnchanged,
  bitsOf,
  commit,
  describe,
  emptyLike,
  type KeyArray,
  lengthOf,
  pauses,
  pickSteps,
  readClock,
  runAtOnce,
  runInSlices,
  type SortReport,
  type SortRequest,
  slicesOf,
  subarrayOf,
} from '@keysweep/core';
import {
  type ArgsortOptions,
  checkCall,
  checkSyncCall,
  checkU32,
  overlaps,
  type SyncArgsortOptions,
} from '../call/check.js';
import { watchProgress, wholeTimes } from '../call/report.js';
import type { IndexedResult } from '../call/row-options.js';
import type { Dispatcher } from '../run/dispatcher.js';

/**
 * Checks `indices` and `out` of an argsort, apart from the values of the indices. `arrays` are all
 * arrays of its columns, which `out` must not overlap.
 */
export function checkIndexed(
  { indices: givenIndices, out: given, precision, segments }: SyncArgsortOptions,
  arrays: readonly KeyArray[],
  rowCount: number,
  columnCount: number,
): IndexedResult {
  const indices = checkU32('indices', givenIndices);
  const out = checkU32('out', given);
  if (indices !== undefined && segments !== undefined) {
    throw new TypeError('indices and segments cannot be given together: gather the keys first');
  }
  const length = indices === undefined ? rowCount : lengthOf(indices);
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
    if (columnCount > 1) {
      throw new TypeError(`precision is for one column of keys, got ${columnCount}`);
    }
  }
  return { indices, out, given, outLength };
}

const isSame = (a: KeyArray, b: KeyArray): boolean =>
  a.byteOffset === b.byteOffset && a.byteLength === b.byteLength;

/** The request for all rows. */
const requestOfAll = (
  request: SortRequest,
  { out }: IndexedResult,
  precision: 16 | 24 | undefined,
): SortRequest => ({
  ...request,
  shape: { ...request.shape, precision },
  out: out?.subarray(0, request.shape.length),
});

/**
 * The request for the rows of `indices`: a plain one, of copies of their keys. Its result counts
 * the copies, so it holds places in `indices`. O(n). Make it while the memory is locked.
 * @throws RangeError for an index of no row.
 */
function requestOfChosen(
  request: SortRequest,
  indices: Uint32Array,
  precision: 16 | 24 | undefined,
): SortRequest {
  assertRowsExist(indices, request.shape.length);
  const columns = request.columns.map((column) => pick(column, indices));
  return {
    ...request,
    columns: columns as unknown as SortRequest['columns'],
    shape: { ...request.shape, length: indices.length, precision },
  };
}

/**
 * Whether `indices` may be all rows in some order. If ties may come in any order, such indices need
 * no copies: the keys are sorted where they are, which reads them one after the other.
 */
const mayBeAll = (indices: Uint32Array, precision: 16 | 24 | undefined, length: number): boolean =>
  precision !== undefined && lengthOf(indices) === length;

/** Indices between two pauses: some tenths of a millisecond. */
const CHECKED = 2 ** 17;

/**
 * Whether `length` indices are the numbers of all rows, each once, in whatever order. Every index
 * toggles the bit of its row. All bits are set in the end only if each row came an odd number of
 * times, and with as many indices as rows that can only be once. In steps; allocates a bit a row.
 */
function* areAllRows(indices: Uint32Array, length: number): Generator<undefined, boolean> {
  const bits = new Int32Array(Math.ceil(length / 32));
  for (const [from, to] of slicesOf(length, CHECKED)) {
    toggle(bits, indices, from, to);
    yield;
  }
  const whole = length >>> 5;
  for (let i = 0; i < whole; i++) if (bits[i] !== -1) return false;
  return whole === bits.length || bits[whole] === 2 ** (length & 31) - 1;
}

/** Eight at a time, because the next bits can be looked up while earlier ones are written. */
function toggle(bits: Int32Array, indices: Uint32Array, from: number, to: number): void {
  const lastRound = from + ((to - from) & ~7);
  let i = from;
  for (; i < lastRound; i += 8) {
    const a = indices[i] as number;
    const b = indices[i + 1] as number;
    const c = indices[i + 2] as number;
    const d = indices[i + 3] as number;
    const e = indices[i + 4] as number;
    const f = indices[i + 5] as number;
    const g = indices[i + 6] as number;
    const h = indices[i + 7] as number;
    toggleBit(bits, a);
    toggleBit(bits, b);
    toggleBit(bits, c);
    toggleBit(bits, d);
    toggleBit(bits, e);
    toggleBit(bits, f);
    toggleBit(bits, g);
    toggleBit(bits, h);
  }
  for (; i < to; i++) toggleBit(bits, indices[i] as number);
}

function toggleBit(bits: Int32Array, row: number): void {
  bits[row >>> 5] = (bits[row >>> 5] as number) ^ (1 << row);
}

/** @throws RangeError for an index of no row. */
export function assertRowsExist(indices: Uint32Array, length: number): void {
  let at = 0;
  while (at < indices.length && (indices[at] as number) < length) at++;
  if (at === indices.length) return;
  throw new RangeError(`indices must be below the ${length} rows: element ${at} is ${indices[at]}`);
}

function pick(column: KeyArray, indices: Uint32Array): KeyArray {
  const picked = emptyLike(column, indices.length);
  runAtOnce(pickSteps(column, indices, bitsOf(picked)));
  return picked;
}

/**
 * The order of the rows, from the permutation of their request, written where it is wanted.
 * @throws TypeError if `indices` or `out` was detached or resized since the call.
 */
export function writeIndexed(
  { out, given, outLength }: IndexedResult,
  picked: Uint32Array | undefined,
  permutation: Uint32Array,
): Uint32Array {
  const length = lengthOf(permutation);
  if (picked !== undefined) {
    assertUnchanged('indices', picked, length);
    for (let i = 0; i < length; i++) permutation[i] = picked[permutation[i] as number] as number;
  }
  if (out === undefined) return permutation;
  if (permutation.buffer !== out.buffer) {
    commit([{ name: 'out', target: out, length: outLength, bits: permutation }]);
  }
  return outLength === length ? (given as Uint32Array) : subarrayOf(out, 0, length);
}

/** Serves an argsort with such options at once; `serve` sorts. @throws as `argsortSync`. */
export function argsortIndexedAtOnce(
  keys: unknown,
  options: SyncArgsortOptions,
  serve: (request: SortRequest) => Uint32Array | undefined,
): Uint32Array {
  const request = checkSyncCall({ operation: 'argsort', keys }, options);
  const { length } = request.shape;
  const indexed = checkIndexed(options, request.columns, length, request.columns.length);
  const { indices } = indexed;
  const { precision } = options;
  const areAll =
    indices === undefined ||
    (mayBeAll(indices, precision, length) && runAtOnce(areAllRows(indices, length)));
  const chosen = areAll
    ? requestOfAll(request, indexed, precision)
    : requestOfChosen(request, indices, precision);
  return writeIndexed(indexed, areAll ? undefined : indices, serve(chosen) as Uint32Array);
}

/**
 * Serves an argsort with such options by `dispatcher` while its memory is locked. `start` is when
 * the call was made, `locked` when it had its memory. The report comes once the result is written.
 * @throws as `argsort`.
 */
export async function argsortIndexed(
  keys: unknown,
  options: ArgsortOptions,
  dispatcher: Dispatcher,
  { start, locked }: Record<'start' | 'locked', number>,
): Promise<Uint32Array> {
  const begun = readClock();
  const call = checkCall({ operation: 'argsort', keys }, options);
  const { columns, shape } = call.request;
  const indexed = checkIndexed(options, columns, shape.length, columns.length);
  assertGoesOn(call.request);
  const { request: watched } = watchProgress(call.request);
  let report: SortReport | undefined;
  const onReport = (given: SortReport): void => {
    report = given;
  };
  const run = (request: SortRequest): Promise<Uint32Array> =>
    dispatcher.run({ ...call, request, onReport }, readClock()) as Promise<Uint32Array>;
  const { precision } = options;
  const order = await orderOfAll(watched, indexed, precision, run);
  const picked = order === undefined ? indexed.indices : undefined;
  const permutation =
    order ?? (await run(requestOfChosen(watched, picked as Uint32Array, precision)));
  const result = writeIndexed(indexed, picked, permutation);
  if (call.onReport !== undefined) {
    const { total: _, ...own } = (report as SortReport).milliseconds;
    const phases = {
      ...own,
      queue: locked - start + (own.queue ?? 0),
      start: begun - locked + (own.start ?? 0),
    };
    const milliseconds = wholeTimes(phases, 'pack', readClock() - start);
    call.onReport({ ...(report as SortReport), milliseconds });
  }
  return result;
}

/** What ends a request whose indices are not all rows. No Error: no backend has failed. */
const NOT_ALL = Symbol('not all rows');

/**
 * The order of all rows, or undefined if `indices` are not all rows, which is found out while
 * threads already sort.
 */
async function orderOfAll(
  request: SortRequest,
  indexed: IndexedResult,
  precision: 16 | 24 | undefined,
  run: (request: SortRequest) => Promise<Uint32Array>,
): Promise<Uint32Array | undefined> {
  const { indices } = indexed;
  const { length } = request.shape;
  const all = requestOfAll(request, indexed, precision);
  if (indices === undefined) return run(all);
  if (!mayBeAll(indices, precision, length)) return undefined;
  let areAll: boolean | undefined;
  const meanwhile = function* (): Generator<undefined, void> {
    areAll ??= yield* areAllRows(indices, length);
    if (!areAll) throw NOT_ALL;
  };
  try {
    const order = await run({ ...all, meanwhile });
    await runInSlices(meanwhile(), pauses());
    return order;
  } catch (error) {
    if (error !== NOT_ALL) throw error;
    assertUnchanged('indices', indices, length);
    return undefined;
  }
}
