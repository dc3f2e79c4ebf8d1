/** The twin of kernels/wgsl/regular-sampling/sort-runs.wgsl. */

import { type KeyOrder, type Records, wordOf } from '../order.js';
import { workgroupSort } from '../workgroup-sort.js';

/** Each run of `length` records in order, stably; keys as words. */
export function sortRuns(records: Records, order: KeyOrder, length: number): Records {
  const runs = Math.ceil(records.keys.length / length);
  const starts = Array.from({ length: runs }, (_, run) => run * length);
  const { keys, values } = workgroupSort(records, order, starts);
  return { keys: keys.map((key) => wordOf(key, order)), values };
}
