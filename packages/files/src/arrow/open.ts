/** Numeric columns of an Arrow file, in the file or the stream format. */

import { keyTraits } from '@keysweep/core';
import { decompressZstd } from 'hyparquet-compressors';
import { allocateKeys, bytesOf } from '../keys.js';
import type { ByteSource } from '../source.js';
import { type Column, findColumn, nullError, type OnProgress, type Table } from '../table.js';
import { type Batch, readMessages } from './messages.js';
import { type Field, fieldsOf } from './schema.js';

/** Reads the whole file; a column is copied when it is read. */
export async function openArrow(source: ByteSource, onProgress?: OnProgress): Promise<Table> {
  const { name: file, size } = source;
  const bytes = await source.read(0, size, (completed) =>
    onProgress?.({ completed, total: size, unit: 'bytes' }),
  );
  const { schemas, version, batches, hasDictionaries } = readMessages(bytes);
  const [fields = [], ...others] = schemas.map((schema) => fieldsOf(schema, version));
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(fields))) {
    throw new Error('its footer has another schema than its first message');
  }
  if (hasDictionaries && !fields.some((field) => field.hasDictionary)) {
    throw new Error('it has a dictionary, but no column that needs one');
  }
  for (const batch of batches) assertWhole(batch, fields);
  const rows = batches.reduce((total, batch) => total + batch.rows, 0);
  const columns = fields.map(({ name, type, keyType }): Column => ({ name, type, keyType, rows }));
  return {
    columns,
    async read(name) {
      const column = findColumn(file, columns, name);
      const place = columns.indexOf(column);
      const width = keyTraits(column.keyType).bits / 8;
      const parts = batches.map((batch) => partOf(batch, fields, place, width));
      const keys = allocateKeys(column.keyType, rows);
      const out = bytesOf(keys);
      let row = 0;
      for (const { values, nullAt, count } of parts) {
        if (nullAt !== -1) throw nullError(file, name, row + nullAt);
        out.set(values, row * width);
        row += count;
      }
      return keys;
    },
  };
}

const sumOf = (fields: readonly Field[], of: 'nodes' | 'buffers' | 'views'): number =>
  fields.reduce((total, field) => total + field[of], 0);

/** The buffers of `fields`, the first columns, in a batch. */
const buffersOf = ({ variadic }: Batch, fields: readonly Field[]): number =>
  variadic
    .slice(0, sumOf(fields, 'views'))
    .reduce((total, more) => total + more, sumOf(fields, 'buffers'));

/** @throws Error unless `batch` has the columns of the schema, with its number of rows each */
function assertWhole(batch: Batch, fields: readonly Field[]): void {
  const { rows, nodes, buffers, variadic } = batch;
  const [manyNodes, manyBuffers] = [sumOf(fields, 'nodes'), buffersOf(batch, fields)];
  const hasViews =
    variadic.length === sumOf(fields, 'views') && variadic.every((more) => more >= 0);
  if (nodes.length !== manyNodes || buffers.length !== manyBuffers || !hasViews) {
    throw new Error(
      `a batch has ${nodes.length} columns in ${buffers.length} buffers, ` +
        `where its schema needs ${manyNodes} in ${manyBuffers}`,
    );
  }
  let node = 0;
  for (const field of fields) {
    if (nodes[node]?.rows !== rows) {
      throw new Error(`column '${field.name}' has ${nodes[node]?.rows} of a batch's ${rows} rows`);
    }
    node += field.nodes;
  }
}

/** The rows of one batch of a column. */
interface Part {
  readonly count: number;
  readonly values: Uint8Array;
  /** The first row that is null, or −1. */
  readonly nullAt: number;
}

/** Buffers may be padded beyond the last value, to a multiple of so many bytes. */
const PADDING = 64;

function partOf(batch: Batch, fields: readonly Field[], place: number, width: number): Part {
  const before = fields.slice(0, place);
  const node = batch.nodes[sumOf(before, 'nodes')];
  const at = buffersOf(batch, before);
  const count = batch.rows;
  const validity = plainBuffer(batch, at);
  const stored = plainBuffer(batch, at + 1);
  const excess = stored.length - count * width;
  if (excess < 0 || excess >= PADDING) {
    throw new Error(`a batch of ${count} rows has ${stored.length} bytes of ${width}-byte values`);
  }
  const values = stored.subarray(0, count * width);
  const nullAt = validity.length === 0 ? -1 : firstNull(validity, count);
  if (validity.length === 0 && node?.nulls !== 0) {
    throw new Error(`a batch has ${node?.nulls} nulls, but does not say where`);
  }
  return { count, values, nullAt };
}

/** The first of `count` bits that is 0, or −1. */
function firstNull(validity: Uint8Array, count: number): number {
  if (validity.length * 8 < count)
    throw new Error(`a batch says of too few rows that they are null`);
  for (let row = 0; row < count; row++) {
    if (row % 8 === 0 && validity[row / 8] === 0xff) row += 7;
    else if (((validity[row >> 3] as number) & (1 << (row & 7))) === 0) return row;
  }
  return -1;
}

/** A buffer as it is when it is not compressed. */
function plainBuffer({ buffers, compression }: Batch, place: number): Uint8Array {
  const buffer = buffers[place] as Uint8Array;
  if (compression === 'none' || buffer.length === 0) return buffer;
  const { byteOffset, byteLength } = buffer;
  const size = Number(new DataView(buffer.buffer, byteOffset, byteLength).getBigInt64(0, true));
  const body = buffer.subarray(8);
  if (size === -1) return body;
  if (compression === 'LZ4') {
    throw new Error('it is compressed with LZ4, only ZSTD or no compression can be read');
  }
  const plain = decompressZstd(body);
  // Of buffers that apache-arrow wrote in JavaScript it is the length before, not after.
  if (plain.length === size || body.length === size) return plain;
  throw new Error(`a buffer has ${plain.length} bytes where the file says ${size}`);
}
