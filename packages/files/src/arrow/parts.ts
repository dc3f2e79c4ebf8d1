/** One column in one batch, and all batches of a column together. */

import { decompress } from '../decompress.js';
import type { StepAccount } from '../memory.js';
import {
  type FixedValues,
  isValid,
  type Stored,
  type Values,
  type VariableValues,
  widthOf,
} from '../stored/column.js';
import { joinRows } from '../stored/join.js';
import { allocateBytes, assertOffset, copyBytes } from '../stored/take.js';
import { int64At } from './flatbuffer.js';
import type { Batch } from './messages.js';
import type { Field } from './schema.js';

/** Where a column begins among the nodes, the buffers and the columns of views of a batch. */
export interface Places {
  readonly node: number;
  readonly buffer: number;
  readonly view: number;
}

/** Buffers may be padded beyond the last value, to a multiple of so many bytes. */
const PADDING = 64;

/**
 * The column `field` of a batch: views of its buffers, or copies if they lie there in another form.
 * Null rows have no text. @throws Error if its buffers do not fit its rows
 */
export function partOf(batch: Batch, field: Field, places: Places, account: StepAccount): Stored {
  const { rows } = batch;
  const buffers = (at: number): Uint8Array<ArrayBuffer> =>
    plainBuffer(batch, places.buffer + at, account);
  const valid = validityOf(buffers(0), rows, batch.nodes[places.node]?.nulls ?? 0);
  return { rows, valid, values: valuesOf(batch, field, buffers, valid, places, account) };
}

function validityOf(bits: Uint8Array<ArrayBuffer>, rows: number, nulls: number): Stored['valid'] {
  if (bits.length === 0) {
    if (nulls === 0) return undefined;
    throw new Error(`a batch has ${nulls} nulls, but does not say where`);
  }
  if (bits.length * 8 < rows) throw new Error('a batch says of too few rows that they are null');
  return bits;
}

function valuesOf(
  { rows, variadic }: Batch,
  field: Field,
  buffers: (at: number) => Uint8Array<ArrayBuffer>,
  valid: Stored['valid'],
  places: Places,
  account: StepAccount,
): Values {
  if (field.dictionary !== undefined) return exact(buffers(1), rows, field.dictionary.width);
  if (field.stored?.kind === 'boolean') {
    return { kind: 'fixed', width: 1, bytes: unpacked(buffers(1), rows, account) };
  }
  if (field.text === 'views') {
    const data = Array.from({ length: variadic[places.view] ?? 0 }, (_, i) => buffers(2 + i));
    return textOfViews(exact(buffers(1), rows, 16).bytes, rows, data, valid, account);
  }
  if (field.text !== undefined) {
    const text = textOf(buffers(1), buffers(2), rows, field.text, account);
    return withoutTextOfNulls(text, valid, account);
  }
  const width = field.stored === undefined ? undefined : widthOf(field.stored);
  if (width === undefined) throw new Error(`column '${field.name}' has values of no width`);
  return exact(buffers(1), rows, width);
}

/** `rows` values, without the padding that may follow them. */
function exact(stored: Uint8Array<ArrayBuffer>, rows: number, width: number): FixedValues {
  const excess = stored.length - rows * width;
  if (excess < 0 || excess >= PADDING) {
    throw new Error(`a batch of ${rows} rows has ${stored.length} bytes of ${width}-byte values`);
  }
  return { kind: 'fixed', width, bytes: stored.subarray(0, rows * width) };
}

/** A byte of 0 or 1 for a bit. */
function unpacked(bits: Uint8Array, rows: number, account: StepAccount): Uint8Array<ArrayBuffer> {
  if (bits.length * 8 < rows) throw new Error(`a batch of ${rows} rows has ${bits.length} bytes`);
  const out = account.allocateWork(rows);
  for (let row = 0; row < rows; row++) out[row] = isValid(bits, row) ? 1 : 0;
  return out;
}

function textOf(
  stored: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
  rows: number,
  kind: 'usual' | 'large',
  account: StepAccount,
): VariableValues {
  const width = kind === 'large' ? 8 : 4;
  // Without rows there need not be an offset.
  if (rows > 0 && stored.length < (rows + 1) * width) {
    throw new Error(`a batch of ${rows} rows has ${stored.length} bytes of offsets`);
  }
  const isView = kind === 'usual' && stored.byteOffset % 4 === 0 && rows > 0;
  const offsets = isView
    ? new Uint32Array(stored.buffer, stored.byteOffset, rows + 1)
    : new Uint32Array(account.allocateWork(4 * (rows + 1)).buffer);
  if (!isView && rows > 0) {
    const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
    for (let row = 0; row <= rows; row++) {
      // What is too large for 32 bits is too large for the bytes, too.
      offsets[row] =
        width === 8
          ? Math.min(Math.max(int64At(view, row * 8), -1), MAX_OFFSET)
          : view.getUint32(row * 4, true);
    }
  }
  // A negative number is a very large one here.
  let before = 0;
  for (let row = 0; row <= rows; row++) {
    const offset = offsets[row] as number;
    if (offset < before || offset > bytes.length) {
      throw new Error(`row ${row} of a batch has text outside its ${bytes.length} bytes`);
    }
    before = offset;
  }
  return { kind: 'variable', offsets, bytes };
}

const MAX_OFFSET = 2 ** 32 - 1;

