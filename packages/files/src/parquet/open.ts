/** Columns of a Parquet file. */

import { KEY_TYPES, type KeyType } from '@keysweep/core';
import type { SchemaElement } from 'hyparquet';
import { BROTLI_WORK } from '../decompress.js';
import { keyArrayClass } from '../keys.js';
import { type MemoryBudget, StepQueue } from '../memory.js';
import type { ByteSource } from '../source.js';
import { firstNull, memoryOfStored, type StoredColumn, widthOf } from '../stored/column.js';
import { joinBits } from '../stored/join.js';
import { allocateBytes } from '../stored/take.js';
import {
  type Column,
  findColumn,
  nullError,
  type OnProgress,
  type StoredTable,
  type TableMemory,
} from '../table.js';
import type { Threads } from '../threads.js';
import { nameOfType, readField, storedWidth, typeOf } from './column.js';
import { type Field, readFooter } from './footer.js';
import { readSomeRows } from './some-rows.js';
import { memoryOfText } from './text.js';
import { columnTypeOf } from './type.js';

/** Reads the footer; a column is read from the source when it is asked for. */
export async function openParquet(
  source: ByteSource,
  memory: MemoryBudget,
  threads: Threads | undefined,
  onProgress?: OnProgress,
): Promise<StoredTable> {
  const { rows, metadata, fields } = await readFooter(source, memory.begin({ expected: 0 }));
  const columns = fields.map((field) => columnOf(field, rows));
  const sizes = fields.map((field) => sizesOf(field, rows));
  const turns = new StepQueue(threads?.count ?? 1, memory);
  const readColumn = (place: number): Promise<StoredColumn> => {
    const { columns: own, reading, spare } = sizes[place] as Sizes;
    const field = fields[place] as Field;
    const told = (completed: number, total: number): void =>
      onProgress?.({ completed, total, unit: 'rows' });
    const readHere = (): Promise<StoredColumn> =>
      memory.column(
        place,
        { expected: own + reading, spare },
        (account) => readField(source, field, account, { told }),
        memoryOfStored,
      );
    const most = own + reading + spare;
    return turns.wait(most, async () => {
      // What pages and text take is not counted as they come, so there must be room for it now.
      if (threads === undefined || most < WORTH || !memory.hasRoom(most)) return readHere();
      const read = (): Promise<StoredColumn> => readByThreads(threads, field, most);
      const column = await memory
        .column(place, { expected: most }, read, memoryOfStored)
        .catch(readHere);
      told(rows, rows);
      return column;
    });
  };
  const readRows = (place: number, wanted: Uint32Array): Promise<StoredColumn> => {
    const { columns: own, reading, spare } = sizes[place] as Sizes;
    const field = fields[place] as Field;
    const most = own + reading + spare;
    const readHere = (): Promise<StoredColumn> =>
      readSomeRows(source, field, wanted, { memory, place });
    if (threads === undefined || most < WORTH) return readHere();
    return turns.wait(most, async () => {
      if (!memory.hasRoom(most)) return readHere();
      const rows = wanted.slice();
      const read = (): Promise<StoredColumn> =>
        threads.run({ kind: 'read', field, memory: most, rows }) as Promise<StoredColumn>;
      return memory.column(place, { expected: most }, read, memoryOfStored).catch(readHere);
    });
  };
  return {
    columns,
    async read(name) {
      const column = findColumn(source.name, columns, name);
      const { values, valid } = await readColumn(columns.indexOf(column));
      const nullAt = firstNull(valid, rows);
      if (nullAt !== -1) throw nullError(source.name, name, nullAt);
      if (values.kind !== 'fixed') throw new Error('a number has no width');
      const { buffer, byteOffset } = values.bytes;
      return new (keyArrayClass(column.keyType))(buffer, byteOffset, rows);
    },
    readColumn,
    readRows,
    memoryOf(places) {
      const wanted = places.map((place) => sizes[place] as Sizes);
      return {
        columns: wanted.reduce((sum, { columns, text }) => sum + columns + text, 0),
        reading: maxOf(wanted, ({ reading, spare, text }) => reading + spare - text),
      };
    },
    layout: { format: 'parquet', metadata, elements: fields.map(({ element }) => element) },
  };
}

/**
 * A column by threads: values of one width by all of them, each some of the row groups. Text is
 * read by one of them, because its dictionaries become one.
 */
