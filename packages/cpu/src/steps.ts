/** How a job's segments are sorted: which are partitioned, in which digits, and where they end. */

import {
  MAX_DIGIT_BITS,
  NARROW_DIGIT_BITS,
  SPARE_BITS,
  WIDE_DIGITS_FROM as WIDE_RUNS_FROM,
} from '@keysweep/kernels/cpu';
import { PARTITION_BITS, SHARED_PARTITION_FROM } from './places.js';
import type { Job, KeyOrder } from './seat.js';

export interface Steps {
  /** Segments from this length on are partitioned. */
  readonly partitionFrom: number;
  /** Whether sorted records end at `away`. */
  readonly endsAway: boolean;
  /** Passes over the records of the longest segment, as far as they can be told ahead. */
  readonly passes: number;
}

/** One thread alone partitions what its own caches no longer hold. */
export const LONE_PARTITION_FROM: number = 1 << 20;

/** Digits of a run that was not partitioned. */
export const RUN_DIGIT_BITS = 11;

/**
 * Digits of a bucket's passes. Wide ones save passes where a bucket is long enough to pay for the
 * scan of their counters, or saves more than one, and short enough for its open cache lines to stay
 * in reach.
 */
const BUCKET_DIGIT_BITS = 8;
const WIDE_DIGITS_FROM = 10_000;
const WIDE_DIGITS_UP_TO = 100_000;

export function planSteps({ length, places }: Job, { begin, end }: KeyOrder): Steps {
  const partitionFrom = places.threads > 1 ? SHARED_PARTITION_FROM : LONE_PARTITION_FROM;
  if (length < partitionFrom) {
    const passes = passesOver(length, end - begin, RUN_DIGIT_BITS);
    return { partitionFrom, endsAway: passes % 2 === 1, passes };
  }
  const shift = Math.max(begin, end - PARTITION_BITS);
  const bucketLength = length / 2 ** PARTITION_BITS;
  const digitBits = bucketDigitBits(bucketLength, shift - begin);
  const passes = 1 + passesOver(bucketLength, shift - begin, digitBits);
  return { partitionFrom, endsAway: passes % 2 === 1, passes };
}

/** Passes over a run of `bits` bits, unless insertion finds too much to do: see kernels/cpu/wasm/runs.ts. */
function passesOver(records: number, bits: number, digitBits: number): number {
  const widest = records < WIDE_RUNS_FROM ? NARROW_DIGIT_BITS : digitBits;
  const enough = 32 - Math.clz32(records) + SPARE_BITS;
  return Math.ceil(Math.min(bits, enough) / widest);
}

/** The digits of passes over buckets of about `bucketLength` records and `bits` bits. */
export function bucketDigitBits(bucketLength: number, bits: number): number {
  const saved = Math.ceil(bits / BUCKET_DIGIT_BITS) - Math.ceil(bits / MAX_DIGIT_BITS);
  const paysScan = bucketLength >= WIDE_DIGITS_FROM || saved > 1;
  return paysScan && bucketLength < WIDE_DIGITS_UP_TO ? MAX_DIGIT_BITS : BUCKET_DIGIT_BITS;
}
