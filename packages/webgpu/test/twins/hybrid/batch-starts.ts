/** The twin of kernels/wgsl/fragments/batch-starts.wgsl. */

import type { KeyOrder } from '../order.js';
import { batchCount, bucketOf } from './batches.js';

/** The first of `words`, in the order of their buckets, of each batch; and their number. */
export function batchStarts(
  words: readonly bigint[],
  order: KeyOrder,
  batchBuckets: number,
  hasNanTies: boolean,
): number[] {
  const batches = words.map((word) => Math.floor(bucketOf(word, order, hasNanTies) / batchBuckets));
  return Array.from({ length: batchCount(batchBuckets) + 1 }, (_, batch) => {
    const first = batches.findIndex((own) => own >= batch);
    return first < 0 ? words.length : first;
  });
}
