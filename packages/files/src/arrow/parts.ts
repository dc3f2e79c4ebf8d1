/** One column in one batch, and all batches of a column together. */

import { decompress } from '../decompress.js';
import type { Share } from '../memory.js';
import {
  bitmapBytes,
  isValid,
  type Stored,
  type Values,
  type VariableValues,
  widthOf,
} from '../stored/column.js';
import { assertOffset, copyBytes } from '../stored/take.js';
import { int64At } from './flatbuffer.js';
import type { Batch } from './messages.js';
import type { Field } from './schema.js';

/** Where a column begins among the nodes, the buffers and the columns of views of a batch. */
export interface Places {
  readonly node: number;
  readonly buffer: number;
  readonly view: number;
}

/** The rows of one batch of a column. */
export interface Part {
  readonly rows: number;
  readonly valid: Uint8Array | undefined;
  readonly values: { readonly bytes: Uint8Array } | VariablePart;
}

/** Values of any length, and where each of them is. */
interface VariablePart {
  readonly lengths: Uint32Array;
  readonly locate: (row: number) => { readonly bytes: Uint8Array; readonly start: number };
}

/** Buffers may be padded beyond the last value, to a multiple of so many bytes. */
const PADDING = 64;

/** The column `field` of a batch. @throws Error where its buffers do not fit its rows */
export function partOf(batch: Batch, field: Field, places: Places, share: Share): Part {
  const { rows } = batch;
  const buffers = (at: number): Uint8Array => plainBuffer(batch, places.buffer + at, share);
  return {
    rows,
    valid: validityOf(buffers(0), rows, batch.nodes[places.node]?.nulls ?? 0),
    values: valuesOf(batch, field, buffers, places, share),
  };
}

function validityOf(bits: Uint8Array, rows: number, nulls: number): Uint8Array | undefined {
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
  buffers: (at: number) => Uint8Array,
  places: Places,
  share: Share,
): Part['values'] {
  if (field.dictionary !== undefined) {
    return { bytes: exact(buffers(1), rows, field.dictionary.width) };
  }
  if (field.stored?.kind === 'boolean') return { bytes: unpacked(buffers(1), rows, share) };
  if (field.text === 'views') {
    const data = Array.from({ length: variadic[places.view] ?? 0 }, (_, i) => buffers(2 + i));
    return viewsOf(exact(buffers(1), rows, 16), rows, data, share);
  }
  if (field.text !== undefined) return textOf(buffers(1), buffers(2), rows, field.text, share);
  const width = field.stored === undefined ? undefined : widthOf(field.stored);
  if (width === undefined) throw new Error(`column '${field.name}' has values of no width`);
  return { bytes: exact(buffers(1), rows, width) };
}

/** The bytes of `rows` values, without the padding that may follow them. */
function exact(stored: Uint8Array, rows: number, width: number): Uint8Array {
  const excess = stored.length - rows * width;
  if (excess < 0 || excess >= PADDING) {
    throw new Error(`a batch of ${rows} rows has ${stored.length} bytes of ${width}-byte values`);
  }
  return stored.subarray(0, rows * width);
}

/** A byte of 0 or 1 for a bit. */
function unpacked(bits: Uint8Array, rows: number, share: Share): Uint8Array {
  if (bits.length * 8 < rows) throw new Error(`a batch of ${rows} rows has ${bits.length} bytes`);
  const out = share.allocateWork(rows);
  for (let row = 0; row < rows; row++) out[row] = isValid(bits, row) ? 1 : 0;
  return out;
}

function textOf(
  offsets: Uint8Array,
  bytes: Uint8Array,
  rows: number,
  kind: 'usual' | 'large',
  share: Share,
): VariablePart {
  const view = new DataView(offsets.buffer, offsets.byteOffset, offsets.byteLength);
  const width = kind === 'large' ? 8 : 4;
  // Without rows there need not be an offset.
  if (rows > 0 && offsets.length < (rows + 1) * width) {
    throw new Error(`a batch of ${rows} rows has ${offsets.length} bytes of offsets`);
  }
  share.take(TEXT_ROW * rows);
  const starts = new Float64Array(rows + 1);
  for (let row = 0; row <= rows && rows > 0; row++) {
    const start = width === 8 ? int64At(view, row * 8) : view.getInt32(row * 4, true);
    if (start < (row === 0 ? 0 : (starts[row - 1] as number)) || start > bytes.length) {
      throw new Error(`row ${row} of a batch has text outside its ${bytes.length} bytes`);
    }
    starts[row] = start;
  }
  return {
    lengths: Uint32Array.from({ length: rows }, (_, i) =>
      Math.min((starts[i + 1] as number) - (starts[i] as number), 0xffffffff),
    ),
    locate: (row) => ({ bytes, start: starts[row] as number }),
  };
}

