/** The pages of one column in one row group. */

import type { ParquetType } from 'hyparquet';
import { decompress } from '../decompress.js';
import type { Account, StepAccount } from '../memory.js';
import type { VariableValues } from '../stored/column.js';
import {
  type AreWanted,
  type Cursor,
  cursorOf,
  readBits,
  readBooleanRuns,
  readByteStreamSplit,
  readDelta,
  readDictionaryPlaces,
  readPlain,
  readRuns,
  readVarint,
  restOf,
} from './encodings.js';
import type { Chunk } from './footer.js';
import { type PageHeader, readPageHeader } from './page-header.js';
import { readPlainText, TextBuilder } from './text.js';
import type { TextColumn } from './text-column.js';

/** Whether some of `count` rows of a chunk, of which `from` is the first, are asked for. */
export type IsWanted = (from: number, count: number) => boolean;

/** What pages do not say themselves. */
export interface PageContext {
  readonly chunk: Chunk;
  /** The physical type of the column. */
  readonly type: ParquetType;
  /** Bytes of a value as the file stores it; 1 for booleans, undefined for any length. */
  readonly width: number | undefined;
  /** Whether rows may have no value. */
  readonly isOptional: boolean;
  /** Counts the memory that is taken. */
  readonly account: StepAccount;
  /** Pages without such rows are passed over. */
  readonly isWanted: IsWanted;
}

/** The same for one page, which counts its own memory. */
type OnePage = PageContext & { readonly part: Account };

/** Where the rows of a chunk go. */
export interface Target {
  /** The values: rows of `width` bytes, or text. Null rows get zeros, or no bytes. */
  readonly values: Uint8Array<ArrayBuffer> | TextColumn;
  /** A byte a row, which is set to 1 where the row is null. */
  readonly nulls: Uint8Array;
}

/**
 * Decodes `bytes`, a chunk, to `out`.
 * @throws Error where the pages are not as they should be
 */
export function readPages(bytes: Uint8Array<ArrayBuffer>, context: PageContext, out: Target): void {
  const { chunk, account } = context;
  const cursor = cursorOf(bytes);
  let dictionary: Dictionary | undefined;
  let rows = 0;
  while (cursor.offset < bytes.length) {
    const { header, end } = readPageHeader(bytes, cursor.offset);
    cursor.offset = end;
    const { type, size } = header;
    if (!(size >= 0 && size <= bytes.length - cursor.offset)) {
      throw new Error("a page's length does not fit into its column's data");
    }
    const body = bytes.subarray(cursor.offset, cursor.offset + size);
    cursor.offset += size;
    if (type === 'DICTIONARY_PAGE') {
      if (dictionary !== undefined || rows > 0) throw new Error('a dictionary is out of its place');
      dictionary = account.during((part) => readDictionary(header, body, { ...context, part }));
      account.take(memoryOfDictionary(dictionary));
    } else if (type === 'DATA_PAGE' || type === 'DATA_PAGE_V2') {
      const page = dataPageOf(header);
      if (!(page.count >= 0 && page.count <= chunk.rows - rows)) {
        throw new Error(`a page has other values than the ${chunk.rows - rows} that are left`);
      }
      const nulls = out.nulls.subarray(rows, rows + page.count);
      const isSkipped = page.count > 0 && !context.isWanted(rows, page.count);
      if (isSkipped && !(out.values instanceof Uint8Array)) out.values.skip(page.count);
      if (!isSkipped) {
        account.during((part) => {
          const { values, count } = levelsOf(page, body, { ...context, part }, nulls);
          const first = rows;
          // Values are told from rows only where each row has one.
          const areWanted: AreWanted | undefined =
            count < page.count ? undefined : (from, some) => context.isWanted(first + from, some);
          const target = { ...out, nulls };
          readRows({ ...page, count }, values, dictionary, context, target, rows, areWanted);
        });
      }
      rows += page.count;
    } else if (type !== 'INDEX_PAGE') {
      throw new Error('a page has an unknown type');
    }
  }
  if (rows !== chunk.rows) {
    throw new Error(`its pages have ${rows} values for ${chunk.rows} rows`);
  }
  if (dictionary !== undefined) account.give(memoryOfDictionary(dictionary));
}

/** What both kinds of data pages say. */
interface DataPage {
  readonly count: number;
  readonly encoding: string;
  /** Bytes of the whole page when it is not compressed. */
  readonly size: number;
  /** Bytes of the levels in front, which are never compressed; undefined in the older kind. */
  readonly levels:
    | { readonly size: number; readonly isCompressed: boolean; readonly nulls: number }
    | undefined;
}

