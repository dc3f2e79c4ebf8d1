/** The pages of one column in one row group. */

import type { PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { compressors } from 'hyparquet-compressors';
import {
  type Cursor,
  cursorOf,
  readByteStreamSplit,
  readDelta,
  readDictionaryPlaces,
  readPlain,
  readRuns,
  restOf,
} from './encodings.js';
import type { Chunk } from './footer.js';

/** What pages do not say themselves. */
export interface PageContext {
  readonly chunk: Chunk;
  /** Bytes of a value as the file stores it: 2, 4 or 8. */
  readonly width: number;
  readonly isInteger: boolean;
  /** Whether rows may have no value. */
  readonly isOptional: boolean;
}

/** A row without a value; it counts from the first of the row group. */
export class NullRow extends Error {
  constructor(readonly row: number) {
    super(`row ${row} is null`);
  }
}

/**
 * Decodes `bytes`, a chunk, to `out`: the stored values of its rows, one after the other.
 * @throws NullRow at the first row without a value; Error where the pages are not as they should be
 */
export function readPages(
  bytes: Uint8Array<ArrayBuffer>,
  context: PageContext,
  out: Uint8Array<ArrayBuffer>,
): void {
  const { chunk, width } = context;
  const cursor = cursorOf(bytes);
  let dictionary: Uint8Array | undefined;
  let rows = 0;
  while (cursor.offset < bytes.length) {
    const header = parquetHeader(cursor);
    const { type, compressed_page_size: size = -1 } = header;
    if (!(size >= 0 && size <= bytes.length - cursor.offset)) {
      throw new Error("a page's length does not fit into its column's data");
    }
    const body = bytes.subarray(cursor.offset, cursor.offset + size);
    cursor.offset += size;
    if (type === 'DICTIONARY_PAGE') {
      if (dictionary !== undefined || rows > 0) throw new Error('a dictionary is out of its place');
      dictionary = readDictionary(header, body, context);
    } else if (type === 'DATA_PAGE' || type === 'DATA_PAGE_V2') {
      const page = dataPageOf(header);
      if (!(page.count >= 0 && page.count <= chunk.rows - rows)) {
        throw new Error(`a page has other values than the ${chunk.rows - rows} that are left`);
      }
      const { values, nullAt } = levelsOf(page, body, context);
      if (nullAt !== -1) throw new NullRow(rows + nullAt);
      const part = out.subarray(rows * width, (rows + page.count) * width);
      readValues(page, values, dictionary, context, part);
      rows += page.count;
    } else if (type !== 'INDEX_PAGE') {
      throw new Error('a page has an unknown type');
    }
  }
  if (rows !== chunk.rows) {
    throw new Error(`its pages have ${rows} values for ${chunk.rows} rows`);
  }
}

/** What both kinds of data pages say. */
interface DataPage {
  readonly count: number;
  readonly encoding: string | undefined;
  /** Bytes of the whole page when it is not compressed. */
  readonly size: number;
  /** Bytes of the levels in front, which are never compressed; undefined in the older kind. */
  readonly levels: { readonly size: number; readonly isCompressed: boolean } | undefined;
}

function dataPageOf(header: PageHeader): DataPage {
  const { data_page_header: older, data_page_header_v2: newer } = header;
  const size = header.uncompressed_page_size;
  if (header.type === 'DATA_PAGE' && older !== undefined) {
    return { count: older.num_values, encoding: older.encoding, size, levels: undefined };
  }
  if (header.type !== 'DATA_PAGE_V2' || newer === undefined) {
    throw new Error('a page has the header of another type of page');
  }
  const { num_values, num_rows, num_nulls, encoding, is_compressed = true } = newer;
  if (num_rows !== num_values || !(num_nulls >= 0 && num_nulls <= num_values)) {
    throw new Error('a page has other numbers of values, nulls and rows than it can have');
  }
  if (newer.repetition_levels_byte_length !== 0) throw new Error('a page has repeated values');
  const levels = { size: newer.definition_levels_byte_length, isCompressed: is_compressed };
  return { count: num_values, encoding, size, levels };
}

/** The values of a page after its levels, and the first row that is null or −1. */
function levelsOf(
  { count, size, levels }: DataPage,
  body: Uint8Array<ArrayBuffer>,
  { chunk, isOptional }: PageContext,
): { values: Cursor; nullAt: number } {
  if (levels === undefined) {
    const values = cursorOf(decompress(chunk, body, size, count));
    if (!isOptional || count === 0) return { values, nullAt: -1 };
    const length = values.view.getUint32(0, true);
    const from = 4 + length;
    if (from > values.view.byteLength) throw new Error('a page has longer levels than bytes');
    const nullAt = firstNull(restOf({ ...values, offset: 4 }).subarray(0, length), count);
    values.offset = from;
    return { values, nullAt };
  }
  if (!(levels.size >= 0 && levels.size <= body.length && levels.size <= size)) {
    throw new Error(`a page has levels that do not fit into its ${body.length} bytes`);
  }
  if (!isOptional && levels.size > 0) throw new Error('a page has levels that it cannot need');
  const rest = body.subarray(levels.size);
  const plain = levels.isCompressed
    ? decompress(chunk, rest, size - levels.size, count)
    : ofSize(rest, size - levels.size);
  const nullAt = isOptional ? firstNull(body.subarray(0, levels.size), count) : -1;
  return { values: cursorOf(plain), nullAt };
}

/** The first of `count` levels that says "no value", or −1. */
function firstNull(levels: Uint8Array, count: number): number {
  let nullAt = -1;
  readRuns(cursorOf(levels), 1, count, (row, level) => {
    if (level > 1) throw new Error(`a page has a level of ${level}`);
    if (level === 0 && nullAt === -1) nullAt = row;
  });
  return nullAt;
}

function readDictionary(
  { dictionary_page_header: header, uncompressed_page_size: size }: PageHeader,
  body: Uint8Array<ArrayBuffer>,
  { chunk, width }: PageContext,
): Uint8Array {
  const { num_values: count = -1, encoding } = header ?? {};
  if (encoding !== 'PLAIN' && encoding !== 'PLAIN_DICTIONARY') {
    throw new Error(`its dictionary has the encoding ${encoding ?? 'of no name'}`);
  }
  if (size !== count * width) throw new Error(`its dictionary of ${count} has ${size} bytes`);
  // A copy begins at a multiple of its words.
  return decompress(chunk, body, size, count).slice();
}

function readValues(
  { count, encoding = 'of an unknown number' }: DataPage,
  values: Cursor,
  dictionary: Uint8Array | undefined,
  { chunk, width, isInteger }: PageContext,
  out: Uint8Array<ArrayBuffer>,
): void {
  // The older name of dictionary places is a name of dictionaries, too.
  const names = encoding.endsWith('_DICTIONARY')
    ? ['PLAIN_DICTIONARY', 'RLE_DICTIONARY']
    : [encoding];
  if (chunk.encodings.length > 0 && !names.some((name) => chunk.encodings.includes(name))) {
    throw new Error(`a page has the encoding ${encoding}, which its footer does not name`);
  }
  if (count === 0) return;
  const read = decoderOf(encoding, dictionary, isInteger);
  read(values, width, count, out);
}

type Decoder = typeof readPlain;

/** @throws Error where the encoding is not known, or cannot be that of the column */
function decoderOf(
  encoding: string,
  dictionary: Uint8Array | undefined,
  isInteger: boolean,
): Decoder {
  switch (encoding) {
    case 'PLAIN':
      return readPlain;
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY':
      if (dictionary === undefined) throw new Error('a page needs a dictionary, but there is none');
      return (values, width, count, out) =>
        readDictionaryPlaces(values, dictionary, width, count, out);
    case 'BYTE_STREAM_SPLIT':
      return readByteStreamSplit;
    case 'DELTA_BINARY_PACKED':
      if (!isInteger) throw new Error('a page has differences of numbers that are no integers');
      return readDelta;
    default:
      throw new Error(`the encoding ${encoding} cannot be read`);
  }
}

/** Bytes that a value takes at most when it is not compressed, and what a page has beside them. */
const MOST_BYTES = 16;
const PAGE_EXTRA = 1 << 20;

/** The `size` bytes that `body`, a page of `count` values, has when it is not compressed. */
function decompress(
  { codec }: Chunk,
  body: Uint8Array<ArrayBuffer>,
  size: number,
  count: number,
): Uint8Array {
  if (codec === 'UNCOMPRESSED') return ofSize(body, size);
  if (!(size >= 0 && size <= count * MOST_BYTES + PAGE_EXTRA)) {
    throw new Error(`a page of ${count} values has another size than it can have`);
  }
  if (size === 0) return new Uint8Array();
  const decompressor = compressors[codec];
  if (decompressor === undefined) {
    throw new Error(`the compression ${codec ?? 'of no name'} cannot be read`);
  }
  return ofSize(decompressor(body, size), size);
}

function ofSize<T extends Uint8Array>(bytes: T, size: number): T {
  if (bytes.length === size) return bytes;
  throw new Error(`a page has ${bytes.length} bytes, and not as many as its header says`);
}
