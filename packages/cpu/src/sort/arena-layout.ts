/**
 * Where the data of one request lies in an arena:
 *
 *   board      phases, pieces and progress
 *   surveys    one a slice
 *   spine      counts of the partition's digit, slice by slice, in two tables that take turns
 *   scratch    for each thread: orders, split and buckets of a partition, cursors of every slice, bounds of buckets, counters
 *   bounds     of the segments
 *   home, away the records, and as much again for the passes to put them
 *   indices    between the columns of an argsort
 */

import {
  BUCKETS_BYTES,
  ORDER_BYTES,
  RUN_COUNTER_BYTES,
  SPLIT_BYTES,
  SURVEY_BYTES,
} from '@keysweep/kernels/cpu';
import { boardBytes, COUNT_TABLES } from '../pool/work-queue.js';
import { ARENA_START, align, MAX_ARENA_BYTES } from './arena.js';
import type { RecordPlan } from './record-layout.js';

/** Bits of the digit that a partition splits by: 2^9 buckets. */
export const PARTITION_BITS = 9;

/** Such digits of the longest keys. */
const MOST_DIGITS = Math.ceil(64 / PARTITION_BITS);

/** The most significant digit of bits [begin, top): bits [shift, shift + width). */
export function topDigit(begin: number, top: number): { shift: number; width: number } {
  const shift = Math.max(begin, top - PARTITION_BITS);
  return { shift, width: top - shift };
}

/** Segments from this length on are partitioned by all threads together. */
export const SHARED_PARTITION_FROM: number = 1 << 16;

/**
 * A bucket that holds more than one part in so many a thread of all records is a giant: it would hold the others up,
 * so all threads partition it again, and also one that is so large that passes over it miss the caches.
 */
const SHARE_OF_GIANT = 4;
const GIANT_BYTES = 4 << 20;

/** Records from which on a bucket is a giant. */
export function giantFrom(length: number, threads: number, stride: number): number {
  const share = threads === 1 ? length : length / (SHARE_OF_GIANT * threads);
  return Math.max(SHARED_PARTITION_FROM, Math.ceil(Math.min(share, GIANT_BYTES / stride)));
}

/** Slices a thread that a phase over all records is cut into: a slow thread then takes fewer. */
const SLICES_PER_THREAD = 4;

/** Byte addresses in an arena. */
export interface Places {
  readonly threads: number;
  readonly slices: number;
  readonly phases: number;
  readonly boardAt: number;
  readonly surveysAt: number;
  readonly spineAt: number;
  readonly scratchAt: number;
  readonly boundsAt: number;
  readonly homeAt: number;
  readonly awayAt: number;
  /** 0 for one column. */
  readonly indicesAt: number;
  /** The first address behind it all. */
  readonly end: number;
}

/** Addresses within one thread's scratch. */
export interface Scratch {
  /** The order of whole keys. */
  readonly order: number;
  /** The order within a bucket of a partition: of positive keys, of negative ones. */
  readonly bucketOrders: readonly [number, number];
  /** How a stretch is split, and the buckets that it falls into. */
  readonly split: number;
  readonly buckets: number;
  /** 2^PARTITION_BITS addresses a half slice. */
  readonly cursors: number;
  readonly bucketBounds: number;
  readonly counters: number;
}

/** Counts or cursors of a slice: a table for each half, which kernels read at once. */
export const SPINE_ROW_BYTES: number = 2 * (4 << PARTITION_BITS);
/** A bound of each bucket and one more, and what is left to sort of each. */
const BUCKET_BOUNDS_BYTES = align(2 * (4 << PARTITION_BITS) + 4);

function scratchBytes(slices: number): number {
  const blocks = 3 * align(ORDER_BYTES) + align(SPLIT_BYTES) + align(BUCKETS_BYTES);
  return blocks + slices * SPINE_ROW_BYTES + BUCKET_BOUNDS_BYTES + RUN_COUNTER_BYTES;
}

/** The survey of a slice. */
export function surveyAt({ surveysAt }: Places, slice: number): number {
  return surveysAt + slice * align(SURVEY_BYTES);
}

