/**
 * What other threads do for a table: they read columns of Parquet and text, and pack, encode and
 * gather rows.
 */

import type { TypedRows, Wanted } from './csv/column.js';
import type { Dialect } from './csv/dialect.js';
import type { Gathered } from './csv/gather.js';
import type { Lines, Stretch } from './csv/scan.js';

import { type Encoded, encodeRows, type Plan } from './encode.js';
import { MemoryBudget } from './memory.js';
import type { Field } from './parquet/footer.js';
import type { ByteSource } from './source.js';
import type { StoredColumn } from './stored/column.js';
import { type PackedRows, packRows, takeColumns } from './stored/packed-rows.js';

/** Work for another thread. It is posted there, so columns are in memory that threads share. */
export type ThreadTask =
  | {
      readonly kind: 'read';
      /** A column, or some of its chunks. */
      readonly field: Field;
      /** Bytes of memory that it may take. */
      readonly memory: number;
      /** Only these rows are wanted. */
      readonly rows?: Uint32Array<ArrayBuffer>;
      /** Where values of one width go. */
      readonly into?: Uint8Array<ArrayBuffer>;
    }
  | {
      readonly kind: 'pack';
      readonly columns: readonly StoredColumn[];
      readonly packed: PackedRows;
      /** The rows to pack: the first, and the one after the last. */
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly kind: 'encode';
      readonly plan: Plan;
      readonly columns: readonly StoredColumn[];
      readonly packed: PackedRows | undefined;
      /** The rows to encode. */
      readonly order: Uint32Array<ArrayBuffer>;
    }
  | {
      readonly kind: 'scan';
      /** A whole text, of which the thread reads a stretch and finds its rows. */
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly stretch: Stretch;
      readonly dialect: Dialect;
      /** Bytes of memory that it may take. */
      readonly memory: number;
    }
  | {
      readonly kind: 'parse';
      readonly lines: Lines;
      /** The part of a column to read. */
      readonly wanted: Wanted;
      /** Bytes of memory that it may take. */
      readonly memory: number;
    }
  | {
      readonly kind: 'gather';
      readonly from: Gathered;
      /** The rows to gather. */
      readonly rows: Uint32Array<ArrayBuffer>;
    };

/** What a thread gives: a column, rows as bytes or where they are, or nothing for packed rows. */
export type ThreadResult =
  | StoredColumn
  | TypedRows
  | Encoded
  | { readonly pieces: readonly Uint8Array<ArrayBuffer>[] }
  | Pick<Lines, 'starts' | 'rows' | 'sizes' | 'areQuoted'>
  | undefined;

/** Bytes of a text that are read at a time. */
const CHUNK = 2 ** 22;

/** Threads that the caller has started. */
export interface Threads {
  /** How many tasks they do at a time. */
  readonly count: number;
  /**
   * Has one of them call `performTask`, and resolves to what that gives. It may reject for any
   * reason: the work is then done on the calling thread, which finds out what is wrong with it.
   */
  run(task: ThreadTask): Promise<ThreadResult>;
}

/** Does a task of `Threads`, in another thread; the table was opened on the same `source`. */
export async function performTask(task: ThreadTask, source: ByteSource): Promise<ThreadResult> {
  switch (task.kind) {
    case 'pack':
      packRows(task.columns, task.packed, task.from, task.to);
      return undefined;
    case 'encode':
      return encodeRows(task.plan, takeColumns(task.columns, task.packed, task.order));
    case 'scan': {
      const { bytes, stretch, dialect, memory } = task;
      const { scanLines } = await import('./csv/scan.js');
      for (let at = stretch.first; at < stretch.end; at += CHUNK) {
        bytes.set(await source.read(at, Math.min(at + CHUNK, stretch.end)), at);
      }
      const account = new MemoryBudget(source.name, 0, memory, true).begin({ expected: 0 });
      const { starts, rows, sizes, areQuoted } = scanLines(
        source.name,
        bytes,
        stretch,
        dialect,
        account,
      );
      return { starts, rows, sizes, areQuoted };
    }
    case 'parse': {
      const { readText } = await import('./csv/column.js');
      const memory = new MemoryBudget(source.name, 0, task.memory, true);
      return readText(task.lines, task.wanted, memory.begin({ expected: 0 }));
    }
    case 'gather': {
      const { gatherLines } = await import('./csv/gather.js');
      return { pieces: [gatherLines(task.from, task.rows)] };
    }
    case 'read': {
      const { field, rows, into } = task;
      const memory = new MemoryBudget(source.name, 0, task.memory, true);
      if (rows !== undefined) {
        const { readSomeRows } = await import('./parquet/some-rows.js');
        return readSomeRows(source, field, rows, { memory, place: 0 });
      }
      const { readField } = await import('./parquet/column.js');
      return readField(source, field, memory.begin({ expected: 0 }), { into });
    }
  }
}
