/** A row group of Parquet: the pages of every column, compressed by Snappy. */

import type { ColumnChunk, Encoding, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { FileError } from '../error.js';
import { compressSnappy } from '../snappy.js';
import {
  countNulls,
  type FixedValues,
  isValid,
  packed,
  type Stored,
  type StoredColumn,
  type VariableValues,
} from '../stored/column.js';
import { copyBytes, takeRows, withoutDictionary } from '../stored/take.js';
import { type Dictionary, dictionaryOf, usedEntries } from './dictionary.js';
import { pageHeader, type WrittenPage } from './page-header.js';

/** Bytes of a page at most, whose length is a signed number of 32 bits. */
const MAX_BYTES = 2 ** 31 - 1;

type Dense = FixedValues | VariableValues;

/** What all row groups of a file have in common. */
export interface GroupPlan {
  readonly format: 'parquet';
  /** One a column. */
  readonly elements: readonly SchemaElement[];
}

/** A row group. */
export interface EncodedGroup {
  readonly rows: number;
  /** What the footer says of each column, with places from the group's first byte on. */
  readonly chunks: readonly ColumnChunk[];
  /** The bytes of all columns, in memory of their own. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
}

/** Encodes a row group: a part of every column. */
export function encodeGroup(plan: GroupPlan, columns: readonly StoredColumn[]): EncodedGroup {
  const chunks: ColumnChunk[] = [];
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (const [i, column] of columns.entries()) {
    const { bytes, chunk } = chunkOf(column, plan.elements[i] as SchemaElement, at);
    chunks.push(chunk);
    pieces.push(bytes);
    at += bytes.length;
  }
  return { rows: columns[0]?.rows ?? 0, chunks, pieces };
}

/** The pages of a part of a column, which begin `start` bytes after their row group. */
function chunkOf(
  column: StoredColumn,
  element: SchemaElement,
  start: number,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly chunk: ColumnChunk } {
  const { values, dictionary, valid, nulls } = encode(column, element);
  const pages: Page[] = [];
  if (dictionary !== undefined) {
    const plain = plainBytes(dictionary.entries, column.name);
    pages.push(pageOf(column.name, plain, new Uint8Array(), { count: dictionary.count }));
  }
  const dataAt = start + lengthOf(pages);
  const encoding: Encoding = dictionary === undefined ? 'PLAIN' : 'RLE_DICTIONARY';
  const levels =
    element.repetition_type === 'REQUIRED' ? new Uint8Array() : levelsOf(column.rows, valid, nulls);
  const body = dictionary === undefined ? valuesOf(values, column, element) : placesIn(dictionary);
  pages.push(
    pageOf(column.name, body, levels, {
      data: {
        count: column.rows,
        nulls,
        rows: column.rows,
        encoding,
        levels: levels.length,
        repetitions: 0,
        isCompressed: true,
      },
    }),
  );
  const bytes = new Uint8Array(lengthOf(pages));
  let at = 0;
  for (const piece of pages.flatMap(({ pieces }) => pieces)) {
    bytes.set(piece, at);
    at += piece.length;
  }
  const chunk: ColumnChunk = {
    file_offset: BigInt(start),
    meta_data: {
      type: element.type as NonNullable<SchemaElement['type']>,
      encodings: dictionary === undefined ? ['PLAIN', 'RLE'] : ['PLAIN', 'RLE', 'RLE_DICTIONARY'],
      path_in_schema: [element.name],
      codec: 'SNAPPY',
      num_values: BigInt(column.rows),
      total_uncompressed_size: BigInt(pages.reduce((sum, { size }) => sum + size, 0)),
      total_compressed_size: BigInt(bytes.length),
      data_page_offset: BigInt(dataAt),
      ...(dictionary === undefined ? {} : { dictionary_page_offset: BigInt(start) }),
    },
  };
  return { bytes, chunk };
}

/** A page: its header, levels and body; `size` is that of all when it is not compressed. */
interface Page {
  readonly pieces: readonly Uint8Array[];
  readonly size: number;
}

const lengthOf = (pages: readonly Page[]): number =>
  pages.flatMap(({ pieces }) => pieces).reduce((sum, { length }) => sum + length, 0);

/** A part of a column as it is written. */
type Encoded = Pick<Stored, 'valid'> & {
  readonly nulls: number;
} & (
    | { readonly dictionary: Dictionary; readonly values?: undefined }
    | { readonly dictionary: undefined; readonly values: Dense }
  );

/** A dictionary that the column has already is written without a look at its texts. */
function encode(column: StoredColumn, element: SchemaElement): Encoded {
  const { valid } = column;
  const used = usedEntries(column);
  if (used !== undefined) {
    const entries = physical(used.entries, column, element);
    return { dictionary: { ...used, entries }, valid, nulls: countNulls(valid, column.rows) };
  }
  const flat = withoutDictionary(column);
  const nulls = countNulls(flat.valid, flat.rows);
  const values = physical(withoutNulls(flat, nulls), column, element);
  const dictionary = element.type === 'BOOLEAN' ? undefined : dictionaryOf(values);
  const rest = { valid: flat.valid, nulls };
  return dictionary === undefined ? { dictionary, values, ...rest } : { dictionary, ...rest };
}

/** The values of the rows that have one. */
function withoutNulls(stored: Stored, nulls: number): Dense {
  const { values } = stored;
  if (values.kind === 'dictionary') throw new Error('a dictionary has another one within it');
  if (nulls === 0) return values;
  const order = new Uint32Array(stored.rows - nulls);
  for (let row = 0, next = 0; row < stored.rows; row++) {
    if (isValid(stored.valid, row)) order[next++] = row;
  }
  return takeRows({ ...stored, valid: undefined }, order).values as Dense;
}

/** Values as pages have them: integers of 32 bits at least, wide decimals big-endian. */
function physical(values: Dense, { type }: StoredColumn, element: SchemaElement): Dense {
  if (values.kind === 'variable' || element.type === 'BOOLEAN') return values;
  const { bytes, width } = values;
  if (element.type === 'INT32' && width < 4) {
    const isSigned = type.kind === 'integer' && type.isSigned;
    const narrow =
      width === 1
        ? new (isSigned ? Int8Array : Uint8Array)(bytes.buffer, bytes.byteOffset, bytes.length)
        : new (isSigned ? Int16Array : Uint16Array)(
            bytes.buffer,
            bytes.byteOffset,
            bytes.length / 2,
          );
    return { kind: 'fixed', width: 4, bytes: new Uint8Array(Int32Array.from(narrow).buffer) };
  }
  if (type.kind !== 'decimal' || element.type !== 'FIXED_LEN_BYTE_ARRAY') return values;
  const length = element.type_length ?? width;
  const out = new Uint8Array((bytes.length / width) * length);
  for (let from = 0, to = 0; from < bytes.length; from += width, to += length) {
    for (let i = 0; i < length; i++) out[to + i] = bytes[from + length - 1 - i] as number;
  }
  return { kind: 'fixed', width: length, bytes: out };
}

/** Definition levels, a bit a row: one run where all rows are alike, else the bitmap itself. */
function levelsOf(rows: number, valid: Stored['valid'], nulls: number): Uint8Array {
  const writer = new ByteWriter();
  if (valid === undefined || nulls === 0 || nulls === rows) {
    writer.appendVarInt(rows * 2);
    writer.appendUint8(nulls === rows && rows > 0 ? 0 : 1);
  } else {
    writer.appendVarInt(((rows + 7) >> 3) * 2 + 1);
    writer.appendBytes(valid);
  }
  return writer.getBytes();
}

/** What follows the levels in a data page without a dictionary. */
function valuesOf(values: Dense, { name }: StoredColumn, { type }: SchemaElement): Uint8Array {
  return type === 'BOOLEAN' ? packed(values.bytes) : plainBytes(values, name);
}

/** The same with a dictionary. */
function placesIn({ places, count }: Dictionary): Uint8Array {
  const bits = Math.max(1, 32 - Math.clz32(count - 1));
  const writer = new ByteWriter(2 + 5 + Math.ceil((places.length * bits) / 8) + bits);
  writer.appendUint8(bits);
  if (places.length > 0) {
    writer.appendVarInt(Math.ceil(places.length / 8) * 2 + 1);
    writer.appendBytes(packBits(places, bits));
  }
  return writer.getBytes();
}

/** `places` in `bits` bits each, at most 16, in whole groups of 8. */
function packBits(places: Uint32Array, bits: number): Uint8Array {
  const out = new Uint8Array(Math.ceil(places.length / 8) * bits);
  let held = 0;
  let holds = 0;
  let next = 0;
  for (let i = 0; i < places.length; i++) {
    held |= (places[i] as number) << holds;
    holds += bits;
    while (holds >= 8) {
      out[next++] = held;
      held >>>= 8;
      holds -= 8;
    }
  }
  if (holds > 0) out[next] = held;
  return out;
}

/** Values one after the other; text after its length of 4 bytes. */
function plainBytes(values: Dense, name: string): Uint8Array {
  if (values.kind === 'fixed') return values.bytes;
  const { offsets, bytes } = values;
  const rows = offsets.length - 1;
  const size = bytes.length + 4 * rows;
  if (size > MAX_BYTES) {
    throw new FileError(`column '${name}' has over 2 GiB of text in one row group of ${rows} rows`);
  }
  const out = new Uint8Array(size);
  const view = new DataView(out.buffer);
  for (let row = 0, at = 0; row < rows; row++) {
    const [start, end] = [offsets[row] as number, offsets[row + 1] as number];
    view.setUint32(at, end - start, true);
    at = copyBytes(bytes, start, end, out, at + 4);
  }
  return out;
}

/** Pages of more bytes are compressed only if it is worth its time. */
const SMALL = 2 ** 16;
/** Samples of a page, and bytes of each. */
const SAMPLES = 4;
const SAMPLE = 2 ** 12;
/** The most that samples keep of their size where it is worth it. */
const WORTH = 0.85;

/**
 * `plain` compressed; undefined where samples of it hardly shrink, as those of random numbers.
 * Compression takes longer than all other work on such a page, and readers wait for it, too.
 */
function compressed(plain: Uint8Array): Uint8Array | undefined {
  if (plain.length > SMALL) {
    let size = 0;
    for (let i = 0; i < SAMPLES; i++) {
      const at = Math.floor(((plain.length - SAMPLE) / (SAMPLES - 1)) * i);
      size += compressSnappy(plain.subarray(at, at + SAMPLE)).length;
    }
    if (size > WORTH * SAMPLES * SAMPLE) return undefined;
  }
  return compressSnappy(plain);
}

function pageOf(name: string, plain: Uint8Array, levels: Uint8Array, page: WrittenPage): Page {
  const { data } = page;
  // A dictionary's page has no word for "not compressed".
  const packed = data === undefined ? compressSnappy(plain) : compressed(plain);
  const body = packed ?? plain;
  const size = levels.length + plain.length;
  if (size > MAX_BYTES) throw new FileError(`column '${name}' has over 2 GiB in one row group`);
  const isCompressed = packed !== undefined;
  const written = data === undefined ? page : { data: { ...data, isCompressed } };
  const header = pageHeader(written, size, levels.length + body.length);
  return { pieces: [header, levels, body], size: header.length + size };
}
