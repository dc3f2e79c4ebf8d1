/** Rows as the bytes of a format, wherever in the file they will be. */

import type { BatchPlan, EncodedBatch } from './arrow/write.js';
import type { EncodedGroup, GroupPlan } from './parquet/encode.js';
import type { StoredColumn } from './stored/column.js';

/** What every row group, or batch, of a file has in common. */
export type Plan = GroupPlan | BatchPlan;
/** A row group, or a batch. */
export type Encoded = EncodedGroup | EncodedBatch;

/** Encodes the rows of a part of every column. */
export async function encodeRows(plan: Plan, columns: readonly StoredColumn[]): Promise<Encoded> {
  return plan.format === 'parquet'
    ? (await import('./parquet/encode.js')).encodeGroup(plan, columns)
    : (await import('./arrow/write.js')).encodeBatch(plan, columns);
}
