/** Numeric columns of a Parquet file. */

import { KEY_TYPES, type KeyArray, type KeyType } from '@keysweep/core';
import {
  type AsyncBuffer,
  type DecodedArray,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { bytesOf, keyArrayClass } from './keys.js';
import type { ByteSource } from './source.js';
import { type Column, findColumn, nullError, type OnProgress, type Table } from './table.js';

/** Reads the footer; a column is read from the source when it is asked for. */
export async function openParquet(source: ByteSource, onProgress?: OnProgress): Promise<Table> {
  const buffer = asyncBufferOf(source);
  const metadata = await parquetMetadataAsync(buffer);
  const rows = Number(metadata.num_rows);
  const columns = parquetSchema(metadata).children.map(({ element, children }) =>
    columnOf(element, children.length > 0, rows),
  );
  return {
    columns,
    async read(name) {
      const { keyType } = findColumn(source.name, columns, name);
      const scan = await parquetScan({
        file: buffer,
        metadata: withoutMeaning(metadata),
        columns: [name],
        compressors,
        utf8: false,
      });
      const keys = new (keyArrayClass(keyType))(rows);
      for (const { rowStart, rowEnd } of scan.ranges) {
        const data = await scan.readColumn({ column: name, rowStart, rowEnd });
        const nullAt = firstNull(data);
        if (nullAt !== -1) throw nullError(source.name, name, rowStart + nullAt);
        store(data, keys, rowStart);
        onProgress?.({ completed: rowEnd, total: rows, unit: 'rows' });
      }
      return keys;
    },
  };
}

/** The source as the library reads files. */
function asyncBufferOf(source: ByteSource): AsyncBuffer {
  return {
    byteLength: source.size,
    async slice(start, end = source.size) {
      const bytes = await source.read(start, end);
      const isWhole = bytes.byteLength === bytes.buffer.byteLength;
      return isWhole ? bytes.buffer : bytes.slice().buffer;
    },
  };
}

/** The file as if it held plain numbers: a timestamp then arrives as the integer it is. */
function withoutMeaning(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map(
    ({ converted_type: _converted, logical_type: _logical, ...element }) => element,
  );
  return { ...metadata, schema };
}

function columnOf(element: SchemaElement, isNested: boolean, rows: number): Column {
  const { name, type, logical_type: logical, converted_type: converted } = element;
  if (isNested || element.repetition_type === 'REPEATED') {
    return { name, type: 'nested', keyType: undefined, rows };
  }
  const meaning = logical?.type ?? converted;
  return {
    name,
    type: meaning === undefined ? `${type}` : `${type} (${meaning})`,
    keyType: keyTypeOf(element),
    rows,
  };
}

/** The key type with the bits and the order of a column; older files have `converted_type` only. */
function keyTypeOf({ type, logical_type, converted_type }: SchemaElement): KeyType | undefined {
  switch (type) {
    case 'INT32':
    case 'INT64': {
      const [, unsigned, bits] = /^(U?)INT_(\d+)$/.exec(converted_type ?? '') ?? [];
      const name =
        logical_type?.type === 'INTEGER'
          ? `${logical_type.isSigned ? 'i' : 'u'}${logical_type.bitWidth}`
          : `${unsigned ? 'u' : 'i'}${bits ?? (type === 'INT32' ? 32 : 64)}`;
      return KEY_TYPES.find((keyType) => keyType === name);
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

/** Index of the first null, or −1. Typed arrays cannot hold one. */
function firstNull(data: DecodedArray): number {
  if (!Array.isArray(data)) return -1;
  return data.findIndex((value) => value === null || value === undefined);
}

/** Writes stored values into `keys` from `start` on: integers modulo the width of a key. */
function store(data: DecodedArray, keys: KeyArray, start: number): void {
  if (data[0] instanceof Uint8Array) {
    // Float16 has no number of its own in the file format, but two bytes.
    const bytes = bytesOf(keys);
    const width = keys.BYTES_PER_ELEMENT;
    for (let i = 0; i < data.length; i++) bytes.set(data[i], (start + i) * width);
    return;
  }
  // The stored numbers are bigints exactly where `keys` is an array of bigints.
  (keys as { set(values: ArrayLike<unknown>, offset: number): void }).set(data, start);
}
