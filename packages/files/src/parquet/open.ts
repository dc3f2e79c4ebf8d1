/** Columns of a Parquet file. */

import { KEY_TYPES, type KeyArray, type KeyType } from '@keysweep/core';
import type { ParquetType, SchemaElement } from 'hyparquet';
import { BROTLI_WORK } from '../decompress.js';
import { FileError } from '../error.js';
import { keyArrayClass } from '../keys.js';
import type { Memory, Share } from '../memory.js';
import type { ByteSource } from '../source.js';
import {
  bitmapBytes,
  type ColumnType,
  firstNull,
  memoryOfStored,
  type Stored,
  type StoredColumn,
  type Values,
  widthOf,
} from '../stored/column.js';
import { joinRows, takeRows, withoutDictionary } from '../stored/take.js';
import {
  type Column,
  findColumn,
  nullError,
  type OnProgress,
  type StoredTable,
  type TableMemory,
} from '../table.js';
import { type Chunk, type Field, readFooter } from './footer.js';
import { type IsWanted, readPages } from './pages.js';
import { memoryOfText } from './text.js';
import { TextColumn } from './text-column.js';
import { columnTypeOf } from './type.js';

/** Reads the footer; a column is read from the source when it is asked for. */
export async function openParquet(
  source: ByteSource,
  memory: Memory,
  onProgress?: OnProgress,
): Promise<StoredTable> {
  const { rows, metadata, fields } = await readFooter(source, memory.begin({ expected: 0 }));
  const columns = fields.map((field) => columnOf(field, rows));
  /** Some chunks of a column; rows of pages that `isWanted` refuses get any values. */
  const readChunks = async (
    place: number,
    chunks: readonly Chunk[],
    share: Share,
    isWanted: IsWanted = () => true,
  ): Promise<StoredColumn> => {
    const field = fields[place] as Field;
    const { element } = field;
    const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0);
    const type = typeOf(field);
    if (type === undefined) {
      throw new FileError(
        `column '${element.name}' of ${source.name} is ${columns[place]?.type}, which cannot be ` +
          'carried; leave it out of the file first',
      );
    }
    const width = storedWidth(element);
    const isOptional = element.repetition_type !== 'REQUIRED';
    const nulls = share.allocate(isOptional ? rows : mostOf(chunks, ({ rows }) => rows));
    const text = width === undefined ? new TextColumn(rows, share) : undefined;
    const stored = share.allocate(rows * (width ?? 0));
    let row = 0;
    for (const chunk of chunks) {
      const size = chunk.end - chunk.start;
      share.take(size);
      const bytes = await source.read(chunk.start, chunk.end);
      const values = text ?? stored.subarray(row * (width ?? 0), (row + chunk.rows) * (width ?? 0));
      const marks = isOptional ? nulls.subarray(row, row + chunk.rows) : nulls;
      const physical = element.type as ParquetType;
      const context = { chunk, type: physical, width, isOptional, share, isWanted };
      readPages(bytes, context, { values, nulls: marks });
      share.give(size);
      row += chunk.rows;
      onProgress?.({ completed: row, total: rows, unit: 'rows' });
    }
    return {
      name: element.name,
      type,
      isNullable: isOptional,
      rows,
      values: text?.finish() ?? canonical(stored, width as number, type, element, share),
      valid: isOptional ? bitmapOf(nulls, share) : undefined,
    };
  };
  const sizes = fields.map((field) => sizesOf(field, rows));
  const readColumn = (place: number): Promise<StoredColumn> => {
    const { columns: own, reading, spare } = sizes[place] as Sizes;
    const expected = { expected: own + reading, spare };
    const { chunks } = fields[place] as Field;
    return memory.column(
      place,
      expected,
      (share) => readChunks(place, chunks, share),
      memoryOfStored,
    );
  };
  const readRows = async (place: number, wanted: Uint32Array): Promise<StoredColumn> => {
    const byRow = Uint32Array.from(wanted.keys()).sort(
      (a, b) => (wanted[a] as number) - (wanted[b] as number),
    );
    const parts: Stored[] = [];
    // Where each row is among those of all parts.
    const places = new Uint32Array(wanted.length);
    let kept = 0;
    const readPart = async (chunks: readonly Chunk[], own: Uint32Array): Promise<StoredColumn> => {
      const isWanted: IsWanted = (from, count) => hasBetween(own, from, from + count);
      let part: Stored | undefined;
      const column = await memory.column(
        place,
        { expected: kept },
        (share) => readChunks(place, chunks, share, isWanted),
        (column) => {
          part = withoutDictionary(takeRows(column, own));
          kept += memoryOfStored(part);
          return kept;
        },
      );
      return { ...column, ...(part as Stored) };
    };
    let first = 0;
    let next = 0;
    for (const chunk of (fields[place] as Field).chunks) {
      const from = next;
      const own: number[] = [];
      for (; next < byRow.length; next++) {
        const row = (wanted[byRow[next] as number] as number) - first;
        if (row >= chunk.rows) break;
        places[byRow[next] as number] = next;
        own.push(row);
      }
      if (next > from) parts.push(await readPart([chunk], Uint32Array.from(own)));
      first += chunk.rows;
    }
    if (next < wanted.length) throw new Error(`it has ${rows} rows, and none of the number asked`);
    const none = await readPart([], new Uint32Array());
    return { ...none, ...(parts.length === 0 ? {} : takeRows(joinRows(parts), places)) };
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
        reading: mostOf(wanted, ({ reading, spare, text }) => reading + spare - text),
      };
    },
    layout: { format: 'parquet', metadata, elements: fields.map(({ element }) => element) },
  };
}

