/** argsort of a table's rows. */

import type { Table } from 'apache-arrow';
import { type ArgsortOptions, argsort, type ColumnOptions, type OnArrayBuffer } from 'keysweep';
import { assertOptions, assertTable, checkSortColumns } from './check.js';
import { keysOf, NoOrderError } from './keys.js';

/** A column that orders rows. */
export interface SortColumn {
  /** The column's name; of several with one name the first is meant. */
  readonly column: string;
  /** Default: that of the call, which is 'ascending'. */
  readonly order?: ColumnOptions['order'];
  /** Where nulls go, whatever the order. Default 'last'. They are ties. */
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
 * are ordered by their values, which are sorted once. Nested columns have no order, nor have
 * intervals but those of months.
 *
 * Allocates 4 bytes a row for the result, and what `argsort` needs. Numbers, strings and binary
 * values of one chunk are read where they are. Several chunks are copied into one; dictionary codes
 * take 4 bytes a row, Booleans 1, decimals and views their size.
 * @throws TypeError for what is no table, a list that holds no columns, or a column whose values
 *   have no order; RangeError for a name that the table does not have, and a column whose offsets
 *   cannot count the bytes of all batches; else as `argsort`.
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
