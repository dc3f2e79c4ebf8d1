/** Opens a file of any format. */

import { describe, KEY_TYPES, type KeyType } from '@keysweep/core';
import { type Dialect, dialectOf, type TextFormatName, type TextOptions } from './csv/dialect.js';
import { explained } from './error.js';
import { checkMemory, MemoryBudget } from './memory.js';
import { openNpy } from './npy.js';
import { openRaw } from './raw.js';
import type { ByteSource } from './source.js';
import type { OnProgress, StoredTable, Table, TextTable } from './table.js';
import type { Threads } from './threads.js';

/** The format of a file of numbers. Raw values do not say their own type. */
export type NumbersFormat =
  | { readonly format: 'raw'; readonly keyType: KeyType }
  | { readonly format: 'npy' };
/** The format of a file of columns. */
export type TableFormat = { readonly format: 'parquet' | 'arrow' };
/**
 * The format of a file of text in UTF-8. CSV follows RFC 4180. TSV has no quotes, so that no field
 * has a tab or the end of a line.
 */
export type TextFormat = { readonly format: TextFormatName } & TextOptions;
/** The format of a file. */
export type Format = NumbersFormat | TableFormat | TextFormat;

/** How a file is opened. */
export interface OpenOptions {
  /**
   * Bytes of memory that reading may take in all: for the columns that were read (each counts
   * once), for the file itself if it is Arrow or text, and for the work on the way. If more is
   * needed, you get a MemoryError that says how much, before the memory is taken. Default: 64 times
   * the bytes of the file and 64 MiB more.
   */
  readonly memory?: number | undefined;
  /**
   * Threads that read columns of Parquet, and a text and its rows, and that `writeTable` may be
   * given. All columns of tables are then in memory that threads share.
   */
  readonly threads?: Threads | undefined;
}

const TITLES = {
  raw: 'raw values',
  npy: 'NumPy',
  parquet: 'Parquet',
  arrow: 'Arrow',
  csv: 'CSV',
  tsv: 'TSV',
} as const;

/**
 * Opens `source`: `openTable(blobSource("'a.parquet'", file), { format: 'parquet' })`.
 *
 * The code for a format of tables is loaded with the first file of that format. A Parquet file's
 * footer is read now, and each column by `read`. An Arrow file or a text is read whole now and
 * stays in memory; `read` copies a column. Raw values are read by `read`. Reading takes no memory
 * beyond the bytes read and the column, and never more than `how.memory` allows, whatever the file
 * claims. `onProgress` is called while bytes or the rows of a column are read.
 * @throws FileError that says what is wrong with the file; MemoryError if reading takes too much
 *   memory; TypeError or RangeError for a wrong argument
 */
export function openTable(
  source: ByteSource,
  how: TableFormat & OpenOptions,
  onProgress?: OnProgress,
): Promise<StoredTable>;
export function openTable(
  source: ByteSource,
  how: TextFormat & OpenOptions,
  onProgress?: OnProgress,
): Promise<TextTable>;
export function openTable(
  source: ByteSource,
  how: Format & OpenOptions,
  onProgress?: OnProgress,
): Promise<Table>;
export async function openTable(
  source: ByteSource,
  how: Format & OpenOptions,
  onProgress?: OnProgress,
): Promise<Table | StoredTable | TextTable> {
  checkSource(source);
  checkFormat(how);
  const dialect =
    how.format === 'csv' || how.format === 'tsv' ? dialectOf(how.format, how) : undefined;
  checkMemory(how.memory);
  const memory = new MemoryBudget(source.name, source.size, how.memory, how.threads !== undefined);
  const what = `cannot read ${source.name} as ${TITLES[how.format]}`;
  const table = await explained(what, () =>
    openAs(checked(source), how, dialect, memory, onProgress),
  );
  const { columns } = table;
  const read: Table['read'] = (name) => explained(what, () => table.read(name));
  if (!('readColumn' in table)) return { columns, read };
  const { layout } = table;
  const stored: StoredTable = {
    columns,
    read,
    layout,
    memoryOf: (places) => table.memoryOf(places),
    readColumn: (place) => explained(what, () => table.readColumn(place)),
    readRows: (place, rows) => explained(what, () => table.readRows(place, rows)),
  };
  if (!('writeRows' in table)) return stored;
  return {
    ...stored,
    readColumn: (place, as) => explained(what, () => table.readColumn(place, as)),
    writeRows: (sink, order, onWritten) => table.writeRows(sink, order, onWritten),
    lineOf: (row) => table.lineOf(row),
  };
}

function checkSource(source: unknown): void {
  const { name, size, read } = Object(source) as Partial<ByteSource>;
  if (typeof name === 'string' && typeof size === 'number' && typeof read === 'function') return;
  throw new TypeError(
    'source must be a ByteSource, as blobSource(name, blob) and bytesSource(name, bytes) make ' +
      `it, got ${describe(source)}`,
  );
}

function checkFormat(how: unknown): void {
  const { format, keyType } = Object(how) as Record<string, unknown>;
  if (!Object.hasOwn(TITLES, format as string)) {
    const formats = Object.keys(TITLES).join(', ');
    throw new TypeError(`how.format must be one of ${formats}, got ${describe(format)}`);
  }
  if (format !== 'raw' || (KEY_TYPES as readonly unknown[]).includes(keyType)) return;
  throw new TypeError(
    `how.keyType must be one of ${KEY_TYPES.join(', ')} for raw values, got ${describe(keyType)}`,
  );
}

/** The source, whose reads give every byte that they are asked for or fail. */
function checked({ name, size, read }: ByteSource): ByteSource {
  return {
    name,
    size,
    async read(from, to, onRead) {
      if (!(from >= 0 && from <= to && to <= size)) {
        throw new Error(`it needs the bytes ${from} to ${to}, but has ${size}`);
      }
      const bytes = await read(from, to, onRead);
      if (bytes.length === to - from) return bytes;
      throw new Error(`it should have ${size} bytes, but ends at ${from + bytes.length}`);
    },
  };
}

async function openAs(
  source: ByteSource,
  how: Format & OpenOptions,
  dialect: Dialect | undefined,
  memory: MemoryBudget,
  onProgress: OnProgress | undefined,
): Promise<Table | StoredTable | TextTable> {
  switch (how.format) {
    case 'raw':
      return openRaw(source, how.keyType, memory, onProgress);
    case 'npy':
      return openNpy(source, memory, onProgress);
    case 'parquet':
      return (await import('./parquet/open.js')).openParquet(
        source,
        memory,
        how.threads,
        onProgress,
      );
    case 'arrow':
      return (await import('./arrow/open.js')).openArrow(source, memory, onProgress);
    case 'csv':
    case 'tsv': {
      const { openText } = await import('./csv/open.js');
      return openText(source, dialect as Dialect, memory, how.threads, onProgress);
    }
  }
}
