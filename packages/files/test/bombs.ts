/** Small files that claim, or become, gigabytes. */

import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import {
  Table as ArrowTable,
  CompressionType,
  compressionRegistry,
  RecordBatchFileWriter,
  tableFromArrays,
  tableToIPC,
  Utf8View,
  vectorFromArray,
} from 'apache-arrow';
import type { CompressionCodec, Encoding, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { Format } from '../src/index.js';

export interface Bomb {
  readonly name: string;
  readonly how: Format;
  readonly bytes: Uint8Array;
  /** What its message says, beside the file's name; undefined for one about memory. */
  readonly message?: RegExp;
}

type PageHeader = Parameters<typeof writePageHeader>[1];

/** A page of a Parquet file, and what it says of itself. */
export interface Page {
  readonly header: Partial<PageHeader>;
  readonly body: Uint8Array;
  /** What it says that it has without compression. */
  readonly size?: number;
}

/** A number in groups of 7 bits. */
function varint(number: number): number[] {
  const bytes: number[] = [];
  let left = number;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80);
  return [...bytes, left];
}

/** A run of `count` times one value of one byte, as pages have it. */
export const run = (count: number, value: number): number[] => [...varint(count * 2), value];

export const dictionaryPage = (count: number, body: Uint8Array, size?: number): Page => ({
  header: {
    type: 'DICTIONARY_PAGE',
    dictionary_page_header: { num_values: count, encoding: 'PLAIN' },
  },
  body,
  ...(size === undefined ? {} : { size }),
});

export const dataPage = (
  count: number,
  encoding: Encoding,
  bytes: readonly number[] | Uint8Array,
  { size, levels = 0, nulls = 0 }: { size?: number; levels?: number; nulls?: number } = {},
): Page => ({
  header: {
    type: 'DATA_PAGE_V2',
    data_page_header_v2: {
      num_values: count,
      num_nulls: nulls,
      num_rows: count,
      encoding,
      definition_levels_byte_length: levels,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  },
  body: Uint8Array.from(bytes),
  ...(size === undefined ? {} : { size }),
});

/** A file of `columns` columns that are all alike: each of `rows` rows in the given pages. */
export function parquetFile(
  element: Partial<SchemaElement>,
  rows: number,
  pages: readonly Page[],
  { codec = 'UNCOMPRESSED', columns = 1 }: { codec?: CompressionCodec; columns?: number } = {},
): Uint8Array {
  const file = new ByteWriter();
  file.appendBytes(Uint8Array.from(Buffer.from('PAR1')));
  const names = Array.from({ length: columns }, (_, i) => (i === 0 ? 'x' : `x${i}`));
  const chunks = names.map((name) => {
    const start = file.offset;
    let whole = 0;
    for (const { header, body, size = body.length } of pages) {
      whole += size;
      writePageHeader(file, {
        ...header,
        uncompressed_page_size: size,
        compressed_page_size: body.length,
      } as PageHeader);
      file.appendBytes(body);
    }
    return {
      file_offset: BigInt(start),
      meta_data: {
        type: element.type as NonNullable<SchemaElement['type']>,
        encodings: [],
        path_in_schema: [name],
        codec,
        num_values: BigInt(rows),
        total_uncompressed_size: BigInt(whole + 100),
        total_compressed_size: BigInt(file.offset - start),
        data_page_offset: BigInt(start),
      },
    };
  });
  writeMetadata(file, {
    version: 2,
    schema: [
      { name: 'root', num_children: columns },
      ...names.map((name) => ({ repetition_type: 'REQUIRED' as const, ...element, name })),
    ],
    num_rows: BigInt(rows),
    row_groups: [{ columns: chunks, total_byte_size: 0n, num_rows: BigInt(rows) }],
    metadata_length: 0,
  });
  file.appendBytes(Uint8Array.from(Buffer.from('PAR1')));
  return file.getBytes().slice();
}

const INT64 = { type: 'INT64' } as const;
const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
const NUMBER = new Uint8Array(8);

/** `count` rows that all have one number, or one text: what a writer makes of such a column. */
export const sameNumbers = (count: number, columns = 1): Uint8Array =>
  parquetFile(
    INT64,
    count,
    [dictionaryPage(1, NUMBER), dataPage(count, 'RLE_DICTIONARY', [1, ...run(count, 0)])],
    { columns },
  );

export function sameTexts(count: number, text: string): Uint8Array {
  const entry = Buffer.concat([Buffer.alloc(4), Buffer.from(text)]);
  entry.writeUInt32LE(text.length);
  return parquetFile(TEXT, count, [
    dictionaryPage(1, entry),
    dataPage(count, 'RLE_DICTIONARY', [1, ...run(count, 0)]),
  ]);
}

/** The same with a plain page at the end, because of which no dictionary holds all rows. */
export function mixedTexts(count: number, text: string): Uint8Array {
  const entry = Buffer.concat([Buffer.alloc(4), Buffer.from(text)]);
  entry.writeUInt32LE(text.length);
  return parquetFile(TEXT, count + 1, [
    dictionaryPage(1, entry),
    dataPage(count, 'RLE_DICTIONARY', [1, ...run(count, 0)]),
    dataPage(1, 'PLAIN', entry),
  ]);
}

/** A frame of ZSTD: what it says of its content or its window, and blocks of one byte each. */
export function zstdFrame(
  says: { readonly content: number } | { readonly window: number },
  blocks: number,
): Buffer {
  const mark = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
  const header = Buffer.alloc('content' in says ? 5 : 2);
  if ('content' in says) {
    header[0] = 0xa0;
    header.writeUInt32LE(says.content, 1);
  } else header[1] = (Math.log2(says.window) - 10) << 3;
  const body = Array.from({ length: blocks }, (_, i) => {
    const block = Buffer.alloc(4);
    block.writeUIntLE((131072 << 3) | 2 | Number(i === blocks - 1), 0, 3);
    return block;
  });
  return Buffer.concat([mark, header, ...body]);
}

/** Lists in lists, each of which claims 2^25 elements, as Thrift writes them. */
const LISTS = [0x19, ...Array.from({ length: 9 }, () => [0xf9, ...varint(2 ** 25 - 1)]).flat()];

function footerOf(bytes: readonly number[]): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([Buffer.from('PAR1'), Uint8Array.from(bytes), length, Buffer.from('PAR1')]);
}