/** The counts of a slice in one of the tables. */
export function spineRowAt({ spineAt, slices }: Places, slice: number, table: number): number {
  return spineAt + (table * slices + slice) * SPINE_ROW_BYTES;
}

/** The cursors of a slice in a thread's scratch. */
export function cursorsAt({ cursors }: Scratch, slice: number): number {
  return cursors + slice * SPINE_ROW_BYTES;
}

/** The scratch of a thread. */
export function scratchOf({ scratchAt, slices }: Places, thread: number): Scratch {
  const order = scratchAt + thread * scratchBytes(slices);
  const positive = order + align(ORDER_BYTES);
  const negative = positive + align(ORDER_BYTES);
  const split = negative + align(ORDER_BYTES);
  const buckets = split + align(SPLIT_BYTES);
  const cursors = buckets + align(BUCKETS_BYTES);
  const bucketBounds = cursors + slices * SPINE_ROW_BYTES;
  return {
    order,
    bucketOrders: [positive, negative],
    split,
    buckets,
    cursors,
    bucketBounds,
    counters: bucketBounds + BUCKET_BOUNDS_BYTES,
  };
}

/**
 * Survey, pack, short segments and unpack; of every long segment a count of each digit that all its keys may share, another count and the
 * choice of it, scatter and buckets; count, scatter, copy and buckets of what is partitioned again, at most as often as
 * there are digits: each time as many stretches as giants can be.
 */
function phasesAtMost(length: number, threads: number, stride: number): number {
  const long = Math.floor(length / SHARED_PARTITION_FROM);
  const giants = Math.floor(length / giantFrom(length, threads, stride));
  return 4 + (MOST_DIGITS + 4) * long + 4 * MOST_DIGITS * giants;
}

/** Lays out a request of `length` keys in `segmentCount` segments for `threads` threads. */
export function layOut(
  plans: readonly RecordPlan[],
  length: number,
  segmentCount: number,
  threads: number,
): Places {
  const slices = threads === 1 ? 1 : SLICES_PER_THREAD * threads;
  const stride = Math.max(...plans.map((plan) => plan.stride));
  const phases = phasesAtMost(length, threads, stride);
  let end = ARENA_START;
  const take = (bytes: number): number => {
    const at = end;
    end = align(at + bytes);
    return at;
  };
  const boardAt = take(boardBytes(phases));
  const surveysAt = take(slices * align(SURVEY_BYTES));
  const spineAt = take(COUNT_TABLES * slices * SPINE_ROW_BYTES);
  const scratchAt = take(threads * scratchBytes(slices));
  const boundsAt = take(4 * (segmentCount + 1));
  const homeAt = take(stride * length);
  const awayAt = take(stride * length);
  const indicesAt = plans.length > 1 ? take(4 * length) : 0;
  return {
    threads,
    slices,
    phases,
    boardAt,
    surveysAt,
    spineAt,
    scratchAt,
    boundsAt,
    homeAt,
    awayAt,
    indicesAt,
    end,
  };
}

/** The most keys for which `layOut` stays within an arena. */
export function maxKeys(
  plans: readonly RecordPlan[],
  segmentCount: number,
  threads: number,
): number {
  const most = phasesAtMost(2 ** 32, threads, 4) - phasesAtMost(2 ** 32, 1, 4);
  const fixed = layOut(plans, 0, segmentCount, threads).end + 1024 + boardBytes(most);
  const stride = Math.max(...plans.map((plan) => plan.stride));
  // 96 bytes of board for each 2^16 keys, and 256 for each GIANT_BYTES of records.
  const perKey = 2 * stride + (plans.length > 1 ? 4 : 0) + 0.003;
  return Math.max(0, Math.floor((MAX_ARENA_BYTES - fixed) / perKey));
}

/** Start and number of the records of a slice of [start, end). */
export function sliceOf(
  { slices }: Places,
  slice: number,
  start: number,
  end: number,
): readonly [first: number, count: number] {
  const at = (s: number): number => start + Math.floor(((end - start) * s) / slices);
  return [at(slice), at(slice + 1) - at(slice)];
}
