/**
 * @keysweep/arrow: sorts tables of Apache Arrow.
 *
 * ```ts
 * const columns = [{ column: 'day' }, { column: 'delay', nulls: 'first' }];
 * const order = await argsortTable(table, columns);
 * const sorted = take(table, order);
 * ```
 */

export { argsortTable, type SortColumn } from './argsort-table.js';
export { take } from './take.js';
