/** Random columns of every key type, and files opened from memory. */

import { classOf, fillUniform, Random } from '@keysweep/conformance/data';
import type { KeyType, TypedArray } from '@keysweep/core';
import { expect } from 'vitest';
import {
  bytesSource,
  type Format,
  type OpenOptions,
  openTable,
  type StoredTable,
  type Table,
  type TableFormat,
  type Threads,
  writeTable,
} from '../src/index.js';

export const hasFloat16: boolean = 'Float16Array' in globalThis;

/** `length` values over the whole range of the type, without NaNs. */
export function randomColumn(keyType: KeyType, length: number, seed: number): TypedArray {
  return fillUniform(classOf(keyType).create(length), new Random(seed));
}

/** The table in `bytes`, which messages call 'in'. */
export function tableIn(bytes: Uint8Array, how: TableFormat & OpenOptions): Promise<StoredTable>;
export function tableIn(bytes: Uint8Array, how: Format & OpenOptions): Promise<Table>;
export function tableIn(bytes: Uint8Array, how: Format & OpenOptions): Promise<Table> {
  return openTable(bytesSource("'in'", new Uint8Array(bytes)), how);
}

/** All rows of `table` in the order `order`, written to memory. */
export async function written(
  table: StoredTable,
  format: 'parquet' | 'arrow',
  order: Uint32Array,
  threads?: Threads,
): Promise<Uint8Array> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const columns = await Promise.all(table.columns.map((_, place) => table.readColumn(place)));
  const sink = {
    write: async (bytes: Uint8Array) => {
      pieces.push(bytes.slice());
    },
  };
  const progress: number[] = [];
  const onWritten = (completed: number, total: number): void => {
    expect(total).toBe(order.length);
    progress.push(completed);
  };
  const rows = { columns, order, layout: table.layout };
  await writeTable(sink, format, rows, onWritten, threads);
  if (order.length > 0) expect(progress.at(-1)).toBe(order.length);
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
