/** Writes rows of a table. */

import { explained } from './error.js';
import type { ByteSink } from './source.js';
import type { StoredColumn } from './stored/column.js';
import { takeRows } from './stored/take.js';
import type { Layout } from './table.js';

/** Rows of a row group, or of a batch. */
const GROUP = 2 ** 17;

/** A table to be written. */
export interface Rows {
  /** At least one; all have the same number of rows. */
  readonly columns: readonly StoredColumn[];
  /** The rows to write, in their order. */
  readonly order: Uint32Array;
  /** What the file that they come from says of the columns; kept where the format is the same. */
  readonly layout: Layout | undefined;
}

/**
 * Writes rows in `format`. Values and nulls stay as they are. It takes memory for one row group of
 * 131,072 rows beside the columns. `onWritten` is told the rows written.
 *
 * Parquet gets the columns' own schema and metadata where they come from Parquet, without
 * statistics, compressed by Snappy. Arrow gets the file format, not compressed, and where the
 * columns come from Arrow the schema as it was.
 * @throws FileError that names the column whose type the format does not have
 */
export async function writeTable(
  sink: ByteSink,
  format: 'parquet' | 'arrow',
  { columns, order, layout }: Rows,
  onWritten: (completed: number, total: number) => void,
): Promise<void> {
  const writer = await explained(`cannot write ${format}`, async () =>
    format === 'parquet'
      ? new (await import('./parquet/write.js')).ParquetWriter(sink, columns, layout)
      : new (await import('./arrow/write.js')).ArrowWriter(sink, columns, layout),
  );
  await writer.begin(columns);
  for (let from = 0; from < order.length; from += GROUP) {
    const part = order.subarray(from, from + GROUP);
    await writer.writeRows(columns.map((column) => ({ ...column, ...takeRows(column, part) })));
    onWritten(from + part.length, order.length);
  }
  await writer.end();
}
