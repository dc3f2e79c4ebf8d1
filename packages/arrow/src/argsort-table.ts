/** The order of a table's rows: `argsort` of keysweep over columns of Apache Arrow. */

import type { Table } from 'apache-arrow';
import { type ArgsortOptions, argsort, type ColumnOptions, type OnArrayBuffer } from 'keysweep';
import { assertOptions, assertTable, checkSortColumns } from './check.js';
import { keysOf, NoOrderError } from './keys.js';

/** A column that orders rows. */
export interface SortColumn {
  /** The column's name. If several have it, the first is meant. */
  readonly column: string;
  /** Default: the order of the call, which is 'ascending' by default. */
  readonly order?: ColumnOptions['order'];
  /** Where nulls go, whatever the order. Default 'last'. Nulls tie with each other. */
  readonly nulls?: ColumnOptions['nulls'];
  /** Where NaNs go. Default: 'last' in ascending order, 'first' in descending order. */
  readonly nans?: ColumnOptions['nans'];
  /** Whether −0 and +0 are ties. Default 'ordered': −0 before +0. */
  readonly zeros?: ColumnOptions['zeros'];
}

/**
 * The order of a table's rows: element i is the number of the row that belongs at i. Rows are
 * sorted by the first of `columns`, ties by the second, and so on. Stable: rows that tie in all
 * columns keep their order.
 *
 * ```ts
 * const table = tableFromArrays({ name: ['b', 'a', 'b'], size: Int32Array.of(5, 7, 6) });
 * await argsortTable(table, [{ column: 'name' }, { column: 'size', order: 'descending' }]);
 * // Uint32Array [1, 2, 0]
 * ```
 * `options` are those of keysweep's `argsort`: `signal`, `onReport`, `indices`, `out` and others.
 *
 * Strings are ordered by the bytes of UTF-8, which is the order of code points. Dictionary columns
 * are ordered by their values, which are sorted once. Nested columns have no order, and of
 * intervals only months have one.
 *
 * Allocates 4 bytes a row for the result, and what `argsort` needs. A column of numbers, strings or
 * binary values that is a single chunk is read in place. Several chunks are first copied into one.
 * Dictionary codes take 4 bytes a row, Booleans 1, decimals and views their size.
 * @throws TypeError if `table` is not a table, `columns` not a list of columns, or the values of a
 *   column have no order; RangeError if the table has no column of a name, or if a column's offsets
 *   cannot count the bytes of all batches; whatever `argsort` throws.
 */
export async function argsortTable(
  table: Table,
  columns: readonly SortColumn[],
  options: ArgsortOptions = {},
): Promise<OnArrayBuffer<Uint32Array>> {
  assertTable(table);
  checkSortColumns(table, columns);
  assertOptions(options);
  const { order: byDefault, backend, signal } = options;
  const controls = { ...(backend && { backend }), ...(signal && { signal }) };
  const keys: ColumnOptions[] = [];
  for (const [i, { column, order = byDefault, ...others }] of columns.entries()) {
    const chunks = table.getChild(column)?.data ?? [];
    try {
      keys.push(...(await keysOf(chunks, { ...others, order }, controls)));
    } catch (error) {
      if (!(error instanceof NoOrderError)) throw error;
      throw new TypeError(`columns[${i}] is '${column}', whose ${error.message}`);
    }
  }
  return argsort(keys, options);
}