/** Bytes for where the text of a row begins, and for its length. */
const TEXT_ROW = 12;

/** The most bytes that a view holds itself. */
export const INLINE = 12;

function viewsOf(
  views: Uint8Array,
  rows: number,
  data: readonly Uint8Array[],
  share: Share,
): VariablePart {
  const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
  share.take(TEXT_ROW * rows);
  const lengths = Uint32Array.from({ length: rows }, (_, i) => view.getUint32(16 * i, true));
  return {
    lengths,
    locate(row) {
      if ((lengths[row] as number) <= INLINE) return { bytes: views, start: 16 * row + 4 };
      const bytes = data[view.getUint32(16 * row + 8, true)];
      const start = view.getUint32(16 * row + 12, true);
      if (bytes === undefined || start + (lengths[row] as number) > bytes.length) {
        throw new Error(`row ${row} of a batch has text outside its buffers`);
      }
      return { bytes, start };
    },
  };
}

/** All rows of a column, in new memory. @throws FileError where there is not enough memory */
export function joinParts(parts: readonly Part[], field: Field, share: Share): Stored {
  const rows = parts.reduce((total, part) => total + part.rows, 0);
  const hasNulls = parts.some((part) => part.valid !== undefined);
  const valid = hasNulls ? joinBits(parts, rows, share) : undefined;
  return { rows, values: joinValues(parts, rows, field, valid, share), valid };
}

function joinBits(parts: readonly Part[], rows: number, share: Share): Uint8Array<ArrayBuffer> {
  const out = share.allocate(bitmapBytes(rows));
  let first = 0;
  for (const part of parts) {
    for (let row = 0; row < part.rows; row++) {
      const to = first + row;
      if (isValid(part.valid, row)) (out[to >> 3] as number) |= 1 << (to & 7);
    }
    first += part.rows;
  }
  return out;
}

function joinValues(
  parts: readonly Part[],
  rows: number,
  { text, dictionary, stored }: Field,
  valid: Uint8Array | undefined,
  share: Share,
): Values {
  if (text !== undefined && dictionary === undefined) return joinText(parts, rows, valid, share);
  const width = dictionary?.width ?? (stored === undefined ? 0 : (widthOf(stored) ?? 0));
  const bytes = share.allocate(rows * width);
  let at = 0;
  for (const { values } of parts) {
    if (!('bytes' in values)) throw new Error('values of one width were expected');
    bytes.set(values.bytes, at);
    at += values.bytes.length;
  }
  return { kind: 'fixed', width, bytes };
}

/** Null rows get no bytes, whatever the file has for them. */
function joinText(
  parts: readonly Part[],
  rows: number,
  valid: Uint8Array | undefined,
  share: Share,
): VariableValues {
  const offsets = new Uint32Array(share.allocate(4 * (rows + 1)).buffer);
  let size = 0;
  let row = 0;
  for (const { values } of parts) {
    if ('bytes' in values) throw new Error('values of any length were expected');
    for (let i = 0; i < values.lengths.length; i++) {
      const length = values.lengths[i] as number;
      if (isValid(valid, row)) {
        size += length;
        // A view may claim any length: that it lies in a buffer is seen before memory is taken.
        if (length > INLINE) values.locate(i);
      }
      assertOffset(size);
      offsets[++row] = size;
    }
  }
  const bytes = share.allocate(size);
  row = 0;
  for (const { values } of parts) {
    if ('bytes' in values) continue;
    for (let i = 0; i < values.lengths.length; i++, row++) {
      const at = offsets[row] as number;
      const length = (offsets[row + 1] as number) - at;
      if (length === 0) continue;
      const { bytes: from, start } = values.locate(i);
      copyBytes(from, start, start + length, bytes, at);
    }
  }
  return { kind: 'variable', offsets, bytes };
}

/** A buffer as it is when it is not compressed. */
function plainBuffer({ buffers, compression }: Batch, place: number, share: Share): Uint8Array {
  const buffer = buffers[place] as Uint8Array;
  if (compression === 'none' || buffer.length === 0) return buffer;
  const size = plainSizeOf(buffer);
  const body = buffer.subarray(8);
  if (size === -1) return body;
  if (compression === 'LZ4') {
    throw new Error('it is compressed with LZ4, only ZSTD or no compression can be read');
  }
  const plain = decompress('ZSTD', body, size, share);
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
  const unpacked = isText ? TEXT_ROW * rows : field.stored?.kind === 'boolean' ? rows : 0;
  // A buffer of several frames is there twice while they are joined.
  const plain = compression === 'none' ? 0 : 2 * sizes.reduce((sum, size) => sum + size, 0);
  return { column: rows * width + Math.ceil(rows / 8) + text, reading: unpacked + plain };
}