function dataPageOf(header: PageHeader): DataPage {
  const { older, newer, plainSize: size } = header;
  if (header.type === 'DATA_PAGE' && older !== undefined) {
    return { ...older, size, levels: undefined };
  }
  if (header.type !== 'DATA_PAGE_V2' || newer === undefined) {
    throw new Error('a page has the header of another type of page');
  }
  const { count, rows, nulls, encoding, isCompressed } = newer;
  if (rows !== count || !(nulls >= 0 && nulls <= count)) {
    throw new Error('a page has other numbers of values, nulls and rows than it can have');
  }
  if (newer.repetitions !== 0) throw new Error('a page has repeated values');
  return { count, encoding, size, levels: { size: newer.levels, isCompressed, nulls } };
}

/**
 * The values of a page after its levels, and how many they are; `nulls` is marked where there is
 * none.
 */
function levelsOf(
  { count, size, levels }: DataPage,
  body: Uint8Array<ArrayBuffer>,
  context: OnePage,
  nulls: Uint8Array,
): { values: Cursor; count: number } {
  const { isOptional } = context;
  if (levels === undefined) {
    const values = cursorOf(plainPage(context, body, size, count));
    if (!isOptional || count === 0) return { values, count };
    const length = values.view.getUint32(0, true);
    const from = 4 + length;
    if (from > values.view.byteLength) throw new Error('a page has longer levels than bytes');
    const present = readLevels(restOf({ ...values, offset: 4 }).subarray(0, length), nulls);
    values.offset = from;
    return { values, count: present };
  }
  if (!(levels.size >= 0 && levels.size <= body.length && levels.size <= size)) {
    throw new Error(`a page has levels that do not fit into its ${body.length} bytes`);
  }
  if (!isOptional && levels.size > 0) throw new Error('a page has levels that it cannot need');
  const rest = body.subarray(levels.size);
  const plain = levels.isCompressed
    ? plainPage(context, rest, size - levels.size, count)
    : ofSize(rest, size - levels.size);
  const present = isOptional ? readLevels(body.subarray(0, levels.size), nulls) : count;
  if (present !== count - levels.nulls) {
    throw new Error(`a page has ${count - present} nulls where its header says ${levels.nulls}`);
  }
  return { values: cursorOf(plain), count: present };
}

/** Whether levels are one run of 1, as those of most pages are: there is nothing to mark then. */
function areAllPresent(levels: Uint8Array, rows: number): boolean {
  const cursor = cursorOf(levels);
  return (
    levels.length > 1 &&
    readVarint(cursor) === 2 * rows &&
    levels.length === cursor.offset + 1 &&
    levels[cursor.offset] === 1
  );
}

/** Marks rows whose level says "no value", and returns how many have one. */
function readLevels(levels: Uint8Array, nulls: Uint8Array): number {
  if (areAllPresent(levels, nulls.length)) return nulls.length;
  let present = 0;
  const cursor = cursorOf(levels);
  readRuns(cursor, 1, nulls.length, (first, levels) => {
    for (let i = 0; i < levels.length; i++) {
      const level = levels[i] as number;
      if (level > 1) throw new Error(`a page has a level of ${level}`);
      nulls[first + i] = 1 - level;
      present += level;
    }
  });
  if (restOf(cursor).length > 0) throw new Error('bytes follow the levels of a page');
  return present;
}

/** The values of a dictionary page: of one width, or of any length. */
type Dictionary = Uint8Array | VariableValues;

const memoryOfDictionary = (dictionary: Dictionary): number =>
  dictionary instanceof Uint8Array
    ? dictionary.length
    : dictionary.bytes.length + dictionary.offsets.byteLength;

function readDictionary(
  { dictionary: header, plainSize: size }: PageHeader,
  body: Uint8Array<ArrayBuffer>,
  context: OnePage,
): Dictionary {
  const { width, part } = context;
  if (header === undefined) throw new Error('a page has the header of another type of page');
  const { count, encoding } = header;
  if (encoding !== 'PLAIN' && encoding !== 'PLAIN_DICTIONARY') {
    throw new Error(`its dictionary has the encoding ${encoding}`);
  }
  if (width === undefined) {
    // Every entry takes 4 bytes for its length at least.
    if (!(count >= 0 && count <= size / 4)) {
      throw new Error(`its dictionary of ${count} has ${size} bytes`);
    }
    const entries = new TextBuilder(count, part);
    const cursor = cursorOf(plainPage(context, body, size, count));
    readPlainText(cursor, count, entries);
    if (restOf(cursor).length > 0) throw new Error(`bytes follow its dictionary of ${count}`);
    return entries.finish();
  }
  if (size !== count * width) throw new Error(`its dictionary of ${count} has ${size} bytes`);
  const plain = plainPage(context, body, size, count);
  part.take(size);
  // A copy begins at a multiple of its words.
  return plain.slice();
}

