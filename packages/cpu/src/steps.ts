/** How a job's segments are sorted: which are partitioned, in which digits, and where they end. */

import { MAX_DIGIT_BITS } from '@keysweep/kernels/cpu';
import { PARTITION_BITS, SHARED_PARTITION_FROM } from './places.js';
import type { Job, KeyOrder } from './seat.js';

export interface Steps {
  /** Segments from this length on are partitioned. */
  readonly partitionFrom: number;
  /** The partition's digit is bits [shift, end). */
  readonly shift: number;
  /** Widest digit of a pass over a bucket. */
  readonly digitBits: number;
  /** Whether sorted records end at `away`. */
  readonly endsAway: boolean;
  /** Passes over the records of the longest segment. */
  readonly passes: number;
}

/** One thread alone partitions what its own caches no longer hold. */
const LONE_PARTITION_FROM = 1 << 20;

/** Digits of a run that was not partitioned. */
export const RUN_DIGIT_BITS = 11;

/** Digits of a bucket's passes: wide ones while the buckets are small enough to stay in a cache. */
const BUCKET_DIGIT_BITS = 8;
const WIDE_BUCKET_DIGITS_UP_TO = 100_000;

export function planSteps({ length, places }: Job, { begin, end }: KeyOrder): Steps {
  const partitionFrom = places.threads > 1 ? SHARED_PARTITION_FROM : LONE_PARTITION_FROM;
  if (length < partitionFrom) {
    const passes = Math.ceil((end - begin) / RUN_DIGIT_BITS);
    return { partitionFrom, shift: end, digitBits: 0, endsAway: passes % 2 === 1, passes };
  }
  const shift = Math.max(begin, end - PARTITION_BITS);
  const bucketLength = length / 2 ** PARTITION_BITS;
  const digitBits = bucketLength < WIDE_BUCKET_DIGITS_UP_TO ? MAX_DIGIT_BITS : BUCKET_DIGIT_BITS;
  const passes = 1 + Math.ceil((shift - begin) / digitBits);
  return { partitionFrom, shift, digitBits, endsAway: passes % 2 === 1, passes };
}
