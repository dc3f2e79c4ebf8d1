/**
 * columnsOf, in a module of its own: bundlers then leave out of a page's first download what
 * `sortRows` loads when it is called.
 */

import { runAtOnce } from '@keysweep/core';
import type { Column } from './column.js';
import { checkRowArray, columnSteps, type RowBy } from './row-columns.js';

/**
 * The columns that `sortRows` and `argsortRows` sort by, for calls of `argsort`, `topK` and
 * `prepare`. Reads every key of every row at once.
 *
 * ```ts
 * const rows = [{ name: 'b', size: 1 }, { name: 'a', size: null }];
 * const columns = columnsOf(rows, ['name', { key: 'size', order: 'descending' }]);
 * await argsort(columns); // Uint32Array [1, 0]
 * ```
 *
 * O(rows). Allocates 8 bytes for a number, bigint, date or string, 1 for a boolean, and a bit for
 * each row if there are nulls.
 * @throws TypeError if `rows` is no array, for values of two kinds in one column, and for values of
 *   another kind; RangeError for bigints that no 64-bit type holds; whatever a key function throws.
 */
export function columnsOf<T>(rows: readonly T[], by: RowBy<T>): Column[] {
  return runAtOnce(columnSteps(checkRowArray(rows), by));
}
