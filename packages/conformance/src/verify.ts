/** Serves requests and holds the results against the oracle. */

import type { Backend, KeyArray, SortOutcome, TypedArray } from '@keysweep/core';
import { bitsOf, copyOf } from '@keysweep/core';
import { compareKeys, oraclePermutation, segmentBounds } from '@keysweep/core/oracle';
import { assertGathered, assertSameBits } from './arrays.js';
import { makeRequest, type Variation } from './request.js';

/** Up to this length the oracle sorts; beyond, its comparator checks every neighbour. */
export const ORACLE_UP_TO = 5000;

/** What went into a check, for its message. */
export function describeCase(columns: readonly KeyArray[], variation: Variation): string {
  const names = columns.map((column) => `${column.constructor.name}(${column.length})`);
  const { order, segments, keyBits } = variation;
  const parts = [names.join(' + '), order ?? 'ascending'];
  if (segments !== undefined) parts.push(`${segments.length} segments`);
  if (keyBits !== undefined) parts.push(`bits ${keyBits.begin} to ${keyBits.end}`);
  return parts.join(', ');
}

/** Runs argsort on `backend` and checks it; resolves to the permutation. The columns stay as they are. */
export async function verifyArgsort(
  backend: Backend,
  columns: readonly KeyArray[],
  variation: Variation = {},
): Promise<Uint32Array> {
  const what = `argsort of ${describeCase(columns, variation)}`;
  const before = columns.map((column) => copyOf(column));
  const { permutation } = await serve(backend, 'argsort', columns, variation);
  if (permutation === undefined) throw new Error(`${what}: no permutation in the outcome`);
  columns.forEach((column, i) => {
    assertSameBits(`${what}: keys afterwards`, column, before[i] as KeyArray);
  });
  assertStableOrder(what, columns, permutation, variation);
  if (permutation.length <= ORACLE_UP_TO) {
    assertSameBits(what, permutation, oraclePermutation(columns, variation));
  }
  return permutation;
}

/**
 * Runs argsort, sort and sortPairs with every one of `payloads` on copies of `keys`, and checks all
 * three against each other and the oracle.
 */
export async function verifyAll(
  backend: Backend,
  keys: KeyArray,
  payloads: readonly TypedArray[],
  variation: Variation = {},
): Promise<void> {
  const order = await verifyArgsort(backend, [keys], variation);
  const sorted = copyOf(keys);
  await serve(backend, 'sort', [sorted], variation);
  const what = `sort of ${describeCase([keys], variation)}`;
  assertSortedKeys(what, sorted, keys, order, variation.segments);
  assertAsBuiltIn(what, sorted, keys, variation);
  for (const payload of payloads) {
    const pairs = `sortPairs of ${describeCase([keys], variation)} with ${payload.constructor.name}`;
    const [pairKeys, values] = [copyOf(keys), copyOf(payload)];
    await serve(backend, 'sortPairs', [pairKeys], { ...variation, values });
    assertGathered(`${pairs}: keys`, pairKeys, keys, order);
    assertGathered(`${pairs}: values`, values, payload, order);
  }
}

/** Serves one request and checks what every outcome has to say. */
export async function serve(
  backend: Backend,
  operation: 'sort' | 'sortPairs' | 'argsort',
  columns: readonly KeyArray[],
  variation: Variation,
): Promise<SortOutcome> {
  const outcome = await backend.sort(makeRequest(operation, columns, variation));
  const { milliseconds, passes, threads, bound, permutation } = outcome;
  if (bound !== 0 && !variation.approximate) {
    throw new Error(`an exact ${operation} gave the bound ${bound}`);
  }
  const numbers = [...Object.values(milliseconds), passes.run, passes.skipped, threads, bound];
  for (const number of numbers) {
    if (number >= 0 && Number.isFinite(number)) continue;
    throw new Error(`an outcome holds ${number}: ${JSON.stringify(outcome)}`);
  }
  if ((permutation !== undefined) !== (operation === 'argsort')) {
    throw new Error(`${operation} ${permutation ? 'gave' : 'did not give'} a permutation`);
  }
  return outcome;
}

