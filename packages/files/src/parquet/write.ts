/** Writes Parquet files: https://parquet.apache.org/docs/file-format/ */

import type { ColumnChunk, KeyValue, RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter as Library } from 'hyparquet-writer';
import { type ByteSink, giveTo } from '../source.js';
import type { StoredColumn } from '../stored/column.js';
import type { Layout } from '../table.js';
import type { EncodedGroup, GroupPlan } from './encode.js';
import { elementOf } from './type.js';

const MAGIC = new Uint8Array([0x50, 0x41, 0x52, 0x31]);

/** Writes one file to a sink, a row group at a time. */
export class ParquetWriter {
  readonly plan: GroupPlan;
  readonly #sink: ByteSink;
  readonly #metadata: readonly KeyValue[];
  readonly #groups: RowGroup[] = [];
  #at = 0;

  /**
   * @param columns the columns, for their names and types
   * @throws FileError for a type that Parquet does not have
   */
  constructor(sink: ByteSink, columns: readonly StoredColumn[], layout: Layout | undefined) {
    this.#sink = sink;
    const isOwn = layout?.format === 'parquet';
    const elements = isOwn ? layout.elements : columns.map(elementOf);
    this.plan = { format: 'parquet', elements };
    this.#metadata = isOwn ? layout.metadata : [];
  }

  async begin(): Promise<void> {
    await this.#write(MAGIC);
  }

  /** Writes a row group. */
  async write({ rows, chunks, pieces }: EncodedGroup): Promise<void> {
    const columns = chunks.map((chunk) => movedBy(BigInt(this.#at), chunk));
    const sizes = columns.map(({ meta_data }) => meta_data?.total_uncompressed_size ?? 0n);
    this.#groups.push({
      columns,
      total_byte_size: sizes.reduce((sum, size) => sum + size, 0n),
      num_rows: BigInt(rows),
    });
    for (const piece of pieces) {
      this.#at += piece.length;
      await giveTo(this.#sink, piece);
    }
  }

  async end(): Promise<void> {
    const { elements } = this.plan;
    const writer = new ByteWriter();
    const footer = new Library({
      writer,
      schema: [{ name: 'schema', num_children: elements.length }, ...elements.map(said)],
      createdBy: 'keysweep',
      ...(this.#metadata.length > 0 ? { kvMetadata: [...this.#metadata] } : {}),
    });
    footer.row_groups.push(...this.#groups);
    footer.num_rows = this.#groups.reduce((sum, { num_rows }) => sum + num_rows, 0n);
    await footer.finish();
    // The library begins with the magic word, which is at the start of the file already.
    await this.#write(writer.getBytes().subarray(MAGIC.length));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#at += bytes.length;
    await this.#sink.write(bytes);
  }
}

/** What is said of a chunk, with places in the file in place of those in its row group. */
function movedBy(start: bigint, { file_offset, meta_data: meta }: ColumnChunk): ColumnChunk {
  if (meta === undefined) throw new Error('a chunk has no metadata');
  const dictionary = meta.dictionary_page_offset;
  return {
    file_offset: start + file_offset,
    meta_data: {
      ...meta,
      data_page_offset: start + meta.data_page_offset,
      ...(dictionary === undefined ? {} : { dictionary_page_offset: start + dictionary }),
    },
  };
}

/** An element as it is written: integers by their older name, which all readers know. */
function said({ logical_type: logical, ...element }: SchemaElement): SchemaElement {
  if (logical?.type !== 'INTEGER') {
    return logical === undefined ? element : { ...element, logical_type: logical };
  }
  const name = `${logical.isSigned ? '' : 'U'}INT_${logical.bitWidth as 8 | 16 | 32 | 64}` as const;
  return { ...element, converted_type: name };
}
