/** Writes rows of a table. */

import type { EncodedBatch } from './arrow/write.js';
import { type Encoded, encodeRows } from './encode.js';
import { explained } from './error.js';
import type { EncodedGroup } from './parquet/encode.js';
import type { ByteSink } from './source.js';
import { isShared, type StoredColumn } from './stored/column.js';
import {
  longestOf,
  type PackedRows,
  packRows,
  roomForRows,
  takeColumns,
} from './stored/packed-rows.js';
import { placesOf } from './stored/take.js';
import type { Layout } from './table.js';
import type { Threads, ThreadTask } from './threads.js';

/** Rows of a row group, or of a batch. */
const GROUP = 2 ** 17;
/**
 * Bytes of text of a row group, unless one row has more. A dictionary of a few kilobytes is
 * gigabytes where a format has no dictionaries, and every row has its longest entry.
 */
const GROUP_TEXT = 2 ** 26;

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
 * Writes rows in `format`. Values and nulls stay as they are. It takes memory for one row group
 * beside the columns: of 131,072 rows, or fewer with 64 MiB of text. `onWritten` is told the rows
 * written. Columns of a table that was opened with threads may be encoded by `threads`, some row
 * groups at a time: two more than there are threads. The threads then take another copy of the
 * numbers, if `order` leaves few rows beside each other.
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
  threads?: Threads,
): Promise<void> {
  const writer = await explained(`cannot write ${format}`, async () =>
    format === 'parquet'
      ? new (await import('./parquet/write.js')).ParquetWriter(sink, columns, layout)
      : new (await import('./arrow/write.js')).ArrowWriter(sink, columns, layout),
  );
  await writer.begin(columns);
  const texts = columns.map(textsOf).filter((text) => text !== undefined);
  const { plan } = writer;
  const helpers = order.length > GROUP && columns.every(isShared) ? threads : undefined;
  const packed = helpers && (await packedBy(helpers, columns, order));
  const encodeHere = (part: Uint32Array): Promise<Encoded> =>
    encodeRows(plan, takeColumns(columns, packed, part));
  const encode = async (part: Uint32Array): Promise<Encoded> => {
    if (helpers === undefined) return encodeHere(part);
    const task = { kind: 'encode', plan, columns, packed, order: part.slice() } as const;
    return helpers.run(task).catch(() => encodeHere(part)) as Promise<Encoded>;
  };
  // While one group is written, each thread encodes one, and has the next one waiting.
  const ahead = helpers === undefined ? 0 : helpers.count + 1;
  const groups: { readonly rows: number; readonly encoded: Promise<Encoded> }[] = [];
  let written = 0;
  for (let from = 0; written < order.length; ) {
    while (from < order.length && groups.length <= ahead) {
      const part = order.subarray(from, endOfGroup(order, from, texts));
      const encoded = encode(part);
      // What fails is thrown when it is its turn.
      encoded.catch(() => {});
      groups.push({ rows: part.length, encoded });
      from += part.length;
    }
    const group = groups.shift() as (typeof groups)[0];
    await writer.write((await group.encoded) as EncodedGroup & EncodedBatch);
    written += group.rows;
    onWritten(written, order.length);
  }
  await writer.end();
}

/** The rows of `columns` packed by threads, if that makes it quicker to find those of `order`. */
async function packedBy(
  threads: Threads,
  columns: readonly StoredColumn[],
  order: Uint32Array,
): Promise<PackedRows | undefined> {
  const packed = roomForRows(columns, order);
  if (packed === undefined) return undefined;
  const { rows } = columns[0] as StoredColumn;
  const account = Math.ceil(rows / threads.count);
  const pack = async (_: unknown, i: number): Promise<void> => {
    const [from, to] = [Math.min(i * account, rows), Math.min((i + 1) * account, rows)];
    const task: ThreadTask = { kind: 'pack', columns, packed, from, to };
    await threads.run(task).catch(() => packRows(columns, packed, from, to));
  };
  await Promise.all(Array.from({ length: threads.count }, pack));
  return packed;
}

/** The text of a column. */
export interface Texts {
  /** Bytes of its longest text. */
  readonly longest: number;
  /** Bytes of text in a row. */
  readonly lengthAt: (row: number) => number;
}

/** Where the row group ends that begins at `from`. It has one row at least. */
export function endOfGroup(order: Uint32Array, from: number, texts: readonly Texts[]): number {
  const most = Math.min(from + GROUP, order.length);
  // Most tables have short texts only, and their rows need not be looked up one by one.
  if (texts.reduce((sum, { longest }) => sum + longest, 0) * GROUP <= GROUP_TEXT) return most;
  let text = 0;
  for (let i = from; i < most; i++) {
    for (const { lengthAt } of texts) text += lengthAt(order[i] as number);
    if (text > GROUP_TEXT) return Math.max(i, from + 1);
  }
  return most;
}

/** The texts of a column, if it has any, with entries in place of dictionaries. */
function textsOf({ values }: StoredColumn): Texts | undefined {
  if (values.kind === 'variable') {
    const { offsets } = values;
    const lengthAt = (row: number): number =>
      (offsets[row + 1] as number) - (offsets[row] as number);
    return { longest: longestOf(values), lengthAt };
  }
  if (values.kind === 'fixed' || values.entries.values.kind !== 'variable') return undefined;
  const { offsets } = values.entries.values;
  const places = placesOf(values);
  // A null row may have any place.
  const lengthAt = (row: number): number => {
    const place = Number(places[row]);
    return (offsets[place + 1] ?? 0) - (offsets[place] ?? 0);
  };
  return { longest: longestOf(values.entries.values), lengthAt };
}