async function readByThreads(
  threads: Threads,
  field: Field,
  memory: number,
): Promise<StoredColumn> {
  const read = (part: Field, into?: Uint8Array<ArrayBuffer>): Promise<StoredColumn> =>
    threads.run({
      ...{ kind: 'read', field: part, memory },
      ...(into && { into }),
    }) as Promise<StoredColumn>;
  const width = storedWidth(field.element) ?? 0;
  const { chunks } = field;
  const each = Math.ceil(chunks.length / threads.count);
  if (chunks.length < 2 || width === 0 || isConverted(field)) return read(field);
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0);
  const allocate = (size: number): Uint8Array<ArrayBuffer> => allocateBytes(size, true);
  const bytes = allocate(rows * width);
  const parts: Promise<StoredColumn>[] = [];
  for (let first = 0, row = 0; first < chunks.length; first += each) {
    const own = chunks.slice(first, first + each);
    const end = own.reduce((sum, chunk) => sum + chunk.rows, row);
    parts.push(read({ ...field, chunks: own }, bytes.subarray(row * width, end * width)));
    row = end;
  }
  const columns = await Promise.all(parts);
  const values = { kind: 'fixed', width, bytes } as const;
  return { ...(columns[0] as StoredColumn), rows, values, valid: joinBits(columns, allocate) };
}

/** Whether values are stored in another way than columns hold them. */
function isConverted(field: Field): boolean {
  const type = typeOf(field);
  return (
    type === undefined || storedWidth(field.element) !== widthOf(type) || type.kind === 'decimal'
  );
}

/** The largest of some numbers, or 0. There may be more of them than a function has arguments. */
const maxOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((most, item) => Math.max(most, of(item)), 0);

/** What a column takes in memory, as the footer says. */
interface Sizes extends TableMemory {
  /** Bytes of its text, which are in pages that nobody has read yet. */
  readonly text: number;
  /** What pages and text take, which is counted as they come. */
  readonly spare: number;
}

/** Bytes that reading a column takes, if it is worth another thread. */
const WORTH = 2 ** 20;

/** What a small page takes beside its values. */
const PAGE_WORK = 2 ** 17;

/** Bytes of the lengths of a text and of its prefix. */
const LENGTHS = 8;

/** A number of bytes that a file claims, or 0 for what is none. */
const sane = (claimed: number): number => Math.max(claimed || 0, 0);

function sizesOf(field: Field, rows: number): Sizes {
  const { element, chunks } = field;
  const type = typeOf(field);
  if (type === undefined) return { columns: 0, reading: 0, text: 0, spare: 0 };
  const isOptional = element.repetition_type !== 'REQUIRED';
  const stored = storedWidth(element);
  const width = widthOf(type);
  const marks = isOptional ? rows : maxOf(chunks, ({ rows }) => rows);
  const text =
    width === undefined ? chunks.reduce((sum, { textSize }) => sum + sane(textSize), 0) : 0;
  // A page and its dictionary, and what its decompression takes.
  const pages = maxOf(
    chunks,
    ({ size, codec, rows }) =>
      4 * sane(size) +
      (width === undefined ? LENGTHS * rows : 0) +
      (codec === 'BROTLI' ? BROTLI_WORK : PAGE_WORK),
  );
  return {
    columns:
      width === undefined ? 4 * (rows + 1) : rows * width + (isOptional ? Math.ceil(rows / 8) : 0),
    reading:
      marks +
      (isConverted(field) ? rows * (stored ?? 0) : 0) +
      maxOf(chunks, ({ start, end }) => end - start),
    text,
    spare: pages + (width === undefined ? memoryOfText(text) : 0),
  };
}

function columnOf(field: Field, rows: number): Column {
  const { element, isFlat } = field;
  const keyType = isFlat ? keyTypeOf(element) : undefined;
  return { name: element.name, type: nameOfType(field), keyType, rows };
}

/** The type of numbers; undefined for what is none, and for decimals of over 64 bits. */
function keyTypeOf(element: SchemaElement): KeyType | undefined {
  const type = columnTypeOf(element);
  switch (type?.kind) {
    case 'float':
      return `f${type.bits}`;
    case 'integer':
      return `${type.isSigned ? 'i' : 'u'}${type.bits}`;
    case 'date':
    case 'time':
    case 'timestamp':
    case 'decimal':
      return KEY_TYPES.find((keyType) => keyType === `i${8 * (widthOf(type) as number)}`);
    default:
      return undefined;
  }
}
