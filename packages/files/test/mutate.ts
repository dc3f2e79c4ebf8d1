/** Files of every kind, and damage to them. */

import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type CommonKeyType, Random } from '@keysweep/conformance/data';
import type { TypedArray } from '@keysweep/core';
import { makeVector, Table, tableToIPC } from 'apache-arrow';
import type { CompressionCodec, Encoding } from 'hyparquet';
import { parquetMetadata } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { bytesOf, type Format, npyHeader } from '../src/index.js';
import { randomColumn } from './columns.js';

export interface Sample {
  readonly name: string;
  readonly how: Format;
  readonly column: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly keys: TypedArray;
  /**
   * Which bytes hold values and nothing else. A file with other values is another file, and nothing
   * in it says so.
   */
  readonly content: Uint8Array;
}

/** In every sample that is a table. Arrow's are in two batches, the first of 1000. */
export const ROWS = 2500;
const TYPES = ['u8', 'i32', 'f32', 'u64', 'i64', 'f64'] as const;

/** The column of every sample: values that repeat, which a dictionary and differences shorten. */
function keysOf(keyType: CommonKeyType, seed: number): TypedArray {
  const drawn = randomColumn(keyType, 40, seed);
  const random = new Random(seed);
  return randomColumn(keyType, ROWS, seed).map(
    (value) => (random.below(4) === 0 ? value : drawn[random.below(40)]) as never,
  ) as TypedArray;
}

export function rawSamples(seed: number): Sample[] {
  return TYPES.map((keyType) => {
    const keys = keysOf(keyType, seed);
    const bytes = bytesOf(keys).slice();
    const how = { format: 'raw', keyType } as const;
    const content = new Uint8Array(bytes.length).fill(1);
    return { name: `raw ${keyType}`, how, column: 'values', bytes, keys, content };
  });
}

export function npySamples(seed: number): Sample[] {
  return TYPES.map((keyType) => {
    const keys = keysOf(keyType, seed);
    const header = npyHeader(keyType, keys.length);
    const bytes = joined(header, bytesOf(keys));
    const content = new Uint8Array(bytes.length).fill(1, header.length);
    const how = { format: 'npy' } as const;
    return { name: `NumPy ${keyType}`, how, column: 'values', bytes, keys, content };
  });
}

const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const CODECS: readonly CompressionCodec[] = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI'];
const ENCODINGS: readonly Encoding[] = [
  'PLAIN',
  'RLE_DICTIONARY',
  'DELTA_BINARY_PACKED',
  'BYTE_STREAM_SPLIT',
];
const ELEMENTS = {
  u8: { type: 'INT32', converted_type: 'UINT_8' },
  i32: { type: 'INT32' },
  f32: { type: 'FLOAT' },
  u64: { type: 'INT64', converted_type: 'UINT_64' },
  i64: { type: 'INT64' },
  f64: { type: 'DOUBLE' },
} as const;

/** A file of two columns for each type, encoding and compression. */
export function parquetSamples(seed: number): Sample[] {
  return TYPES.flatMap((keyType) =>
    ENCODINGS.filter(
      (encoding) => encoding !== 'DELTA_BINARY_PACKED' || !keyType.startsWith('f'),
    ).flatMap((encoding) =>
      // Brotli's decoder takes a tenth of a second for each file.
      CODECS.filter(
        (codec) => codec !== 'BROTLI' || (keyType === 'i32' && encoding === 'PLAIN'),
      ).map((codec, i) => parquetSample(keyType, encoding, codec, i % 2 === 0, seed)),
    ),
  );
}

function parquetSample(
  keyType: keyof typeof ELEMENTS,
  encoding: Encoding,
  codec: CompressionCodec,
  isOptional: boolean,
  seed: number,
): Sample {
  const keys = keysOf(keyType, seed);
  const repetition_type = isOptional ? 'OPTIONAL' : 'REQUIRED';
  const columns = ['before', 'x'].map((name) => ({ name, data: [...keys] as never, encoding }));
  const bytes = new Uint8Array(
    parquetWriteBuffer({
      columnData: columns,
      schema: [
        { name: 'root', num_children: columns.length },
        ...columns.map(({ name }) => ({ name, ...ELEMENTS[keyType], repetition_type })),
      ] as never,
      rowGroupSize: 1000,
      pageSize: 2000,
      codec,
      compressors: {
        GZIP: (input) => new Uint8Array(gzipSync(input)),
        BROTLI: (input) => new Uint8Array(brotliCompressSync(input, QUICKLY)),
      },
    }),
  );

  const name = `Parquet ${keyType} ${encoding} ${codec} ${repetition_type}`;
  const content = pageBodies(bytes);
  return { name, how: { format: 'parquet' }, column: 'x', bytes, keys, content };
}

