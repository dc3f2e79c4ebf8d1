/** Numeric columns of a Parquet file. */

import type { KeyArray, KeyType } from '@keysweep/core';
import {
  asyncBufferFromFile,
  type DecodedArray,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { failureOf } from '../failure.js';
import { arrayClassOf, asBytes } from '../keys.js';
import { type Column, type ColumnField, findField, nullFailure } from './column.js';

/** Called with the rows read so far, over all columns, and the rows there are. */
export type OnRows = (completed: number, total: number) => void;

/**
 * The columns called `names` of the Parquet file at `path`. Dates, times and decimals are the
 * integers that they are stored as.
 * @throws Failure when the file or a column cannot be read, is not numeric or has nulls.
 */
export async function readParquet(
  path: string,
  names: readonly string[],
  onRows: OnRows,
): Promise<Column[]> {
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    const fields = parquetSchema(metadata).children.map(({ element, children }) =>
      fieldOf(element, children.length > 0),
    );
    const wanted = names.map((name) => findField(path, fields, name));
    const scan = await parquetScan({
      file,
      metadata: withoutMeaning(metadata),
      columns: [...names],
      compressors,
      utf8: false,
    });
    const rows = Number(metadata.num_rows);
    const columns: Column[] = [];
    for (const { name, keyType } of wanted) {
      const keys = new (arrayClassOf(keyType))(rows);
      for (const { rowStart, rowEnd } of scan.ranges) {
        const data = await scan.readColumn({ column: name, rowStart, rowEnd });
        const nullAt = firstNull(data);
        if (nullAt !== -1) throw nullFailure(path, name, rowStart + nullAt);
        store(data, keys, rowStart);
        onRows(columns.length * rows + rowEnd, names.length * rows);
      }
      columns.push({ name, keyType, keys });
    }
    return columns;
  } catch (error) {
    throw failureOf(`cannot read '${path}' as Parquet`, error);
  }
}

/** The file as if it held plain numbers: a timestamp then arrives as the integer it is. */
function withoutMeaning(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map(
    ({ converted_type: _converted, logical_type: _logical, ...element }) => element,
  );
  return { ...metadata, schema };
}

function fieldOf(element: SchemaElement, isNested: boolean): ColumnField {
  const { name, type, logical_type: logical, converted_type: converted } = element;
  if (isNested || element.repetition_type === 'REPEATED') {
    return { name, type: 'nested', keyType: undefined };
  }
  const meaning = logical?.type ?? converted;
  return {
    name,
    type: meaning === undefined ? `${type}` : `${type} (${meaning})`,
    keyType: keyTypeOf(element),
  };
}

/** The key type with the bits and the order of a column; older files have `converted_type` only. */
function keyTypeOf({ type, logical_type, converted_type }: SchemaElement): KeyType | undefined {
  switch (type) {
    case 'INT32':
    case 'INT64': {
      const width = type === 'INT32' ? 32 : 64;
      if (logical_type?.type === 'INTEGER') {
        const { isSigned, bitWidth } = logical_type;
        return `${isSigned ? 'i' : 'u'}${bitWidth}` as KeyType;
      }
      const [, unsigned, bits] = /^(U?)INT_(\d+)$/.exec(converted_type ?? '') ?? [];
      return `${unsigned ? 'u' : 'i'}${bits ?? width}` as KeyType;
    }
    case 'FLOAT':
      return 'f32';
    case 'DOUBLE':
      return 'f64';
    case 'FIXED_LEN_BYTE_ARRAY':
      return logical_type?.type === 'FLOAT16' ? 'f16' : undefined;
    default:
      return undefined;
  }
}

/** Index of the first null, or −1. Typed arrays can't hold one. */
function firstNull(data: DecodedArray): number {
  if (!Array.isArray(data)) return -1;
  return data.findIndex((value) => value === null || value === undefined);
}

/** Writes stored values into `keys` from `start` on: integers modulo the width of a key. */
function store(data: DecodedArray, keys: KeyArray, start: number): void {
  if (data[0] instanceof Uint8Array) {
    // Float16 has no number of its own in the file format, but two bytes.
    const bytes = asBytes(keys);
    const width = keys.BYTES_PER_ELEMENT;
    for (let i = 0; i < data.length; i++) bytes.set(data[i], (start + i) * width);
    return;
  }
  // The stored numbers are bigints exactly where `keys` is an array of bigints.
  (keys as { set(values: ArrayLike<unknown>, offset: number): void }).set(data, start);
}
