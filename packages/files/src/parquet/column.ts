/** A column of a Parquet file. */

import type { KeyArray, KeyType } from '@keysweep/core';
import type { ParquetType, SchemaElement } from 'hyparquet';
import { loadCodecs } from '../decompress.js';
import { FileError } from '../error.js';
import { keyArrayClass } from '../keys.js';
import type { StepAccount } from '../memory.js';
import type { ByteSource } from '../source.js';
import {
  bitmapBytes,
  type ColumnType,
  type StoredColumn,
  type Values,
  widthOf,
} from '../stored/column.js';
import type { Field } from './footer.js';
import { type IsWanted, readPages } from './pages.js';
import { TextColumn } from './text-column.js';
import { columnTypeOf } from './type.js';

/** How a column is read. */
export interface ReadOptions {
  /** Rows of pages that it refuses get any values. */
  readonly isWanted?: IsWanted | undefined;
  readonly told?: (completed: number, total: number) => void;
  /** Where values of one width go, if they are stored as columns hold them. */
  readonly into?: Uint8Array<ArrayBuffer> | undefined;
}

/** The type of a column; undefined for one that is not carried. */
export const typeOf = ({ isFlat, element }: Field): ColumnType | undefined =>
  isFlat ? columnTypeOf(element) : undefined;

/** The type of a column as the file names it. */
export function nameOfType({ isFlat, element }: Field): string {
  const { type, logical_type: logical, converted_type: converted } = element;
  if (!isFlat) return 'nested';
  const meaning = logical?.type ?? converted;
  return meaning === undefined ? `${type}` : `${type} (${meaning})`;
}

/**
 * Reads all chunks of `field`.
 * @throws FileError for a type that is not carried; Error if the chunks are damaged
 */
export async function readField(
  source: ByteSource,
  field: Field,
  account: StepAccount,
  { isWanted = () => true, told = () => {}, into }: ReadOptions = {},
): Promise<StoredColumn> {
  const { element, chunks } = field;
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0);
  const type = typeOf(field);
  if (type === undefined) {
    throw new FileError(
      `column '${element.name}' of ${source.name} is ${nameOfType(field)}, which cannot be ` +
        'carried; leave it out of the file first',
    );
  }
  await loadCodecs(chunks.map(({ codec }) => codec));
  const width = storedWidth(element);
  const isOptional = element.repetition_type !== 'REQUIRED';
  const most = chunks.reduce((most, { rows }) => Math.max(most, rows), 0);
  const nulls = account.allocateWork(isOptional ? rows : most);
  const text = width === undefined ? new TextColumn(rows, account) : undefined;
  const stored = into ?? account.allocate(rows * (width ?? 0));
  let row = 0;
  for (const chunk of chunks) {
    const size = chunk.end - chunk.start;
    account.take(size);
    const bytes = await source.read(chunk.start, chunk.end);
    const values = text ?? stored.subarray(row * (width ?? 0), (row + chunk.rows) * (width ?? 0));
    const marks = isOptional ? nulls.subarray(row, row + chunk.rows) : nulls;
    const physical = element.type as ParquetType;
    const context = { chunk, type: physical, width, isOptional, account, isWanted };
    readPages(bytes, context, { values, nulls: marks });
    account.give(size);
    row += chunk.rows;
    told(row, rows);
  }
  return {
    name: element.name,
    type,
    isNullable: isOptional,
    rows,
    values: text?.finish() ?? canonical(stored, width as number, type, element, account),
    valid: isOptional ? bitmapOf(nulls, account) : undefined,
  };
}

/** Bytes of a value in pages, or undefined for values of any length. */
export function storedWidth({ type, type_length }: SchemaElement): number | undefined {
  switch (type) {
    case 'BOOLEAN':
      return 1;
    case 'INT32':
    case 'FLOAT':
      return 4;
    case 'INT64':
    case 'DOUBLE':
      return 8;
    case 'INT96':
      return 12;
    case 'FIXED_LEN_BYTE_ARRAY':
      return type_length;
    default:
      return undefined;
  }
}

/** Values as columns hold them: integers in their own width, decimals little-endian. */
function canonical(
  stored: Uint8Array<ArrayBuffer>,
  storedAs: number,
  type: ColumnType,
  { type: physical }: SchemaElement,
  account: StepAccount,
): Values {
  const width = widthOf(type) as number;
  if (type.kind === 'decimal' && physical === 'FIXED_LEN_BYTE_ARRAY') {
    const bytes = account.allocate((stored.length / storedAs) * width);
    toLittleEndian(stored, storedAs, width, bytes);
    return { kind: 'fixed', width, bytes };
  }
  if (width >= storedAs) return { kind: 'fixed', width, bytes: stored };
  const bytes = account.allocate((stored.length / storedAs) * width);
  narrow(stored, type, bytes);
  return { kind: 'fixed', width, bytes };
}

/** Integers of 32 bits in fewer. @throws Error where one does not fit */
function narrow(
  stored: Uint8Array<ArrayBuffer>,
  type: ColumnType,
  { buffer }: Uint8Array<ArrayBuffer>,
): void {
  if (type.kind !== 'integer') throw new Error('only integers are stored in more bits');
  const keyType: KeyType = `${type.isSigned ? 'i' : 'u'}${type.bits}`;
  const wide = new Int32Array(stored.buffer, stored.byteOffset, stored.length / 4);
  const keys: KeyArray = new (keyArrayClass(keyType))(buffer, 0, wide.length);
  for (let i = 0; i < keys.length; i++) {
    keys[i] = wide[i] as never;
    if (keys[i] !== wide[i]) throw new Error(`row ${i} has ${wide[i]}, which is no ${keyType}`);
  }
}

/** Big-endian integers of `from` bytes as little-endian ones of `to` bytes. */
function toLittleEndian(bytes: Uint8Array, from: number, to: number, out: Uint8Array): void {
  const rows = bytes.length / from;
  for (let row = 0; row < rows; row++) {
    const sign = (bytes[row * from] as number) < 0x80 ? 0 : 0xff;
    for (let i = 0; i < to; i++) {
      out[row * to + i] = i < from ? (bytes[(row + 1) * from - 1 - i] as number) : sign;
    }
  }
}

/** A bit a row for a byte a row; undefined where no row is null. */
function bitmapOf(nulls: Uint8Array, account: StepAccount): Uint8Array<ArrayBuffer> | undefined {
  if (!nulls.includes(1)) return undefined;
  const bits = account.allocate(bitmapBytes(nulls.length));
  for (let row = 0; row < nulls.length; row++) {
    if (nulls[row] === 0) (bits[row >> 3] as number) |= 1 << (row & 7);
  }
  return bits;
}
