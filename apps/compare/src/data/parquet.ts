/** Columns of numbers of a Parquet file; only the chosen one is read. */

import {
  type DecodedArray,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { KeyArray, KeyType } from 'keysweep';
import { arrayClassOf, bytesOf, isKeyType } from '../keys.js';
import { type Column, nullMessage, type Table } from './table.js';

export async function openParquet(file: File): Promise<Table> {
  const buffer = {
    byteLength: file.size,
    slice: (start: number, end?: number) => file.slice(start, end).arrayBuffer(),
  };
  const metadata = await parquetMetadataAsync(buffer);
  const rows = Number(metadata.num_rows);
  const columns = parquetSchema(metadata).children.map(({ element, children }): Column => {
    const { name, type, logical_type: logical, converted_type: converted } = element;
    if (children.length > 0 || element.repetition_type === 'REPEATED') {
      return { name, type: 'nested', keyType: undefined, rows };
    }
    const meaning = logical?.type ?? converted;
    return {
      name,
      type: meaning === undefined ? `${type}` : `${type} (${meaning})`,
      keyType: keyTypeOf(element),
      rows,
    };
  });
  return {
    columns,
    async read(name) {
      const keyType = columns.find((column) => column.name === name)?.keyType;
      if (keyType === undefined) throw new Error(`column ${name} has no numbers`);
      const scan = await parquetScan({
        file: buffer,
        metadata: withoutMeaning(metadata),
        columns: [name],
        compressors,
        utf8: false,
      });
      const keys = new (arrayClassOf(keyType))(rows);
      for (const { rowStart, rowEnd } of scan.ranges) {
        store(name, await scan.readColumn({ column: name, rowStart, rowEnd }), keys, rowStart);
      }
      return keys;
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
      return isKeyType(name) ? name : undefined;
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

/** Writes stored values into `keys` from `start` on: integers modulo the width of a key. */
function store(name: string, data: DecodedArray, keys: KeyArray, start: number): void {
  if (Array.isArray(data)) {
    const missing = data.findIndex((value) => value === null || value === undefined);
    if (missing !== -1) throw new Error(nullMessage(name, start + missing));
  }
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
