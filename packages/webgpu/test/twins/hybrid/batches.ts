/** Buckets and batches of a hybrid sort: the twin of kernels/wgsl/fragments/batches.wgsl. */

import { CONSTANTS } from '@keysweep/kernels/wgsl';
import { clampWord, type KeyOrder } from '../order.js';

const { BUCKETS, BUCKET_BITS } = CONSTANTS;

/** What decides on the bucket of a key, of a word's highest 32 bits. */
export interface Buckets {
  readonly bounds: readonly [lowest: number, highest: number];
  /** The lowest bit of a bucket's number in the whole word. */
  readonly bucketShift: number;
}

/** The highest 32 bits of a word. */
export const leadOf = (word: bigint, { bits }: KeyOrder): number =>
  Number(word >> BigInt(bits - 32));

/** The number of a word's bucket. */
export function bucketOf(
  word: bigint,
  order: KeyOrder,
  { bounds: [lowest, highest], bucketShift }: Buckets,
  hasNanTies: boolean,
): number {
  const lead = leadOf(hasNanTies ? clampWord(word, order) : word, order);
  const within = Math.min(highest, Math.max(lowest, lead));
  return Math.floor((within - lowest) / 2 ** (bucketShift - (order.bits - 32)));
}

/** The number of batches of so many buckets. */
export const batchCount = (batchBuckets: number): number => Math.ceil(BUCKETS / batchBuckets);

/** The buckets that the highest bits in which `leads` differ make, and those below them. */
export function bucketsOf(leads: readonly number[], { bits }: KeyOrder): Buckets {
  const any = leads.reduce((sum, lead) => sum | lead, 0);
  const all = leads.reduce((sum, lead) => sum & lead, -1);
  const width = Math.max(32 - Math.clz32(any & ~all), BUCKET_BITS);
  const lowest = Math.floor((all >>> 0) / 2 ** width) * 2 ** width;
  return {
    bounds: [lowest, lowest + 2 ** width - 1],
    bucketShift: width - BUCKET_BITS + bits - 32,
  };
}