/**
 * Throws unless `permutation` is the stable sort of `columns`: within each segment it takes every
 * index once, no key stands behind a larger one, and ties stand in input order. O(n).
 */
export function assertStableOrder(
  what: string,
  columns: readonly KeyArray[],
  permutation: Uint32Array,
  { order, segments, keyBits }: Variation,
): void {
  const length = columns[0]?.length ?? 0;
  if (permutation.length !== length) {
    throw new Error(`${what}: ${permutation.length} indices for ${length} keys`);
  }
  const sign = order === 'descending' ? -1 : 1;
  const select = (key: number | bigint): number | bigint =>
    keyBits === undefined
      ? key
      : BigInt.asUintN(keyBits.end - keyBits.begin, BigInt(key) >> BigInt(keyBits.begin));
  const compare = (i: number, j: number): number => {
    for (const column of columns) {
      const [a, b] = [column[i] as number | bigint, column[j] as number | bigint];
      const c = compareKeys(select(a), select(b));
      if (c !== 0) return c * sign;
    }
    return i - j;
  };
  const seen = new Uint8Array(length);
  for (const [start, end] of segmentBounds(length, segments)) {
    for (let i = start; i < end; i++) {
      const index = permutation[i] as number;
      if (index < start || index >= end || seen[index]) {
        throw new Error(
          `${what}: index ${index} at ${i} is ${seen[index] ? 'there twice' : 'not of its segment'}`,
        );
      }
      seen[index] = 1;
      if (i > start && compare(permutation[i - 1] as number, index) > 0) {
        throw new Error(
          `${what}: indices ${permutation[i - 1]} and ${index} at ${i - 1} are out of order`,
        );
      }
    }
  }
}

/** Throws unless `sorted` holds the values that the language's own sort makes of `keys`. */
function assertAsBuiltIn(
  what: string,
  sorted: KeyArray,
  keys: KeyArray,
  { order, segments, keyBits }: Variation,
): void {
  if (order === 'descending' || segments !== undefined || keyBits !== undefined) return;
  const builtIn = copyOf(keys).sort();
  const i = builtIn.findIndex((key: number | bigint, at: number) => !Object.is(key, sorted[at]));
  if (i < 0) return;
  throw new Error(`${what}: element ${i} is ${sorted[i]}, the built-in sort has ${builtIn[i]}`);
}

/**
 * Throws unless `sorted` is `keys` in `order`, bit for bit, but for NaNs: those of a segment may
 * stand in any order among themselves.
 */
export function assertSortedKeys(
  what: string,
  sorted: KeyArray,
  keys: KeyArray,
  order: Uint32Array,
  segments?: Uint32Array,
): void {
  const isNaNAt = (array: KeyArray, i: number): boolean => Number.isNaN(array[i] as number);
  if (!order.some((index) => isNaNAt(keys, index))) {
    assertGathered(what, sorted, keys, order);
    return;
  }
  for (const [start, end] of segmentBounds(order.length, segments)) {
    const found: string[] = [];
    const expected: string[] = [];
    for (let i = start; i < end; i++) {
      const index = order[i] as number;
      if (!Object.is(sorted[i], keys[index])) {
        throw new Error(`${what}: element ${i} is ${sorted[i]}, expected ${keys[index]}`);
      }
      if (!isNaNAt(keys, index)) continue;
      found.push(patternOf(sorted, i));
      expected.push(patternOf(keys, index));
    }
    if (found.sort().join() === expected.sort().join()) continue;
    throw new Error(`${what}: the bit pattern of a NaN was lost or made up`);
  }
}

/** The bits of element `i`. */
function patternOf(array: TypedArray, i: number): string {
  return bitsOf(array.subarray(i, i + 1)).join(' ');
}