/** Whether one of `sorted`, numbers in order, is `from` or more and below `to`. */
function hasBetween(sorted: Uint32Array, from: number, to: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < from) low = middle + 1;
    else high = middle;
  }
  return low < sorted.length && (sorted[low] as number) < to;
}

/** The largest of some numbers, or 0. There may be more of them than a function has arguments. */
const mostOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((most, item) => Math.max(most, of(item)), 0);

const typeOf = ({ isFlat, element }: Field): ColumnType | undefined =>
  isFlat ? columnTypeOf(element) : undefined;

/** What a column takes in memory, as the footer says. */
interface Sizes extends TableMemory {
  /** Bytes of its text, which are in pages that nobody has read yet. */
  readonly text: number;
  /** What pages and text take, which is counted as they come. */
  readonly spare: number;
}

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
  const isCopied = stored !== width || type.kind === 'decimal';
  const marks = isOptional ? rows : mostOf(chunks, ({ rows }) => rows);
  const text =
    width === undefined ? chunks.reduce((sum, { textSize }) => sum + sane(textSize), 0) : 0;
  // A page and its dictionary, and what its decompression takes.
  const pages = mostOf(
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
      (isCopied ? rows * (stored ?? 0) : 0) +
      mostOf(chunks, ({ start, end }) => end - start),
    text,
    spare: pages + (width === undefined ? memoryOfText(text) : 0),
  };
}

function columnOf({ element, isFlat }: Field, rows: number): Column {
  const { name, type, logical_type: logical, converted_type: converted } = element;
  if (!isFlat) return { name, type: 'nested', keyType: undefined, rows };
  const meaning = logical?.type ?? converted;
  return {
    name,
    type: meaning === undefined ? `${type}` : `${type} (${meaning})`,
    keyType: keyTypeOf(element),
    rows,
  };
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

/** Bytes of a value in pages, or undefined for values of any length. */
function storedWidth({ type, type_length }: SchemaElement): number | undefined {
  switch (type) {
    case 'BOOLEAN':
      return 1;
    case 'INT32':
    case 'FLOAT':
      return 4;
    case 'INT64':
    case 'DOUBLE':
      return 8;
    case 'INT96':
      return 12;
    case 'FIXED_LEN_BYTE_ARRAY':
      return type_length;
    default:
      return undefined;
  }
}

/** Values as columns hold them: integers in their own width, decimals little-endian. */
function canonical(
  stored: Uint8Array<ArrayBuffer>,
  storedAs: number,
  type: ColumnType,
  { type: physical }: SchemaElement,
  share: Share,
): Values {
  const width = widthOf(type) as number;
  if (type.kind === 'decimal' && physical === 'FIXED_LEN_BYTE_ARRAY') {
    share.take((stored.length / storedAs) * width);
    return { kind: 'fixed', width, bytes: littleEndian(stored, storedAs, width) };
  }
  if (width < storedAs) share.take((stored.length / storedAs) * width);
  return { kind: 'fixed', width, bytes: width < storedAs ? narrowed(stored, type) : stored };
}

/** Integers of 32 bits in fewer. @throws Error where one does not fit */
function narrowed(stored: Uint8Array<ArrayBuffer>, type: ColumnType): Uint8Array<ArrayBuffer> {
  if (type.kind !== 'integer') throw new Error('only integers are stored in more bits');
  const keyType: KeyType = `${type.isSigned ? 'i' : 'u'}${type.bits}`;
  const wide = new Int32Array(stored.buffer, stored.byteOffset, stored.length / 4);
  const keys: KeyArray = new (keyArrayClass(keyType))(wide.length);
  for (let i = 0; i < keys.length; i++) {
    keys[i] = wide[i] as never;
    if (keys[i] !== wide[i]) throw new Error(`row ${i} has ${wide[i]}, which is no ${keyType}`);
  }
  return new Uint8Array(keys.buffer as ArrayBuffer);
}

/** Big-endian integers of `from` bytes as little-endian ones of `to` bytes. */
function littleEndian(bytes: Uint8Array, from: number, to: number): Uint8Array<ArrayBuffer> {
  const rows = bytes.length / from;
  const out = new Uint8Array(rows * to);
  for (let row = 0; row < rows; row++) {
    const sign = (bytes[row * from] as number) < 0x80 ? 0 : 0xff;
    for (let i = 0; i < to; i++) {
      out[row * to + i] = i < from ? (bytes[(row + 1) * from - 1 - i] as number) : sign;
    }
  }
  return out;
}

/** A bit a row for a byte a row; undefined where no row is null. */
function bitmapOf(nulls: Uint8Array, share: Share): Uint8Array<ArrayBuffer> | undefined {
  if (!nulls.includes(1)) return undefined;
  const bits = share.allocate(bitmapBytes(nulls.length));
  for (let row = 0; row < nulls.length; row++) {
    if (nulls[row] === 0) (bits[row >> 3] as number) |= 1 << (row & 7);
  }
  return bits;
}
