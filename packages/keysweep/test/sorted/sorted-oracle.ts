/** What `keysweep/sorted` is compared with: loops that compare keys one by one. */

import { type ArrayClass, fillSpecial } from '@keysweep/conformance/data';
import type { KeyArray } from '@keysweep/core';
import { expect } from 'vitest';
import { random } from '../draws.js';

export type Key = number | bigint;
export type Order = 'ascending' | 'descending';

/** Below 0 if `a` comes first in ascending order: −0 before +0, NaNs last and equal. */
export function compare(a: Key, b: Key): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return a === 0 ? Number(Object.is(b, -0)) - Number(Object.is(a, -0)) : 0;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

export const inOrder = (order: Order) => (a: Key, b: Key) =>
  order === 'ascending' ? compare(a, b) : compare(b, a);

export const listOf = (keys: KeyArray): Key[] => Array.from(keys as ArrayLike<Key>);

/** The bits of keys, which tell NaNs apart. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: KeyArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();

/** Keys of many kinds: any bits, few values, neighbours of extremes, on a view with an offset. */
export function keysOf({ create }: ArrayClass, length: number): KeyArray {
  const keys = create(length + 1).subarray(1) as KeyArray;
  const kind = random.below(4);
  if (kind === 0) fillSpecial(keys, random);
  else if (kind === 1) random.fill(bytesViewOf(keys));
  else {
    const [of, from] = kind === 2 ? [5, -2] : [2 * length + 1, -length];
    for (let i = 0; i < length; i++) keys[i] = keyLike(keys, random.below(of) + from) as never;
  }
  return keys;
}

export const bytesViewOf = ({ buffer, byteOffset, byteLength }: KeyArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const keyLike = (keys: KeyArray, value: number): Key =>
  typeof keys[0] === 'bigint' ? BigInt(value) : value;

/** Stable order of rows, by insertion of the language's own sort. */
export function orderOf(keys: readonly Key[], order: Order): number[] {
  const before = inOrder(order);
  return keys.map((_, i) => i).sort((a, b) => before(keys[a] as Key, keys[b] as Key));
}

export function picked<K extends KeyArray>(keys: K, rows: readonly number[]): K {
  const result = keys.slice(0, rows.length) as unknown as K;
  for (const [i, row] of rows.entries()) {
    bytesViewOf(result).set(bytesOf(keys.subarray(row, row + 1)), i * keys.BYTES_PER_ELEMENT);
  }
  return result;
}

/** Around what is left to the built-in sort, and what is searched four at a time. */
export const LENGTHS = [0, 1, 2, 3, 4, 5, 99, 100, 101, 511, 512, 700];
export const ORDERS: readonly Order[] = ['ascending', 'descending'];

/** Both forms of a call give the same. */
export async function both<T>(later: Promise<T>, atOnce: () => T): Promise<T> {
  const [a, b] = [await later, atOnce()];
  expect(b).toEqual(a);
  return a;
}

export const METHODS = ['lower', 'higher', 'nearest', 'linear'] as const;

/** A quantile of sorted keys without NaNs. */
export function quantileOf(
  list: readonly Key[],
  fraction: number,
  method: (typeof METHODS)[number],
): Key {
  if (list.length === 0) return Number.NaN;
  const place = fraction * (list.length - 1);
  const [lower, upper] = [Math.floor(place), Math.ceil(place)];
  if (method === 'lower') return list[lower] as Key;
  if (method === 'higher') return list[upper] as Key;
  const isHalf = place - lower === 0.5;
  if (method === 'nearest') return list[isHalf ? lower + (lower & 1) : Math.round(place)] as Key;
  const [a, b] = [list[lower] as number, (list[lower + 1] ?? list[lower]) as number];
  const share = place - lower;
  return share < 0.5 ? a + (b - a) * share : b - (b - a) * (1 - share);
}
