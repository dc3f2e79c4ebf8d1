/** Writes Arrow files: https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format */

import { FileError } from '../error.js';
import { type ByteSink, giveTo } from '../source.js';
import {
  type ColumnType,
  countNulls,
  type FixedValues,
  packed,
  type Stored,
  type StoredColumn,
  type TimeUnit,
  type VariableValues,
  widthOf,
} from '../stored/column.js';
import { copyBytes, withoutDictionary } from '../stored/take.js';
import type { Layout } from '../table.js';
import { type FlatFields, type FlatValue, writeFlat } from './flat-writer.js';
import { INLINE } from './parts.js';
import { type Field, TYPE_NUMBERS } from './schema.js';

/** Version 5 of the metadata. */
const VERSION: FlatValue = { int16: 4 };
const [SCHEMA, DICTIONARY_BATCH, RECORD_BATCH] = [1, 2, 3];
const MAGIC = new Uint8Array([0x41, 0x52, 0x52, 0x4f, 0x57, 0x31]);

/** What the writer needs to know of a column of the schema. */
type Shape = Pick<Field, 'text' | 'dictionary'> & {
  /** Whether decimals are written in 16 bytes, which all readers know. */
  readonly isWide?: boolean;
};

/** What all batches of a file have in common. */
export interface BatchPlan {
  readonly format: 'arrow';
  /** One a column. */
  readonly shapes: readonly Shape[];
}

/** A batch of rows: a message. */
export interface EncodedBatch {
  /** The bytes of its metadata with what is before them, and of its body. */
  readonly sizes: readonly [metadata: number, body: number];
  /** All bytes, in memory of their own. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
}

/** Writes one file to a sink, batch by batch. */
export class ArrowWriter {
  readonly plan: BatchPlan;
  readonly #sink: ByteSink;
  readonly #schema: FlatValue;
  readonly #blocks: { dictionaries: number[][]; batches: number[][] };
  #at = 0;

  /**
   * @param columns the columns, for their names and types, and for dictionaries
   * @throws FileError for a type that Arrow does not have
   */
  constructor(sink: ByteSink, columns: readonly StoredColumn[], layout: Layout | undefined) {
    this.#sink = sink;
    this.#blocks = { dictionaries: [], batches: [] };
    if (layout?.format === 'arrow') {
      this.#schema = { copied: layout.schema };
      this.plan = { format: 'arrow', shapes: layout.fields };
    } else {
      this.#schema = { table: schemaOf(columns) };
      const shapes = columns.map(({ type }) => ({
        text: widthOf(type) === undefined ? ('usual' as const) : undefined,
        dictionary: undefined,
        isWide: true,
      }));
      this.plan = { format: 'arrow', shapes };
    }
  }

  /** Writes what comes before the rows: the schema, and the dictionaries of `columns`. */
  async begin(columns: readonly StoredColumn[]): Promise<void> {
    await this.#write([MAGIC, new Uint8Array(2)]);
    await this.#message(SCHEMA, this.#schema, []);
    const written = new Set<number>();
    for (const [i, { dictionary }] of this.plan.shapes.entries()) {
      const values = columns[i]?.values;
      if (dictionary === undefined || values?.kind !== 'dictionary') continue;
      if (written.has(dictionary.id)) continue;
      written.add(dictionary.id);
      const { entries } = values;
      const body: Uint8Array[] = [];
      const batch = batchOf(
        entries.rows,
        [[entries, columns[i] as StoredColumn, dictionary.entries]],
        body,
      );
      const header = { table: [{ int64: dictionary.id }, { table: batch }] };
      this.#blocks.dictionaries.push(await this.#message(DICTIONARY_BATCH, header, body));
    }
  }