/** Reads the values of a page to the rows from `row` on that are not null. */
function readRows(
  { count, encoding }: DataPage,
  values: Cursor,
  dictionary: Dictionary | undefined,
  { chunk, type, width }: PageContext,
  { values: out, nulls }: Target,
  row: number,
  areWanted: AreWanted | undefined,
): void {
  // The older name of dictionary places is a name of dictionaries, too.
  const names = encoding.endsWith('_DICTIONARY')
    ? ['PLAIN_DICTIONARY', 'RLE_DICTIONARY']
    : [encoding];
  if (chunk.encodings.length > 0 && !names.some((name) => chunk.encodings.includes(name))) {
    throw new Error(`a page has the encoding ${encoding}, which its footer does not name`);
  }
  if (!(out instanceof Uint8Array) || width === undefined) {
    const page = { values, count, encoding, nulls, areWanted };
    (out as TextColumn).readPage(page, chunk, dictionary as VariableValues | undefined);
    return;
  }
  if (count === 0) return;
  const part = out.subarray(row * width, (row + nulls.length) * width);
  const read = decoderOf(encoding, dictionary as Uint8Array | undefined, type, areWanted);
  read(values, width, count, part.subarray(0, count * width));
  if (count < nulls.length) spread(part, width, count, nulls);
}

/** Moves `count` values from the front of `rows` to the rows that are not null; those get zeros. */
function spread(rows: Uint8Array, width: number, count: number, nulls: Uint8Array): void {
  // A word at a time is several times as fast as a byte at a time.
  const unit = (rows.byteOffset | width) % 4 === 0 ? 4 : 1;
  const units = unit === 4 ? new Uint32Array(rows.buffer, rows.byteOffset, rows.length / 4) : rows;
  const each = width / unit;
  let from = count * each;
  for (let at = nulls.length * each; at > 0; ) {
    const isNull = nulls[at / each - 1] === 1;
    for (let i = 0; i < each; i++) units[--at] = isNull ? 0 : (units[--from] as number);
  }
}

type Decoder = typeof readPlain;

/** @throws Error where the encoding is not known, or cannot be that of the column */
function decoderOf(
  encoding: string,
  dictionary: Uint8Array | undefined,
  type: ParquetType,
  areWanted: AreWanted | undefined,
): Decoder {
  switch (encoding) {
    case 'PLAIN':
      return type === 'BOOLEAN' ? readBits : readPlain;
    case 'RLE':
      if (type !== 'BOOLEAN') throw new Error('a page has runs of values that are no booleans');
      return readBooleanRuns;
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY':
      if (dictionary === undefined) throw new Error('a page needs a dictionary, but there is none');
      return (values, width, count, out) =>
        readDictionaryPlaces(values, dictionary, width, count, out, areWanted);
    case 'BYTE_STREAM_SPLIT':
      return readByteStreamSplit;
    case 'DELTA_BINARY_PACKED':
      if (type !== 'INT32' && type !== 'INT64')
        throw new Error('a page has differences of numbers that are no integers');
      return readDelta;
    default:
      throw new Error(`the encoding ${encoding} cannot be read`);
  }
}

/** Bytes that a page has at most beside its values when it is not compressed. */
const PAGE_EXTRA = 1 << 20;

/** The `size` bytes that `body`, a page of `count` values, has when it is not compressed. */
function plainPage(
  { chunk: { codec, size: chunkSize }, width, part }: OnePage,
  body: Uint8Array<ArrayBuffer>,
  size: number,
  count: number,
): Uint8Array {
  if (codec === 'UNCOMPRESSED') return ofSize(body, size);
  // Text may have any length; its chunk says how many bytes all pages have.
  const most = width === undefined ? chunkSize : count * (width + 8) + PAGE_EXTRA;
  if (!(size >= 0 && size <= most)) {
    throw new Error(`a page of ${count} values has another size than it can have`);
  }
  if (size === 0) return new Uint8Array();
  return ofSize(decompress(codec, body, size, part), size);
}

function ofSize<T extends Uint8Array>(bytes: T, size: number): T {
  if (bytes.length === size) return bytes;
  throw new Error(`a page has ${bytes.length} bytes, and not as many as its header says`);
}