/** Null rows get no bytes, whatever the file has for them. */
function withoutTextOfNulls(
  text: VariableValues,
  valid: Stored['valid'],
  account: StepAccount,
): VariableValues {
  if (valid === undefined) return text;
  const { offsets, bytes } = text;
  const rows = offsets.length - 1;
  const lengthAt = (row: number): number =>
    isValid(valid, row) ? (offsets[row + 1] as number) - (offsets[row] as number) : 0;
  let size = 0;
  for (let row = 0; row < rows; row++) size += lengthAt(row);
  if (size === (offsets[rows] as number) - (offsets[0] as number)) return text;
  const kept = new Uint32Array(account.allocateWork(4 * (rows + 1)).buffer);
  const out = account.allocateWork(size);
  for (let row = 0; row < rows; row++) {
    const [start, at] = [offsets[row] as number, kept[row] as number];
    kept[row + 1] = copyBytes(bytes, start, start + lengthAt(row), out, at);
  }
  return { kind: 'variable', offsets: kept, bytes: out };
}

/** The most bytes that a view holds itself. */
export const INLINE = 12;

/** Text of views, each of which has a length, and either the bytes or the place where they are. */
function textOfViews(
  views: Uint8Array<ArrayBuffer>,
  rows: number,
  data: readonly Uint8Array[],
  valid: Stored['valid'],
  account: StepAccount,
): VariableValues {
  const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
  const locate = (row: number, length: number): { bytes: Uint8Array; start: number } => {
    if (length <= INLINE) return { bytes: views, start: 16 * row + 4 };
    const bytes = data[view.getUint32(16 * row + 8, true)];
    const start = view.getUint32(16 * row + 12, true);
    if (bytes === undefined || start + length > bytes.length) {
      throw new Error(`row ${row} of a batch has text outside its buffers`);
    }
    return { bytes, start };
  };
  const offsets = new Uint32Array(account.allocateWork(4 * (rows + 1)).buffer);
  let size = 0;
  for (let row = 0; row < rows; row++) {
    const length = isValid(valid, row) ? view.getUint32(16 * row, true) : 0;
    // A view may claim any length: that it lies in a buffer is seen before memory is taken.
    if (length > 0) locate(row, length);
    size += length;
    assertOffset(size);
    offsets[row + 1] = size;
  }
  // The column takes as much again.
  account.take(size, size);
  const out = allocateBytes(size);
  for (let row = 0; row < rows; row++) {
    const at = offsets[row] as number;
    const length = (offsets[row + 1] as number) - at;
    if (length === 0) continue;
    const { bytes, start } = locate(row, length);
    copyBytes(bytes, start, start + length, out, at);
  }
  return { kind: 'variable', offsets, bytes: out };
}

/** All rows of a column, in new memory. @throws FileError if there is not enough memory */
export function joinParts(parts: readonly Stored[], field: Field, account: StepAccount): Stored {
  const { text, dictionary, stored } = field;
  const none = new Uint8Array();
  const values: Values =
    text !== undefined && dictionary === undefined
      ? { kind: 'variable', offsets: new Uint32Array(1), bytes: none }
      : {
          kind: 'fixed',
          width: dictionary?.width ?? (stored && widthOf(stored)) ?? 0,
          bytes: none,
        };
  // The file may have no batches.
  const all = parts.length > 0 ? parts : [{ rows: 0, values, valid: undefined }];
  return joinRows(all, (size) => account.allocate(size));
}

/** A buffer as it is when it is not compressed. */
function plainBuffer(
  { buffers, compression }: Batch,
  place: number,
  account: StepAccount,
): Uint8Array<ArrayBuffer> {
  const buffer = buffers[place] as Uint8Array<ArrayBuffer>;
  if (compression === 'none' || buffer.length === 0) return buffer;
  const size = plainSizeOf(buffer);
  const body = buffer.subarray(8);
  if (size === -1) return body;
  if (compression === 'LZ4') {
    throw new Error('it is compressed with LZ4, only ZSTD or no compression can be read');
  }
  const plain = decompress('ZSTD', body, size, account) as Uint8Array<ArrayBuffer>;
  // Of buffers that apache-arrow wrote in JavaScript it is the length before, not after.
  if (plain.length === size || body.length === size) return plain;
  throw new Error(`a buffer has ${plain.length} bytes where the file says ${size}`);
}

/** What a compressed buffer says of its size, which is −1 where it is not compressed after all. */
function plainSizeOf({ buffer, byteOffset, byteLength }: Uint8Array): number {
  return Number(new DataView(buffer, byteOffset, byteLength).getBigInt64(0, true));
}

/** Bytes that a column takes, and that are needed besides to read it, as a batch says. */
export function memoryInBatch(
  { rows, buffers, compression, variadic }: Batch,
  field: Field,
  places: Places,
): { readonly column: number; readonly reading: number } {
  const count = field.buffers + (field.text === 'views' ? (variadic[places.view] ?? 0) : 0);
  const own = buffers.slice(places.buffer, places.buffer + count);
  const sizes = own.map((buffer) =>
    compression === 'none' || buffer.length < 8
      ? buffer.length
      : Math.max(plainSizeOf(buffer), buffer.length),
  );
  const isText = field.text !== undefined && field.dictionary === undefined;
  const text = isText ? sizes.slice(2).reduce((sum, size) => sum + size, 0) : 0;
  const width =
    field.dictionary?.width ?? (field.stored === undefined ? 0 : (widthOf(field.stored) ?? 4));
  const unpacked = isText
    ? memoryOfText(rows, field, text)
    : field.stored?.kind === 'boolean'
      ? rows
      : 0;
  // A buffer of several frames is there twice while they are joined.
  const plain = compression === 'none' ? 0 : 2 * sizes.reduce((sum, size) => sum + size, 0);
  return { column: rows * width + Math.ceil(rows / 8) + text, reading: unpacked + plain };
}

/** Bytes that the text of a batch takes in the form of a column, if it has another one there. */
function memoryOfText(rows: number, { text: form }: Field, text: number): number {
  if (form === 'usual') return 0;
  return 4 * (rows + 1) + (form === 'views' ? text : 0);
}
