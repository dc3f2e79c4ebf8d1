/**
 * Pairs, permutations and key bits by the runtime's own sort: of keys and rows packed together, or
 * of indices by a comparator.
 */

import {
  commit,
  gather,
  identity,
  type KeyArray,
  type KeyBits,
  keyTypeOf,
  lengthOf,
  type Order,
  type SortOutcome,
  type SortRequest,
  sortArray,
  subarrayOf,
} from '@keysweep/core';
import { areKeysAlone, forEachSegment, sortKeys } from './builtin-keys.js';
import { isPacked, packedOrder } from './packed-rows.js';

/** Serves any request at once; of argsort returns the permutation. */
export function sortNow(request: SortRequest): SortOutcome['permutation'] {
  return areKeysAlone(request) ? sortKeys(request) : sortRows(request);
}

/** Serves pairs, permutations and several columns; returns the permutation of an argsort. */
function sortRows(request: SortRequest): SortOutcome['permutation'] {
  const { shape, columns, values, segments } = request;
  const permutation = orderRows(columns, shape.order, segments, shape.keyBits);
  if (shape.operation === 'argsort') return permutation;
  const results = [gather('keys', columns[0], permutation)];
  if (values !== undefined) results.push(gather('values', values, permutation));
  commit(results);
  return undefined;
}

/**
 * The stable order of rows by columns, the major one first, or by these bits of them; of each
 * segment on its own.
 */
export function orderRows(
  columns: readonly [KeyArray, ...KeyArray[]],
  order: Order,
  segments?: Uint32Array,
  keyBits?: KeyBits,
): Uint32Array<ArrayBuffer> {
  const [column] = columns;
  const length = lengthOf(column);
  if (columns.length === 1 && keyBits === undefined && isPacked(length)) {
    return packedOrder(column, order, segments);
  }
  const sign = order === 'descending' ? -1 : 1;
  const compared = columns.map((column) => (keyBits ? selectBits(column, keyBits) : column));
  const compare = (i: number, j: number): number => {
    for (const column of compared) {
      const c = compareKeys(column[i] as number | bigint, column[j] as number | bigint);
      if (c !== 0) return c * sign;
    }
    return 0;
  };
  const indices = identity(length);
  forEachSegment(length, segments, (start, end) =>
    sortArray(subarrayOf(indices, start, end), compare),
  );
  return indices;
}

/** ECMAScript's order. The common cases come first, for this runs n log n times. */
export function compareKeys(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return a === 0 ? Number(Object.is(b, -0)) - Number(Object.is(a, -0)) : 0;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/** Copies of unsigned keys in which only `keyBits` are left. */
function selectBits(keys: KeyArray, { begin, end }: KeyBits): KeyArray {
  if (keyTypeOf(keys) === 'u64') {
    return (keys as BigUint64Array).map((key) => BigInt.asUintN(end - begin, key >> BigInt(begin)));
  }
  const modulus = 2 ** (end - begin);
  return Uint32Array.from(keys as Uint32Array, (key) => Math.floor(key / 2 ** begin) % modulus);
}
