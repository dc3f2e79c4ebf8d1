/**
 * The oracle that tests compare with: a stable sort by a comparator on the keys' values. It shares
 * nothing with the key transforms or any backend, and is slow and plainly right.
 */

import type { KeyArray, OnArrayBuffer } from './elements.js';
import type { KeyBits, Order } from './keys/order.js';

/** What decides an order. */
export interface OracleOrder {
  /** Default 'ascending'. */
  readonly order?: Order | undefined;
  /** Start offsets; default one segment. */
  readonly segments?: Uint32Array | undefined;
  /** Default all bits. */
  readonly keyBits?: KeyBits | undefined;
}

/** ECMAScript's order of numbers in a typed array: −0 before +0, NaN last, NaNs equal. */
export function compareKeys(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/** Start and end of every segment of an array of `length` keys. */
export function segmentBounds(
  length: number,
  segments: Uint32Array | undefined,
): (readonly [start: number, end: number])[] {
  if (segments === undefined) return [[0, length]];
  return Array.from(segments, (start, i) => [start, segments[i + 1] ?? length] as const);
}

/**
 * The stable permutation that sorts `columns` (most significant first): element i of the result is
 * the index of the key that belongs at i. O(n log n) comparisons, O(n) memory.
 */
export function oraclePermutation(
  columns: readonly KeyArray[],
  { order, segments, keyBits }: OracleOrder = {},
): OnArrayBuffer<Uint32Array> {
  const values = columns.map((column) =>
    Array.from(column as ArrayLike<number | bigint>, (key) => selectBits(key, keyBits)),
  );
  const direction = order === 'descending' ? -1 : 1;
  const compareIndices = (i: number, j: number): number => {
    for (const column of values) {
      const c = compareKeys(column[i] as number | bigint, column[j] as number | bigint);
      if (c !== 0) return c * direction;
    }
    return 0;
  };
  const permutation = new Uint32Array(columns[0]?.length ?? 0).map((_, row) => row);
  for (const [start, end] of segmentBounds(permutation.length, segments)) {
    permutation.subarray(start, end).sort(compareIndices);
  }
  return permutation;
}

/** The part of a key that decides: the bits of `keyBits` as a BigInt, or the whole key. */
export function selectBits(key: number | bigint, keyBits: KeyBits | undefined): number | bigint {
  if (keyBits === undefined) return key;
  return BigInt.asUintN(keyBits.end - keyBits.begin, BigInt(key) >> BigInt(keyBits.begin));
}
