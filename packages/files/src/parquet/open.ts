/** Numeric columns of a Parquet file. */

import { KEY_TYPES, type KeyArray, type KeyType } from '@keysweep/core';
import type { SchemaElement } from 'hyparquet';
import { allocateKeys, bytesOf } from '../keys.js';
import type { ByteSource } from '../source.js';
import { type Column, findColumn, nullError, type OnProgress, type Table } from '../table.js';
import { type Field, readFooter } from './footer.js';
import { NullRow, readPages } from './pages.js';

/** Reads the footer; a column is read from the source when it is asked for. */
export async function openParquet(source: ByteSource, onProgress?: OnProgress): Promise<Table> {
  const { rows, fields } = await readFooter(source);
  const columns = fields.map((field) => columnOf(field, rows));
  return {
    columns,
    async read(name) {
      const column = findColumn(source.name, columns, name);
      const { element, chunks } = fields[columns.indexOf(column)] as Field;
      const stored = allocateKeys(storedType(column.keyType), rows);
      const out = bytesOf(stored);
      const width = stored.BYTES_PER_ELEMENT;
      const isInteger = element.type === 'INT32' || element.type === 'INT64';
      const isOptional = element.repetition_type !== 'REQUIRED';
      let row = 0;
      for (const chunk of chunks) {
        const bytes = await source.read(chunk.start, chunk.end);
        const part = out.subarray(row * width, (row + chunk.rows) * width);
        try {
          readPages(bytes, { chunk, width, isInteger, isOptional }, part);
        } catch (error) {
          if (error instanceof NullRow) throw nullError(source.name, name, row + error.row);
          throw error;
        }
        row += chunk.rows;
        onProgress?.({ completed: row, total: rows, unit: 'rows' });
      }
      return narrowed(stored, column.keyType);
    },
  };
}

function columnOf({ element, isFlat }: Field, rows: number): Column {
  const { name, type, logical_type: logical, converted_type: converted } = element;
  if (!isFlat) return { name, type: 'nested', keyType: undefined, rows };
  const meaning = logical?.type ?? converted;
  return {
    name,
    type: meaning === undefined ? `${type}` : `${type} (${meaning})`,
    keyType: keyTypeOf(element),
    rows,
  };
}

/** The key type with the bits and the order of a column; older files have `converted_type` only. */
function keyTypeOf(element: SchemaElement): KeyType | undefined {
  const { type, type_length, logical_type, converted_type } = element;
  switch (type) {
    case 'INT32':
    case 'INT64': {
      const [, unsigned, bits] = /^(U?)INT_(\d+)$/.exec(converted_type ?? '') ?? [];
      const own = type === 'INT32' ? 32 : 64;
      const name =
        logical_type?.type === 'INTEGER'
          ? `${logical_type.isSigned ? 'i' : 'u'}${logical_type.bitWidth}`
          : `${unsigned ? 'u' : 'i'}${bits ?? own}`;
      // 64 bits are stored as INT64, all others as INT32.
      if (name.endsWith('64') !== (own === 64)) return undefined;
      return KEY_TYPES.find((keyType) => keyType === name);
    }
    case 'FLOAT':
      return 'f32';
    case 'DOUBLE':
      return 'f64';
    case 'FIXED_LEN_BYTE_ARRAY':
      return logical_type?.type === 'FLOAT16' && type_length === 2 ? 'f16' : undefined;
    default:
      return undefined;
  }
}

/** The type in which pages store keys: integers of 8 and 16 bits take 32. */
function storedType(keyType: KeyType): KeyType {
  return isNarrow(keyType) ? 'i32' : keyType;
}

const isNarrow = (keyType: KeyType): boolean => /^[ui](8|16)$/.test(keyType);

/** The stored integers in fewer bits. @throws Error where one does not fit */
function narrowed(stored: KeyArray, keyType: KeyType): KeyArray {
  if (!isNarrow(keyType)) return stored;
  const keys = allocateKeys(keyType, stored.length);
  for (let i = 0; i < keys.length; i++) {
    keys[i] = stored[i] as never;
    if (keys[i] !== stored[i]) throw new Error(`row ${i} has ${stored[i]}, which is no ${keyType}`);
  }
  return keys;
}