const ZEROS = 150_000_000;
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** A text column of one page, which says that it has `size` bytes. */
const packedText = (codec: CompressionCodec, body: Uint8Array, size: number): Uint8Array =>
  parquetFile(TEXT, 1, [dataPage(1, 'PLAIN', body, { size })], { codec });

export function parquetBombs(): Bomb[] {
  const how = { format: 'parquet' } as const;
  const body = new Uint8Array(40);
  const claims = (['SNAPPY', 'GZIP', 'LZ4', 'LZ4_RAW', 'BROTLI', 'ZSTD'] as const).map(
    (codec): [string, Uint8Array, RegExp?] => [
      `a page of ${codec} that claims 2 GB`,
      packedText(codec, codec === 'ZSTD' ? zstdFrame({ content: 2e9 }, 1) : body, 2e9),
    ],
  );
  const bombs: [string, Uint8Array, RegExp?][] = [
    ['4 * 10^8 equal numbers', sameNumbers(4e8)],
    [
      '2 * 10^9 booleans in one run',
      parquetFile({ type: 'BOOLEAN' }, 2e9, [
        dataPage(2e9, 'RLE', [6, 0, 0, 0, ...run(2e9, 1)].slice(0, 10)),
      ]),
    ],
    [
      '4 * 10^8 nulls',
      parquetFile({ ...INT64, repetition_type: 'OPTIONAL' }, 4e8, [
        dataPage(4e8, 'PLAIN', run(4e8, 0), { levels: 6, nulls: 4e8 }),
      ]),
    ],
    [
      'a text that 75,000 rows repeat, before one that is plain',
      mixedTexts(75_000, 'x'.repeat(40_000)),
    ],
    [
      'values of 2^30 bytes',
      parquetFile({ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2 ** 30 }, 4, []),
    ],
    [
      'a dictionary that claims 4 * 10^8 texts',
      parquetFile(TEXT, 1, [dictionaryPage(4e8, body, 2e9)], { codec: 'SNAPPY' }),
    ],
    ...claims,
    ['zeros in gzip', packedText('GZIP', gzipSync(Buffer.alloc(ZEROS), { level: 1 }), ZEROS)],
    [
      'zeros in Brotli, in a page that says 1000 bytes',
      packedText('BROTLI', brotliCompressSync(Buffer.alloc(ZEROS), QUICKLY), 1000),
      /a page has more bytes than its header says/,
    ],
    [
      'a frame of ZSTD of 1 GB, in a page that says 1000 bytes',
      packedText('ZSTD', zstdFrame({ window: 2 ** 20 }, 8000), 1000),
    ],
    ['a window of ZSTD of 1 GB', packedText('ZSTD', zstdFrame({ window: 2 ** 30 }, 1), 131072)],
    ['lists in a footer', footerOf(LISTS), /what it says of its data/],
    [
      'lists in the header of a page',
      withPage(parquetFile(INT64, 1, [dataPage(1, 'PLAIN', new Uint8Array(200))]), LISTS),
      /what it says of its data/,
    ],
    [
      'a footer of 4 * 10^5 empty columns',
      footerOf([0x29, 0xfc, ...varint(4e5), ...Array(4e5 + 1).fill(0)]),
    ],
  ];
  return bombs.map(([name, bytes, message]) => ({
    name,
    how,
    bytes,
    ...(message === undefined ? {} : { message }),
  }));
}

/** The file with other bytes where its first page begins. */
function withPage(file: Uint8Array, bytes: readonly number[]): Uint8Array {
  file.set(bytes, 4);
  return file;
}

/** An Arrow file of `rows` 64-bit numbers whose buffers are all `compressed`. */
export function zstdArrow(rows: number, compressed: Uint8Array): Uint8Array {
  compressionRegistry.set(CompressionType.ZSTD, { encode: () => compressed });
  return new RecordBatchFileWriter({ compressionType: CompressionType.ZSTD })
    .writeAll(tableFromArrays({ x: new BigInt64Array(rows) }))
    .toUint8Array(true)
    .slice();
}

