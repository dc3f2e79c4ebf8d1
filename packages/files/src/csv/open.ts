/** Columns and rows of text: CSV, where fields may have quotes, and TSV, where they have none. */

import { FileError } from '../error.js';
import { keyArrayClass } from '../keys.js';
import type { MemoryBudget, StepAccount } from '../memory.js';
import type { ByteSource } from '../source.js';
import { firstNull, memoryOfStored, type StoredColumn } from '../stored/column.js';
import { takeRows } from '../stored/take.js';
import { nullError, type OnProgress, type TextTable } from '../table.js';
import type { Threads } from '../threads.js';
import { readTextByThreads, scanByThreads } from './by-threads.js';
import { memoryOfText, readText, type TypedRows } from './column.js';
import type { Dialect } from './dialect.js';
import { namesIn } from './fields.js';
import { type Lines, lineAt, memoryOfColumns, scanLines } from './scan.js';
import { writeLines } from './write.js';

/** The bytes in front of text that is marked as UTF-8. */
const BOM = [0xef, 0xbb, 0xbf];
/** Offsets have 32 bits, and so has the largest array of Node.js 20. */
const MOST = 2 ** 32 - 1;

/**
 * Reads the whole file and finds its rows; a column is read when it is asked for. `threads` do all
 * of that if the file is large.
 */
export async function openText(
  source: ByteSource,
  dialect: Dialect,
  memory: MemoryBudget,
  threads: Threads | undefined,
  onProgress?: OnProgress,
): Promise<TextTable> {
  const { name: file, size } = source;
  if (size > MOST) {
    throw new FileError(`${file} has ${size} bytes, and 4 GiB of text is the most that is read`);
  }
  const held = memory.begin({ expected: size });
  const mark = await source.read(0, Math.min(BOM.length, size));
  const start = BOM.every((byte, i) => mark[i] === byte) ? BOM.length : 0;
  const shared =
    threads &&
    (await scanByThreads(source, start, dialect, { threads, memory, account: held, onProgress }));
  const lines = shared ?? (await scanHere(source, start, dialect, held, onProgress));
  const { bytes } = lines;
  const helpers = shared && threads;
  const first = dialect.hasHeader ? Math.min(1, lines.rows) : 0;
  const rows = lines.rows - first;
  const names = first === 1 ? namesIn(lines) : lines.sizes.map((_, place) => `${place + 1}`);
  const columns = names.map((name) => ({ name, type: 'text', keyType: undefined, rows }));
  const readColumn = (place: number, as?: 'text'): Promise<StoredColumn> => {
    const most = memoryOfText(lines, place, rows);
    const wanted = { place, from: first, to: lines.rows, as };
    const told = (completed: number): void =>
      onProgress?.({ completed, total: rows, unit: 'rows' });
    return memory.column(
      place,
      { expected: 0, spare: most },
      async (account) => {
        const { name } = columns[place] as (typeof columns)[number];
        const here = (): TypedRows => readText(lines, wanted, account, told);
        // Its parts are there beside the whole.
        const isShared = helpers !== undefined && memory.hasRoom(2 * most);
        const stored = isShared
          ? await readTextByThreads(lines, wanted, helpers, most, account).catch(here)
          : here();
        return { name, isNullable: true, ...stored };
      },
      memoryOfStored,
    );
  };
  return {
    columns,
    memoryOf: (places) => ({
      columns: places.reduce(
        (sum, place) => sum + memoryOfText(lines, place, rows),
        size + lines.starts.buffer.byteLength + memoryOfColumns(lines),
      ),
      reading: 0,
    }),
    async read(name) {
      const place = columns.findIndex((column) => column.name === name);
      if (place === -1) {
        const names = columns.map((column) => column.name).join(', ') || '(none)';
        throw new FileError(`${file} has no column '${name}'; its columns are: ${names}`);
      }
      const { type, values, valid } = await readColumn(place);
      if (values.kind !== 'fixed') {
        throw new FileError(`column '${name}' of ${file} is not numeric but text`);
      }
      const nullAt = firstNull(valid, rows);
      if (nullAt !== -1) throw nullError(file, name, nullAt);
      const keyType = type.kind === 'integer' ? 'i64' : 'f64';
      return new (keyArrayClass(keyType))(values.bytes.buffer, 0, rows);
    },
    readColumn,
    async readRows(place, order) {
      const column = await readColumn(place);
      return { ...column, ...takeRows(column, order) };
    },
    layout: undefined,
    writeRows: (sink, order, onWritten) =>
      writeLines(sink, lines, first, order, onWritten, helpers),
    lineOf: (row) => lineAt(bytes, lines.starts[first + row] as number),
  };
}

/** The rows of the text, as the calling thread finds them. */
async function scanHere(
  source: ByteSource,
  first: number,
  dialect: Dialect,
  held: StepAccount,
  onProgress: OnProgress | undefined,
): Promise<Lines> {
  const { name, size } = source;
  held.take(size);
  const bytes = await source.read(0, size, (completed) =>
    onProgress?.({ completed, total: size, unit: 'bytes' }),
  );
  return scanLines(name, bytes, { first, end: size }, dialect, held);
}