  /** Writes a batch of rows. */
  async write({ sizes, pieces }: EncodedBatch): Promise<void> {
    this.#blocks.batches.push([this.#at, ...sizes]);
    for (const piece of pieces) {
      this.#at += piece.length;
      await giveTo(this.#sink, piece);
    }
  }

  async end(): Promise<void> {
    await this.#write([new Uint8Array([255, 255, 255, 255, 0, 0, 0, 0])]);
    const { dictionaries, batches } = this.#blocks;
    const footer = writeFlat([VERSION, this.#schema, blocksOf(dictionaries), blocksOf(batches)]);
    await this.#write([footer, new Uint8Array(Uint32Array.of(footer.length).buffer), MAGIC]);
  }

  /** Writes a message, and returns where it is: its offset, and the sizes of its two parts. */
  async #message(type: number, header: FlatValue, body: readonly Uint8Array[]): Promise<number[]> {
    const at = this.#at;
    const { sizes, pieces } = messageOf(type, header, body);
    await this.#write(pieces);
    return [at, ...sizes];
  }

  async #write(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      this.#at += piece.length;
      if (piece.length > 0) await this.#sink.write(piece);
    }
  }
}

/** Encodes the rows of a part of every column. */
export function encodeBatch(plan: BatchPlan, columns: readonly StoredColumn[]): EncodedBatch {
  const body: Uint8Array[] = [];
  const parts = columns.map((column, i) => {
    const shape = plan.shapes[i] as Shape;
    const stored = shape.dictionary === undefined ? withoutDictionary(column) : column;
    return [stored, column, shape] as const;
  });
  const header = { table: batchOf(columns[0]?.rows ?? 0, parts, body) };
  const { sizes, pieces } = messageOf(RECORD_BATCH, header, body);
  // All of them were made here, so nobody else needs them.
  return { sizes, pieces: pieces as Uint8Array<ArrayBuffer>[] };
}

/** A message, and the sizes of its two parts. */
function messageOf(
  type: number,
  header: FlatValue,
  body: readonly Uint8Array[],
): { readonly sizes: EncodedBatch['sizes']; readonly pieces: Uint8Array[] } {
  const size = body.reduce((sum, { length }) => sum + padded(length), 0);
  const metadata = writeFlat([VERSION, { uint8: type }, header, { int64: size }]);
  const prefix = new Uint8Array(Uint32Array.of(0xffffffff, metadata.length).buffer);
  const padding = (length: number): Uint8Array => new Uint8Array(-length & 7);
  const pieces = [
    prefix,
    metadata,
    ...body.flatMap((buffer) => [buffer, padding(buffer.length)]),
  ].filter(({ length }) => length > 0);
  return { sizes: [8 + metadata.length, size], pieces };
}

/** Buffers begin at multiples of 8 bytes. */
const padded = (length: number): number => (length + 7) & ~7;

/** A table `RecordBatch`; the buffers are appended to `body`. */
function batchOf(
  rows: number,
  parts: readonly (readonly [Stored, StoredColumn, Shape])[],
  body: Uint8Array[],
): FlatFields {
  const nodes: number[] = [];
  const variadic: number[] = [];
  for (const [stored, column, shape] of parts) {
    const nulls = countNulls(stored.valid, stored.rows);
    nodes.push(stored.rows, nulls);
    body.push(nulls === 0 || stored.valid === undefined ? new Uint8Array() : stored.valid);
    const buffers = buffersOf(stored, column, shape);
    body.push(...buffers);
    if (shape.text === 'views' && shape.dictionary === undefined) variadic.push(buffers.length - 1);
  }
  let at = 0;
  const places = body.flatMap(({ length }) => {
    const place = [at, length];
    at += padded(length);
    return place;
  });
  return [
    { int64: rows },
    { structs: int64s(nodes), count: nodes.length / 2 },
    { structs: int64s(places), count: body.length },
    undefined,
    variadic.length === 0 ? undefined : { structs: int64s(variadic), count: variadic.length },
  ];
}

const int64s = (numbers: readonly number[]): Uint8Array =>
  new Uint8Array(BigInt64Array.from(numbers, BigInt).buffer);

function blocksOf(blocks: readonly number[][]): FlatValue {
  const numbers = blocks.flatMap(([at = 0, metadata = 0, body = 0]) => [at, metadata, body]);
  return { structs: int64s(numbers), count: blocks.length };
}

/** The buffers of a column behind its validity. */
function buffersOf({ values, rows }: Stored, column: StoredColumn, shape: Shape): Uint8Array[] {
  switch (values.kind) {
    case 'dictionary':
      return [values.places.bytes];
    case 'fixed':
      if (column.type.kind === 'boolean') return [packed(values.bytes)];
      if (column.type.kind === 'decimal' && shape.isWide) return [widened(values)];
      return [values.bytes];
    case 'variable':
      if (shape.text === 'views') return viewsOf(values, rows);
      return [offsetsOf(values, rows, column.name, shape.text === 'large'), values.bytes];
  }
}

/** Signed little-endian integers in 16 bytes. */
function widened({ bytes, width }: FixedValues): Uint8Array {
  if (width === 16) return bytes;
  const out = new Uint8Array((bytes.length / width) * 16);
  for (let from = 0, to = 0; from < bytes.length; from += width, to += 16) {
    const isNegative = (bytes[from + width - 1] as number) >= 0x80;
    out.fill(isNegative ? 0xff : 0, to, to + 16);
    copyBytes(bytes, from, from + width, out, to);
  }
  return out;
}

function offsetsOf(
  { offsets }: VariableValues,
  rows: number,
  name: string,
  isLarge: boolean,
): Uint8Array {
  if (isLarge) return new Uint8Array(BigInt64Array.from(offsets, BigInt).buffer);
  if ((offsets[rows] as number) < 2 ** 31) return new Uint8Array(offsets.buffer);
  throw new FileError(`column '${name}' has over 2 GiB of text in one batch of ${rows} rows`);
}

/** Views: a length, then the bytes, or the first 4 of them and where all are. */
function viewsOf({ offsets, bytes }: VariableValues, rows: number): Uint8Array[] {
  const out = new Uint8Array(16 * rows);
  const view = new DataView(out.buffer);
  let isApart = false;
  for (let row = 0; row < rows; row++) {
    const [start, end] = [offsets[row] as number, offsets[row + 1] as number];
    view.setUint32(16 * row, end - start, true);
    const isInline = end - start <= INLINE;
    copyBytes(bytes, start, isInline ? end : start + 4, out, 16 * row + 4);
    if (isInline) continue;
    isApart = true;
    view.setUint32(16 * row + 12, start, true);
  }
  return isApart ? [out, bytes] : [out];
}

/** A schema for columns that come from another format. Fields stand in the order of slots.ts. */
function schemaOf(columns: readonly StoredColumn[]): FlatFields {
  const fields = columns.map((column): FlatFields => {
    const { name, type, isNullable } = column;
    return [
      { text: name },
      { uint8: isNullable ? 1 : 0 },
      { uint8: TYPE_NUMBERS[type.kind] },
      { table: parametersOf(name, type) },
      undefined,
      { tables: [] },
    ];
  });
  return [{ int16: 0 }, { tables: fields }];
}

const unit = (of: TimeUnit): FlatValue => ({ int16: ['s', 'ms', 'us', 'ns'].indexOf(of) });

function parametersOf(name: string, type: ColumnType): FlatFields {
  switch (type.kind) {
    case 'integer':
      return [{ int32: type.bits }, { uint8: type.isSigned ? 1 : 0 }];
    case 'float':
      return [{ int16: [16, 32, 64].indexOf(type.bits) }];
    case 'decimal':
      return [{ int32: type.precision }, { int32: type.scale }, { int32: 128 }];
    case 'date':
      return [{ int16: type.unit === 'day' ? 0 : 1 }];
    case 'time':
      return [unit(type.unit), { int32: type.unit === 's' || type.unit === 'ms' ? 32 : 64 }];
    case 'timestamp':
      return [unit(type.unit), type.zone === undefined ? undefined : { text: type.zone }];
    case 'duration':
      return [unit(type.unit)];
    case 'fixed binary':
      if (type.isOrdered) return [{ int32: type.width }];
      throw new FileError(`column '${name}' cannot be written as Arrow: its type is unknown there`);
    default:
      return [];
  }
}