/** A text as views, of which every row has all of it: it is once in the file. */
export function sameViews(rows: number, text: string): Uint8Array {
  const texts = Array.from({ length: rows }, (_, row) => (row === 0 ? text : 'a'));
  const table = new ArrowTable({ x: vectorFromArray(texts, new Utf8View()) });
  const bytes = Buffer.from(tableToIPC(table, 'file'));
  const first = Buffer.alloc(16);
  first.writeUInt32LE(text.length);
  first.write(text.slice(0, 4), 4, 'latin1');
  const at = bytes.indexOf(first);
  if (at === -1) throw new Error('the views are not where they were');
  for (let row = 1; row < rows; row++) first.copy(bytes, at + 16 * row);
  return new Uint8Array(bytes);
}

/** A stream whose schema has fields that all have the same ten fields below them, and so on. */
function sharedFields(depth: number): Uint8Array {
  const bytes = Buffer.alloc(4096);
  let at = 0;
  /** A table of words and places of words, which says where its `fields` are. */
  const table = (fields: readonly (number | undefined)[]): { at: number; slots: number[] } => {
    const size = 4 + 2 * fields.length;
    const start = at;
    bytes.writeUInt16LE(size, start);
    bytes.writeUInt16LE(4 + 4 * fields.length, start + 2);
    const own = start + Math.ceil(size / 4) * 4;
    fields.forEach((field, i) => {
      bytes.writeUInt16LE(field === undefined ? 0 : 4 + 4 * i, start + 4 + 2 * i);
    });
    bytes.writeInt32LE(own - start, own);
    at = own + 4 + 4 * fields.length;
    fields.forEach((field, i) => {
      bytes.writeUInt32LE(field ?? 0, own + 4 + 4 * i);
    });
    return { at: own, slots: fields.map((_, i) => own + 4 + 4 * i) };
  };
  const point = (from: number, to: number): void => void bytes.writeUInt32LE(to - from, from);
  at = 16;
  // A message of version 5 with a schema.
  const message = table([4, 1, 0]);
  bytes.writeUInt32LE(message.at - 8, 8);
  bytes.writeInt32LE(-1, 0);
  let { slots } = table([undefined, 0]);
  point(message.slots[2] as number, (slots[0] as number) - 4);
  let list = slots[1] as number;
  for (let level = 0; level <= depth; level++) {
    const count = level === depth ? 0 : 10;
    point(list, at);
    bytes.writeUInt32LE(count, at);
    const places = Array.from({ length: count }, (_, i) => at + 4 + 4 * i);
    at += 4 + 4 * count;
    if (count === 0) break;
    // A struct, whose type has no fields of its own.
    const field = table([undefined, 0, 13, 0, undefined, 0]);
    for (const place of places) point(place, field.at);
    slots = field.slots;
    const type = table([]);
    point(slots[3] as number, type.at);
    list = slots[5] as number;
  }
  const end = Math.ceil(at / 8) * 8;
  bytes.writeUInt32LE(end - 8, 4);
  return Uint8Array.from(bytes.subarray(0, end));
}

export function arrowBombs(): Bomb[] {
  const how = { format: 'arrow' } as const;
  const twice = Buffer.from(sameViews(2, 'y'.repeat(20)));
  return [
    {
      name: 'a buffer of ZSTD that claims 2 GB',
      how,
      bytes: zstdArrow(3, zstdFrame({ content: 2e9 }, 1)),
    },
    {
      name: 'a buffer of ZSTD that becomes 1 GB',
      how,
      bytes: zstdArrow(5000, zstdFrame({ window: 2 ** 20 }, 8000)),
    },
    { name: 'views that overlap', how, bytes: sameViews(20_000, 'x'.repeat(150_000)) },
    { name: 'fields that share their fields', how, bytes: sharedFields(9) },
    {
      name: 'a file that is two files',
      how,
      bytes: Buffer.concat([twice.subarray(0, -10), twice]),
      message: /cannot read 'in' as Arrow/,
    },
  ];
}

export function numberBombs(): Bomb[] {
  const header = "{'descr': '<i8', 'fortran_order': False, 'shape': (9007199254740991,), }\n";
  const length = Buffer.alloc(2);
  length.writeUInt16LE(header.length);
  const start = Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), length]);
  const npy = Buffer.concat([start, Buffer.from(header), Buffer.alloc(64)]);
  const long = Buffer.from(npy);
  long[6] = 2;
  long.writeUInt32LE(0xffffffff, 8);
  const how = { format: 'npy' } as const;
  return [
    {
      name: 'a NumPy file that claims 2^53 values',
      how,
      bytes: npy,
      message: /its header says 9007199254740991 values of i64, but 64 bytes follow it/,
    },
    {
      name: 'a NumPy file that claims a header of 4 GB',
      how,
      bytes: long,
      message: /its header is longer than the file/,
    },
  ];
}
