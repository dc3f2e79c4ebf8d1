/** How a job's segments are sorted: which are partitioned, in which digits, and where they end. */

import {
  Layout,
  MAX_DIGIT_BITS,
  NARROW_DIGIT_BITS,
  SETTLED_SPARE_BITS,
  SPARE_BITS,
  WIDE_DIGITS_FROM as WIDE_RUNS_FROM,
} from '@keysweep/kernels/cpu';
import { PARTITION_BITS, SHARED_PARTITION_FROM, topDigit } from './places.js';
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

/** Digits of runs of so many bytes, buckets or not: wider ones take up to twice as long, where caches are cold. */
const LARGE_RUN_BYTES = 3 << 20;
const LARGE_RUN_DIGIT_BITS = 10;

/** Digits of a bucket. Wide ones save passes where it is long enough to pay for the scan of their counters, or saves more than one. */
const BUCKET_DIGIT_BITS = 8;
const WIDE_DIGITS_FROM = 10_000;

export function planSteps(job: Job, order: KeyOrder): Steps {
  const { length, places, plan } = job;
  const { begin, end, top, layout, bucketLayout } = order;
  const partitionFrom = places.threads > 1 ? SHARED_PARTITION_FROM : LONE_PARTITION_FROM;
  if (length < partitionFrom) {
    const digitBits = runDigitBits(length * plan.stride);
    const passes = passesOver(length, end - begin, digitBits, spareBits(job, layout));
    return { partitionFrom, endsAway: passes % 2 === 1, passes };
  }
  const { shift } = topDigit(begin, top);
  const bucketLength = length / 2 ** PARTITION_BITS;
  const digitBits = bucketDigitBits(bucketLength, plan.stride, shift - begin);
  const passes =
    1 + passesOver(bucketLength, shift - begin, digitBits, spareBits(job, bucketLayout));
  return { partitionFrom, endsAway: passes % 2 === 1, passes };
}

/** Records that a piece of short runs should hold. */
const PIECE_RECORDS = 1 << 14;

/** How many of so many runs, of `records` records together, are one piece. */
export function runsInPiece(runs: number, records: number): number {
  return Math.max(1, Math.ceil((runs * PIECE_RECORDS) / records));
}

/** The widest digit of passes over records that are not partitioned. */
export function runDigitBits(bytes: number): number {
  return bytes > LARGE_RUN_BYTES ? LARGE_RUN_DIGIT_BITS : RUN_DIGIT_BITS;
}

/** The bits beyond those that number a run's records which suffice: see kernels/cpu/wasm/runs.ts. */
function spareBits({ keyBits }: Job, layout: number): number {
  return layout === Layout.KEYS_32 && keyBits === undefined ? SETTLED_SPARE_BITS : SPARE_BITS;
}

/** Passes over a run of `bits` bits, unless insertion finds too much to do: see kernels/cpu/wasm/runs.ts. */
function passesOver(records: number, bits: number, digitBits: number, spare: number): number {
  const widest = records < WIDE_RUNS_FROM ? NARROW_DIGIT_BITS : digitBits;
  const enough = 32 - Math.clz32(records) + spare;
  return Math.ceil(Math.min(bits, enough) / widest);
}

/** The widest digit of passes over buckets of about `bucketLength` records of `stride` bytes and `bits` bits. */
export function bucketDigitBits(bucketLength: number, stride: number, bits: number): number {
  if (bucketLength * stride > LARGE_RUN_BYTES) return LARGE_RUN_DIGIT_BITS;
  const saved = Math.ceil(bits / BUCKET_DIGIT_BITS) - Math.ceil(bits / MAX_DIGIT_BITS);
  return bucketLength >= WIDE_DIGITS_FROM || saved > 1 ? MAX_DIGIT_BITS : BUCKET_DIGIT_BITS;
}
