/** How a job's segments are sorted: which are partitioned, and where they end. */

import { PARTITION_BITS, SHARED_PARTITION_FROM } from './arena-layout.js';
import type { KeyOrder, Seat } from './job-context.js';

export interface Steps {
  /** Segments from this length on are partitioned. */
  readonly partitionFrom: number;
  /** Whether sorted records end at `away`. */
  readonly endsAway: boolean;
  /** Passes over the records of the longest segment, as far as they can be told ahead. */
  readonly passes: number;
}

/** One thread alone partitions what its own caches no longer hold. */
const LONE_PARTITION_FROM: number = 1 << 20;

/** Once the order is written into the scratch. */
export function planSteps({ job, kernels, scratch }: Seat, order: KeyOrder): Steps {
  const { length, places } = job;
  const partitionFrom = places.threads > 1 ? SHARED_PARTITION_FROM : LONE_PARTITION_FROM;
  const [bucketOrder] = scratch.bucketOrders;
  const passes =
    length < partitionFrom
      ? kernels.passes(order.layout, length, scratch.order)
      : 1 + kernels.passes(order.bucketLayout, length / 2 ** PARTITION_BITS, bucketOrder);
  return { partitionFrom, endsAway: passes % 2 === 1, passes };
}

/** Records that a piece of short runs should hold. */
const PIECE_RECORDS = 1 << 14;

/** How many of so many runs, of `records` records together, are one piece. */
export function runsInPiece(runs: number, records: number): number {
  return Math.max(1, Math.ceil((runs * PIECE_RECORDS) / records));
}

/**
 * Pieces that the buckets of a partition are at most: whoever claims one runs code that is not compiled for so little, and the
 * machine has better things to do than to compile it.
 */
const MOST_PIECES = 256;

/** How many of so many buckets, none of them a giant, are one piece. */
export function bucketsInPiece(buckets: number, records: number): number {
  return Math.max(runsInPiece(buckets, records), Math.ceil(buckets / MOST_PIECES));
}
