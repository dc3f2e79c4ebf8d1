/** Reads a Parquet file's footer, and checks it against itself and against the size of the file. */

import {
  type ColumnMetaData,
  type FileMetaData,
  type KeyValue,
  parquetMetadata,
  type SchemaElement,
} from 'hyparquet';
import type { StepAccount } from '../memory.js';
import type { ByteSource } from '../source.js';
import { memoryOfStruct } from './thrift.js';

/** A part of a flat column: the pages of one row group. */
export interface Chunk {
  /** First byte and the byte after the last. */
  readonly start: number;
  readonly end: number;
  readonly rows: number;
  /** Bytes of all its pages when they are not compressed. */
  readonly size: number;
  /** Bytes of all its text, if the file says so, as newer ones do; otherwise of its pages. */
  readonly textSize: number;
  readonly codec: ColumnMetaData['codec'];
  /** The encodings that its pages may have; empty if the footer does not name them. */
  readonly encodings: readonly string[];
}

/** A column below the root. */
export interface Field {
  readonly element: SchemaElement;
  /** Whether each row has at most one value: a column that is neither nested nor repeated. */
  readonly isFlat: boolean;
  /** One for each row group; empty if the column is not flat. */
  readonly chunks: readonly Chunk[];
}

export interface Footer {
  readonly rows: number;
  /** What the writer of the file has noted in it, such as an Arrow schema. */
  readonly metadata: readonly KeyValue[];
  readonly fields: readonly Field[];
}

/** The last four bytes of a file. */
const MAGIC = 'PAR1';
/** Bytes of the metadata's length and of the magic word after it. */
const END = 8;

/** @throws Error that says how the footer contradicts itself, or the file's size */
export async function readFooter(source: ByteSource, account: StepAccount): Promise<Footer> {
  const { size } = source;
  const metadata = await readMetadata(source, account);
  const rows = countOf(metadata.num_rows, 'rows');
  const groupRows = metadata.row_groups.map((group) => countOf(group.num_rows, 'rows in a group'));
  const sum = groupRows.reduce((total, count) => total + count, 0);
  if (sum !== rows) {
    throw new Error(`its footer says ${rows} rows, but its row groups have ${sum}`);
  }
  const end = size - 8 - metadata.metadata_length;
  const parts = schemaOf(metadata.schema);
  const leaves = parts.reduce((total, part) => total + part.leaves, 0);
  for (const { columns } of metadata.row_groups) {
    if (columns.length !== leaves) {
      throw new Error(`its schema has ${leaves} columns, but a row group has ${columns.length}`);
    }
  }
  assertApart(metadata, end);
  return {
    rows,
    metadata: metadata.key_value_metadata ?? [],
    fields: parts.map(({ element, isFlat, leaf }) => ({
      element,
      isFlat,
      chunks: isFlat
        ? metadata.row_groups.map(({ columns }, group) =>
            chunkOf(columns[leaf]?.meta_data, element, groupRows[group] as number, end),
          )
        : [],
    })),
  };
}

/** The metadata as the library parses them. Their memory is counted before it is taken. */
async function readMetadata(
  { size, read }: ByteSource,
  account: StepAccount,
): Promise<FileMetaData> {
  if (size < 12) throw new Error(`it has ${size} bytes, too few for this format`);
  const end = await read(size - END, size);
  if (String.fromCharCode(...end.subarray(4)) !== MAGIC) {
    throw new Error(`it does not end with ${MAGIC}: it is cut short, or another file`);
  }
  const length = new DataView(end.buffer, end.byteOffset, END).getUint32(0, true);
  if (length > size - END) throw new Error('its footer is longer than the file');
  account.take(length);
  const bytes = await read(size - END - length, size);
  account.take(memoryOfStruct(bytes.subarray(0, length), 0));
  return parquetMetadata(bytes, { geoparquet: false });
}

interface Part {
  readonly element: SchemaElement;
  readonly isFlat: boolean;
  /** Place of its first leaf among all leaves, which is where each row group has its data. */
  readonly leaf: number;
  readonly leaves: number;
}

