/**
 * An argsort of chosen rows, or into an array of the caller's: a plain argsort of copies, whose
 * result leads back to the rows.
 */

import {
  assertGoesOn,
  assertUnchanged,
  bitsOf,
  commit,
  emptyLike,
  type KeyArray,
  lengthOf,
  pickSteps,
  runAtOnce,
  type SortReport,
  type SortRequest,
  subarrayOf,
} from '@keysweep/core';
import type { Dispatcher } from '../run/dispatcher.js';
import type { Call, Rows } from './check.js';

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

function assertRows(indices: Uint32Array, length: number): void {
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

/**
 * Serves an argsort of chosen rows by `dispatcher` while its memory is locked; `start` is when the
 * call was made. The report comes once the result is written.
 */
export async function runRows(
  call: Call,
  rows: Rows,
  dispatcher: Dispatcher,
  start: number,
): Promise<Uint32Array> {
  assertGoesOn(call.request);
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
