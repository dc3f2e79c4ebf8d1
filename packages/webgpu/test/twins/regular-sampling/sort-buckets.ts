/** The twin of kernels/wgsl/regular-sampling/sort-buckets.wgsl. */

import { bitsOf, type KeyOrder, type Records } from '../order.js';
import { workgroupSort } from '../workgroup-sort.js';

/** All records in order, stably, from words in runs; keys as raw bits. */
export function sortBuckets({ keys, values }: Records, order: KeyOrder): Records {
  return workgroupSort({ keys: keys.map((word) => bitsOf(word, order)), values }, order);
}
