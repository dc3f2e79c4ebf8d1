/** The whole file again, its rows in order of a column. */

import {
  type ByteSink,
  type SortKeys,
  type StoredTable,
  sortKeysOf,
  writeTable,
} from '@keysweep/files';
import { argsort, type Order, sort } from 'keysweep';
import type { OpenedFile } from './open.js';

/** The file and its name. @throws Error that says which column cannot be read or written */
export async function sortedFile(
  opened: OpenedFile,
  name: string,
  column: string,
  order: Order,
): Promise<File> {
  if (opened.kind === 'raw') {
    const keys = await sort(await opened.table.read(column), { order });
    return new File([keys as BlobPart], `sorted-${name}`);
  }
  const pieces: BlobPart[] = [];
  const sink: ByteSink = {
    async write(bytes) {
      pieces.push(bytes.slice());
    },
  };
  if (opened.kind === 'csv' || opened.kind === 'tsv') {
    const rows = await argsort(await opened.table.read(column), { order });
    await opened.table.writeRows(sink, rows, () => {});
    return new File(pieces, `sorted-${name}`, { type: 'text/csv' });
  }
  await writeSorted(opened.table, sink, opened.kind, column, order);
  // Streams of Arrow are written as files, which have another ending.
  return new File(pieces, `sorted-${name.replace(/\.arrows$/i, '.arrow')}`);
}

async function writeSorted(
  table: StoredTable,
  sink: ByteSink,
  format: 'parquet' | 'arrow',
  name: string,
  order: Order,
): Promise<void> {
  const columns = [];
  for (const place of table.columns.keys()) columns.push(await table.readColumn(place));
  const key = columns.find((one) => one.name === name);
  if (key === undefined) throw new Error(`there is no column ${name}`);
  const keys = await sortKeysOf(key, (one: SortKeys) => argsort(one));
  const rows = await argsort({ ...keys, order });
  await writeTable(sink, format, { columns, order: rows, layout: table.layout }, () => {});
}
