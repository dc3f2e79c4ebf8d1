/**
 * An argsort of chosen rows, or by the leading bits of the keys' range: a plain argsort of copies,
 * whose result leads back to the rows.
 */

import {
  assertUnchanged,
  bitsOf,
  commit,
  emptyLike,
  type KeyArray,
  type KeyType,
  keyTypeOf,
  orderWords,
  pickSteps,
  roomForWords,
  runAtOnce,
  type SortRequest,
} from '@keysweep/core';
import type { Rows } from './check.js';

/**
 * The request whose result leads to that of `rows`. O(n); allocates the keys of the rows, and their
 * words where a precision is given. Only while the memory is locked.
 * @throws RangeError for an index of no row.
 */
export function requestOfRows(request: SortRequest, { indices, precision }: Rows): SortRequest {
  const { shape } = request;
  let { columns } = request;
  if (indices !== undefined) {
    assertRows(indices, shape.length);
    columns = columns.map((column) => pick(column, indices)) as unknown as typeof columns;
  }
  let { keyBits } = shape;
  if (precision !== undefined) {
    columns = [leadingBits(columns[0], keyBits, precision)];
    keyBits = undefined;
  }
  const keyTypes = columns.map((column) => keyTypeOf(column) as KeyType);
  const { length } = columns[0];
  return { ...request, columns, shape: { ...shape, keyTypes, keyBits, length } };
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
 * The leading `precision` bits of the range of the keys' words: `(word − min) >> (bits of
 * (max − min) − precision)`.
 */
function leadingBits(
  keys: KeyArray,
  keyBits: SortRequest['shape']['keyBits'],
  precision: number,
): Uint16Array | Uint32Array {
  const column = { keys, keyBits, order: 'ascending' } as const;
  const { length } = keys;
  const { lows, highs } = orderWords(column, roomForWords(column, length));
  const isWide = highs.length > 0;
  let [minimum, maximum] = [0, 0];
  const isBelow = (i: number, j: number): boolean =>
    isWide && highs[i] !== highs[j]
      ? (highs[i] as number) < (highs[j] as number)
      : (lows[i] as number) < (lows[j] as number);
  for (let i = 1; i < length; i++) {
    if (isBelow(i, minimum)) minimum = i;
    else if (isBelow(maximum, i)) maximum = i;
  }
  const [low, high] = [lows[minimum] ?? 0, highs[minimum] ?? 0];
  const highOf = (i: number): number =>
    isWide ? (highs[i] as number) - high - Number((lows[i] as number) < low) : 0;
  const lowOf = (i: number): number => ((lows[i] as number) - low) >>> 0;
  const top = length === 0 ? 0 : highOf(maximum);
  const bits = top > 0 ? 64 - Math.clz32(top) : 32 - Math.clz32(length === 0 ? 0 : lowOf(maximum));
  const shift = Math.max(0, bits - precision);
  const leading = precision === 16 ? new Uint16Array(length) : new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    const [above, below] = [highOf(i), lowOf(i)];
    leading[i] = shift < 32 ? (above << (32 - shift)) | (below >>> shift) : above >>> (shift - 32);
  }
  return leading;
}

/**
 * The order of the rows, from the permutation of `requestOfRows`, written where it is wanted.
 * @throws TypeError where `indices` or `out` was detached or resized since the call.
 */
export function resultOfRows(
  { indices, out, outLength }: Rows,
  permutation: Uint32Array,
): Uint32Array {
  const { length } = permutation;
  if (indices !== undefined) {
    assertUnchanged('indices', indices, length);
    for (let i = 0; i < length; i++) permutation[i] = indices[permutation[i] as number] as number;
  }
  if (out === undefined) return permutation;
  commit([{ name: 'out', target: out, length: outLength, bits: permutation }]);
  return outLength === length ? out : out.subarray(0, length);
}
