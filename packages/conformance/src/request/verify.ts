/** Serves requests and holds the results against the oracle. */

import type { Backend, KeyArray, SortOutcome, TypedArray } from '@keysweep/core';
import { copyOf } from '@keysweep/core';
import { oraclePermutation } from '@keysweep/core/oracle';
import { assertNoFault, assertSameBits } from '../verify/asserts.js';
import { faultOfGather, faultOfOrder, faultOfSort } from '../verify/faults.js';
import { makeRequest, type Variation } from './request.js';

/** Up to this length the oracle sorts; beyond, its comparator checks every neighbour. */
export const ORACLE_UP_TO = 5000;

/** What went into a check, for its message. */
function describeCase(columns: readonly KeyArray[], variation: Variation): string {
  const names = columns.map((column) => `${column.constructor.name}(${column.length})`);
  const { order, segments, keyBits } = variation;
  const parts = [names.join(' + '), order ?? 'ascending'];
  if (segments !== undefined) parts.push(`${segments.length} segments`);
  if (keyBits !== undefined) parts.push(`bits ${keyBits.begin} to ${keyBits.end}`);
  return parts.join(', ');
}

/**
 * Runs argsort on `backend` and checks it; resolves to the permutation. The columns stay as they
 * are.
 */
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
  assertNoFault(what, faultOfOrder(columns, permutation, variation));
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
  assertNoFault(what, faultOfSort(sorted, keys, order, variation.segments));
  assertAsBuiltIn(what, sorted, keys, variation);
  for (const payload of payloads) {
    const pairs =
      `sortPairs of ${describeCase([keys], variation)} with ` + `${payload.constructor.name}`;
    const [pairKeys, values] = [copyOf(keys), copyOf(payload)];
    await serve(backend, 'sortPairs', [pairKeys], { ...variation, values });
    assertNoFault(`${pairs}: keys`, faultOfGather(pairKeys, keys, order));
    assertNoFault(`${pairs}: values`, faultOfGather(values, payload, order));
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
