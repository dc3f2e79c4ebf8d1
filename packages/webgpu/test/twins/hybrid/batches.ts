/** The twin of kernels/wgsl/fragments/batches.wgsl: buckets of a sort whose histogram decides. */

import { CONSTANTS } from '@keysweep/kernels/wgsl';
import { clampWord, type KeyOrder } from '../order.js';

const { BUCKETS, BUCKET_BITS } = CONSTANTS;

/** The number of a word's bucket: its highest bits. */
export const bucketOf = (word: bigint, order: KeyOrder, hasNanTies: boolean): number =>
  Number((hasNanTies ? clampWord(word, order) : word) >> BigInt(order.bits - BUCKET_BITS));

/** The number of batches of so many buckets. */
export const batchCount = (batchBuckets: number): number => Math.ceil(BUCKETS / batchBuckets);
