/** Sorts rows that are objects: their columns are read, and argsort says their order. */

import {
  checked,
  type OnArrayBuffer,
  pauses,
  readOptions,
  runInSlices,
  slicesOf,
} from '@keysweep/core';
import { OWN_STRINGS } from '../call/snapshot.js';
import type { Sorter } from '../sorter.js';
import { checkRowArray, columnSteps, type RowBy, type SortRowsOptions } from './row-columns.js';

const NAMES: readonly string[] = [
  'order',
  'backend',
  'signal',
  'onProgress',
  'onReport',
] satisfies Array<keyof SortRowsOptions>;

/** Rows that are moved between two pauses. */
const SLICE = 2 ** 15;

/** See {@link Sorter.argsortRows}. The list must not change any more. */
export async function argsortObjects<T>(
  argsort: Sorter['argsort'],
  given: readonly T[],
  by: RowBy<T>,
  givenOptions?: unknown,
): Promise<OnArrayBuffer<Uint32Array>> {
  const options = readOptions<SortRowsOptions>(givenOptions, NAMES);
  return argsortOwn(argsort, checkRowArray(given), by, options);
}

/** See {@link Sorter.sortRows}. The list must not change any more. */
export async function sortObjects<T>(
  argsort: Sorter['argsort'],
  given: readonly T[],
  by: RowBy<T>,
  givenOptions?: unknown,
): Promise<T[]> {
  const options = readOptions<SortRowsOptions>(givenOptions, NAMES);
  const rows = checkRowArray(given);
  const order = await argsortOwn(argsort, rows, by, options);
  return runInSlices(movedRows(rows, order), pauses());
}

async function argsortOwn<T>(
  argsort: Sorter['argsort'],
  rows: readonly T[],
  by: RowBy<T>,
  options: SortRowsOptions,
): Promise<OnArrayBuffer<Uint32Array>> {
  const { signal } = options;
  const check = (): void => {
    if (signal?.aborted) throw signal.reason;
  };
  check();
  const columns = await runInSlices(checked(columnSteps(rows, by), check), pauses());
  for (const column of columns) {
    if ('keys' in column && Array.isArray(column.keys)) OWN_STRINGS.add(column.keys);
  }
  return argsort(columns, { ...options });
}

function* movedRows<T>(rows: readonly T[], order: Uint32Array): Generator<undefined, T[]> {
  const sorted: T[] = new Array(rows.length);
  for (const [from, to] of slicesOf(rows.length, SLICE)) {
    moveRows(rows, order, sorted, from, to);
    yield;
  }
  return sorted;
}

// Engines run a loop in a function of its own several times as fast as one in a generator.

function moveRows<T>(
  rows: readonly T[],
  order: Uint32Array,
  sorted: T[],
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) sorted[i] = rows[order[i] as number] as T;
}
