/** What other threads do for a table: they read columns of Parquet, and encode rows. */

import { type Encoded, encodeRows, type Plan } from './encode.js';
import { Memory } from './memory.js';
import type { Field } from './parquet/footer.js';
import type { ByteSource } from './source.js';
import type { StoredColumn } from './stored/column.js';
import { takeRows } from './stored/take.js';

/** Work for another thread. It is posted there, so columns are in memory that threads share. */
export type ThreadTask =
  | {
      readonly kind: 'read';
      readonly field: Field;
      /** Bytes of memory that it may take. */
      readonly memory: number;
    }
  | {
      readonly kind: 'encode';
      readonly plan: Plan;
      readonly columns: readonly StoredColumn[];
      /** The rows to encode. */
      readonly order: Uint32Array<ArrayBuffer>;
    };

/** Threads that the caller has started. */
export interface Threads {
  /** How many tasks they do at a time. */
  readonly count: number;
  /**
   * Has one of them call `performTask`, and resolves to what that gives. It may reject for any
   * reason: the work is then done on the calling thread, which finds out what is wrong with it.
   */
  run(task: ThreadTask): Promise<StoredColumn | Encoded>;
}

/** Does a task of `Threads`, in another thread; the table was opened on the same `source`. */
export async function performTask(
  task: ThreadTask,
  source: ByteSource,
): Promise<StoredColumn | Encoded> {
  if (task.kind === 'encode') {
    const { plan, columns, order } = task;
    return encodeRows(
      plan,
      columns.map((column) => ({ ...column, ...takeRows(column, order) })),
    );
  }
  const { readField } = await import('./parquet/column.js');
  const share = new Memory(source.name, 0, task.memory, true).begin({ expected: 0 });
  return readField(source, task.field, share);
}