function pageBodies(bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  const content = new Uint8Array(bytes.length);
  for (const { columns } of parquetMetadata(bytes).row_groups) {
    for (const { meta_data: meta } of columns) {
      if (meta === undefined) continue;
      const start = Number(meta.dictionary_page_offset ?? meta.data_page_offset);
      const reader = { view: new DataView(bytes.buffer), offset: start };
      while (reader.offset < start + Number(meta.total_compressed_size)) {
        const { compressed_page_size: size } = parquetHeader(reader);
        content.fill(1, reader.offset, reader.offset + size);
        reader.offset += size;
      }
    }
  }
  return content;
}

/** A file and a stream of two batches for each type. */
export function arrowSamples(seed: number): Sample[] {
  return TYPES.flatMap((keyType) =>
    (['file', 'stream'] as const).map((kind) => {
      const keys = keysOf(keyType, seed);
      const part = (from: number, to: number): Table => {
        const data = keys.slice(from, to) as Int32Array;
        // Arrays of their own: the writer would write one that two columns share only once.
        return new Table({ before: makeVector(data.slice()), x: makeVector(data) });
      };
      const table = part(0, 1000).concat(part(1000, ROWS));
      const bytes = new Uint8Array(tableToIPC(table, kind));
      const content = new Uint8Array(bytes.length);
      for (const batch of [keys.slice(0, 1000), keys.slice(1000)]) markAll(bytes, batch, content);
      if (kind === 'stream') markLengths(bytes, content);
      const how = { format: 'arrow' } as const;
      return { name: `Arrow ${kind} ${keyType}`, how, column: 'x', bytes, keys, content };
    }),
  );
}

/** Marks every place of `values` in `bytes`: the columns' buffers, which are as they are. */
function markAll(bytes: Uint8Array, values: TypedArray, content: Uint8Array): void {
  const wanted = Buffer.from(bytesOf(values));
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = whole.indexOf(wanted); at !== -1; at = whole.indexOf(wanted, at + 1)) {
    content.fill(1, at, at + wanted.length);
  }
}

/**
 * Marks the length that each message of a stream begins with. Nothing else in the stream says where
 * the values begin: another length may skip a batch, or read the words behind its values.
 */
function markLengths(bytes: Uint8Array, content: Uint8Array): void {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  for (let at = words.indexOf(-1); at !== -1; at = words.indexOf(-1, at + 1)) {
    if (content[4 * at] === 0) content.fill(1, 4 * (at + 1), 4 * (at + 2));
  }
}

/** A damaged file, and whether bytes that hold values are among those that changed. */
export interface Mutant {
  readonly what: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isContentChanged: boolean;
}