/** The columns below the root of a schema, which lists a tree depth first, the root included. */
function schemaOf([root, ...elements]: readonly SchemaElement[]): Part[] {
  const parts: Part[] = [];
  let next = 0;
  /** Walks over one element and what is below it; returns the number of leaves. */
  const walk = (): number => {
    const element = elements[next++];
    if (element === undefined) throw new Error('its schema ends too early');
    if (element.name === undefined) throw new Error('its schema has a column without a name');
    const children = element.num_children ?? 0;
    let leaves = children === 0 ? 1 : 0;
    for (let i = 0; i < children; i++) leaves += walk();
    return leaves;
  };
  let leaf = 0;
  for (let i = 0; i < (root?.num_children ?? 0); i++) {
    const element = elements[next];
    const leaves = walk();
    if (element === undefined) break;
    const isFlat = !element.num_children && element.repetition_type !== 'REPEATED';
    parts.push({ element, isFlat, leaf, leaves });
    leaf += leaves;
  }
  if (next !== elements.length) throw new Error('its schema has elements outside its root');
  return parts;
}

function chunkOf(
  meta: ColumnMetaData | undefined,
  element: SchemaElement,
  rows: number,
  dataEnd: number,
): Chunk {
  if (meta === undefined)
    throw new Error(`the data of column '${element.name}' is not in the file`);
  const { path_in_schema: path, type, codec, num_values } = meta;
  if (path.length !== 1 || path[0] !== element.name || type !== element.type) {
    throw new Error(
      `its schema has a column '${element.name}' of ${element.type ?? 'no type'}, ` +
        `where a row group has '${path.join('.')}' of ${type ?? 'no type'}`,
    );
  }
  const values = countOf(num_values, 'values');
  if (values !== rows) {
    throw new Error(`column '${element.name}' has ${values} values in a group of ${rows} rows`);
  }
  const { start, end } = rangeOf(meta, dataEnd);
  return {
    start,
    end,
    rows,
    size: Number(meta.total_uncompressed_size),
    textSize: Number(
      meta.size_statistics?.unencoded_byte_array_data_bytes ?? meta.total_uncompressed_size,
    ),
    codec,
    encodings: encodingsOf(meta),
  };
}

/** The encodings of a chunk's data pages, if the footer tells them from those of dictionaries. */
function encodingsOf({ encodings = [], encoding_stats: pages = [] }: ColumnMetaData): string[] {
  const data = pages.filter(({ page_type }) => page_type !== 'DICTIONARY_PAGE');
  return data.length > 0 ? data.map(({ encoding }) => encoding) : encodings;
}

/** Bytes of the file: the first, and the one after the last. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** The bytes of a column's data in one row group. */
function rangeOf(meta: ColumnMetaData, dataEnd: number): Range {
  // Some writers say 0 where there is no dictionary.
  const start = Number(meta.dictionary_page_offset || meta.data_page_offset);
  const end = start + Number(meta.total_compressed_size);
  if (!(start >= 4 && end >= start && end <= dataEnd)) {
    throw new Error(
      `its footer places column '${meta.path_in_schema.join('.')}' outside the data, ` +
        `which lies between the bytes 4 and ${dataEnd}`,
    );
  }
  return { start, end };
}

/** @throws Error where the data or the indexes of two columns, or of two groups, overlap */
function assertApart({ row_groups }: FileMetaData, dataEnd: number): void {
  const ranges = row_groups
    .flatMap(({ columns }) => columns)
    .flatMap((column) => [
      ...(column.meta_data === undefined ? [] : [rangeOf(column.meta_data, dataEnd)]),
      ...indexRange(column.column_index_offset, column.column_index_length, dataEnd),
      ...indexRange(column.offset_index_offset, column.offset_index_length, dataEnd),
    ])
    .sort((a, b) => a.start - b.start || a.end - b.end);
  ranges.forEach(({ start }, i) => {
    const before = ranges[i - 1];
    if (before !== undefined && before.end > start) {
      throw new Error(`its footer places two columns at the same bytes, from ${start} on`);
    }
  });
}

/** The bytes of an index, which a column need not have. It is not read. */
function indexRange(
  offset: bigint | undefined,
  length: number | undefined,
  dataEnd: number,
): Range[] {
  if (offset === undefined || length === undefined) return [];
  const start = Number(offset);
  const end = start + length;
  if (start >= 4 && end >= start && end <= dataEnd) return [{ start, end }];
  throw new Error('its footer places an index of its pages outside the file');
}

/** A count in the footer as a number. */
function countOf(count: bigint | number | undefined, what: string): number {
  const number = Number(count);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`its footer says ${count ?? 'nothing'} of the number of ${what}`);
}