/** Damages a copy of a file in one to three ways; most of them away from its values. */
export function mutate(
  { bytes: original, content }: Pick<Sample, 'bytes' | 'content'>,
  random: Random,
): Mutant {
  const size = original.length;
  const structure: number[] = [];
  content.forEach((isValue, at) => {
    if (isValue === 0) structure.push(at);
  });
  const place = (): number =>
    structure.length > 0 && random.below(5) > 0
      ? (structure[random.below(structure.length)] as number)
      : random.below(size);
  let bytes = original.slice();
  // Marks go with their bytes when some are put in or taken out.
  let marks = content.slice();
  let isContentChanged = false;
  const done: string[] = [];
  const view = (): DataView => new DataView(bytes.buffer);
  const ways: (() => void)[] = [
    () => {
      const at = place() % bytes.length;
      bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
      done.push(`bit of byte ${at}`);
    },
    () => {
      const at = place() % bytes.length;
      bytes[at] = [0, 0xff, 0x7f, 0x80, random.below(256)][random.below(5)] as number;
      done.push(`byte ${at}`);
    },
    () => {
      const at = place() % bytes.length;
      bytes[at] = (bytes[at] as number) + [1, -1, 2, -2][random.below(4)]!;
      done.push(`byte ${at} a little`);
    },
    () => {
      const at = Math.max(0, Math.min(place(), bytes.length - 4));
      if (bytes.length < 4) return;
      const word = view().getInt32(at, true);
      const words = [word >> 1, word * 2, -word, -1, 0x7fffffff, word + 8, word - 8];
      view().setInt32(at, words[random.below(words.length)] as number, true);
      done.push(`word at ${at}`);
    },
    () => {
      // A number that may be a length or a place becomes another one that may be.
      const places = numbersIn(bytes, marks);
      const at = places[random.below(places.length)];
      if (at === undefined) return;
      const own = view().getInt32(at, true);
      const other = view().getInt32(places[random.below(places.length)] as number, true);
      const size = bytes.length;
      const numbers = [0, own + 1, own - 1, 2 * own, other, size, size - at, size + 1, 2 ** 31 - 1];
      view().setInt32(at, numbers[random.below(numbers.length)] as number, true);
      done.push(`number at ${at}`);
    },
    () => {
      // What a field says, or its name, is put in the place of another's.
      const [at, from] = [place() % bytes.length, place() % bytes.length];
      bytes[at] = bytes[from] as number;
      done.push(`byte ${from} to ${at}`);
    },
    () => {
      const to = random.below(bytes.length);
      bytes = bytes.slice(0, to);
      marks = marks.slice(0, to);
      done.push(`end from ${to}`);
    },
    () => {
      const from = random.below(bytes.length);
      const to = from + 1 + random.below(16);
      bytes = joined(bytes.subarray(0, from), bytes.subarray(to));
      isContentChanged ||= marks.subarray(from, to).includes(1);
      marks = joined(marks.subarray(0, from), marks.subarray(to));
      done.push(`bytes ${from} to ${to} out`);
    },
    () => {
      const at = random.below(bytes.length);
      const more = Uint8Array.from({ length: 1 + random.below(16) }, () => random.below(256));
      bytes = joined(bytes.subarray(0, at), more, bytes.subarray(at));
      isContentChanged ||= marks[at - 1] === 1 && marks[at] === 1;
      marks = joined(marks.subarray(0, at), new Uint8Array(more.length), marks.subarray(at));
      done.push(`${more.length} bytes in at ${at}`);
    },
    () => {
      const at = place() % bytes.length;
      bytes.copyWithin(at, random.below(bytes.length), random.below(bytes.length));
      done.push(`a copy to ${at}`);
    },
    () => {
      const from = random.below(bytes.length);
      const to = from + 1 + random.below(200);
      const at = random.below(bytes.length);
      isContentChanged ||= marks[at - 1] === 1 && marks[at] === 1;
      const twice = bytes.slice(from, to);
      bytes = joined(bytes.subarray(0, at), twice, bytes.subarray(at));
      marks = joined(marks.subarray(0, at), new Uint8Array(twice.length), marks.subarray(at));
      done.push(`bytes ${from} to ${to} again at ${at}`);
    },
  ];
  // Small damage is what a careless reader believes.
  const small = 6;
  for (let i = [1, 1, 1, 2, 3][random.below(5)] as number; i > 0 && bytes.length > 0; i--) {
    const before = bytes.slice();
    ways[random.below(4) > 0 ? random.below(small) : random.below(ways.length)]?.();
    if (bytes.length !== before.length) continue;
    isContentChanged ||= bytes.some((byte, at) => marks[at] === 1 && byte !== before[at]);
  }
  return { what: done.join(', '), bytes, isContentChanged };
}

/** Places of numbers of 4 bytes, away from values, that may count bytes of the file. */
function numbersIn(bytes: Uint8Array, marks: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const places: number[] = [];
  for (let at = 0; at + 4 <= bytes.length; at++) {
    const number = view.getInt32(at, true);
    if (marks[at] === 0 && number > 0 && number <= bytes.length) places.push(at);
  }
  return places;
}

function joined(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
