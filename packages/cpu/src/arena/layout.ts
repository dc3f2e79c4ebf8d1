/**
 * Where the data of one request lies in an arena:
 *
 *   queue      the work queue: phases, pieces and progress
 *   surveys    one a slice
 *   spine      counts of the partition's digit, slice by slice, in two tables that take turns
 *   scratch    for each thread: its blocks, cursors, bounds of buckets, counters
 *   asides     for each thread: memory for a bucket
 *   placed     which pieces of buckets are sorted
 *   bounds     of the segments
 *   records    the records; before, the keys of all rows and the bits that choose, if some do
 *   spare      as much memory again for the passes
 *   indices    between the columns of an argsort
 */

import {
  ABSENT,
  JOB,
  ORDER,
  PARTITION_BITS,
  RUN_COUNTER_BYTES,
  SURVEY,
} from '@keysweep/kernels/cpu';
import { ARENA_START, align, MAX_ARENA_BYTES } from './arena.js';
import {
  AT_ONCE,
  type Cuts,
  cutFor,
  MAX_PIECES,
  OVERSIZED_BYTES,
  SHARED_PARTITION_FROM,
  SLICE_BYTES,
  type Threading,
} from './cuts.js';
import type { RecordPlan } from './record-plan.js';
import { COUNT_TABLES, queueBytes } from './work-queue.js';

/** Digits of PARTITION_BITS bits of the longest keys. */
const MAX_DIGITS = Math.ceil(64 / PARTITION_BITS);

/** Byte addresses in an arena, and how the job that uses them is cut up. */
export interface ArenaLayout extends Cuts {
  readonly threads: number;
  readonly phases: number;
  readonly queueAt: number;
  readonly surveysAt: number;
  readonly spineAt: number;
  readonly scratchAt: number;
  readonly asidesAt: number;
  /** Bytes of an aside: a bucket that has more is sorted over its records. */
  readonly asideBytes: number;
  /** A word for each piece of buckets, 1 once it is sorted. */
  readonly placedAt: number;
  readonly boundsAt: number;
  readonly recordsAt: number;
  readonly spareAt: number;
  /** 0 for one column. */
  readonly indicesAt: number;
  /** One past the last address in use. */
  readonly end: number;
}

/** Addresses within one thread's scratch. */
export interface Scratch {
  /** The parameters of the kernels. */
  readonly job: number;
  /** The order of whole keys. */
  readonly order: number;
  /** The order within a bucket of a partition: of positive keys, of negative ones. */
  readonly bucketOrders: readonly [number, number];
  /** 2^PARTITION_BITS addresses, and as much again for the second half of a slice. */
  readonly cursors: number;
  readonly bucketBounds: number;
  readonly counters: number;
  /** Memory for a bucket of the layout's `asideBytes` at most. */
  readonly aside: number;
}

/** Counts of a slice, or cursors: a table for each half, which kernels read at once. */
const SPINE_ROW_BYTES: number = 2 * (4 << PARTITION_BITS);
/** A bound of each bucket and one more, and how many bits of each are left to sort by. */
const BUCKET_BOUNDS_BYTES = align(2 * (4 << PARTITION_BITS) + 4);

const BLOCKS_BYTES = align(JOB.bytes) + 3 * align(ORDER.bytes);

const SCRATCH_BYTES = BLOCKS_BYTES + SPINE_ROW_BYTES + BUCKET_BOUNDS_BYTES + RUN_COUNTER_BYTES;

/** The survey of a slice. */
export function surveyAt({ surveysAt }: ArenaLayout, slice: number): number {
  return surveysAt + slice * align(SURVEY.bytes);
}

/** The counts of a slice in one of the tables. */
export function spineRowAt({ spineAt, slices }: ArenaLayout, slice: number, table: number): number {
  return spineAt + (table * slices + slice) * SPINE_ROW_BYTES;
}

/** Gives addresses of as many bytes as each call asks for, one after the other from `start` on. */
function addressesFrom(start: number): (bytes: number) => number {
  let end = start;
  return (bytes) => {
    const at = end;
    end = align(at + bytes);
    return at;
  };
}

/** The scratch of a thread. */
export function scratchOf(
  { scratchAt, asidesAt, asideBytes }: ArenaLayout,
  thread: number,
): Scratch {
  const take = addressesFrom(scratchAt + thread * SCRATCH_BYTES);
  return {
    job: take(JOB.bytes),
    order: take(ORDER.bytes),
    bucketOrders: [take(ORDER.bytes), take(ORDER.bytes)],
    cursors: take(SPINE_ROW_BYTES),
    bucketBounds: take(BUCKET_BOUNDS_BYTES),
    counters: take(RUN_COUNTER_BYTES),
    aside: asidesAt + thread * asideBytes,
  };
}

/**
 * Choose, survey, pack, short segments, unpack and results. For every long segment: a count of each
 * digit that all its keys may share, another count and the choice of the split, scatter and
 * buckets. For what is partitioned again: count, scatter, copy and buckets, at most as often as
 * there are digits, each time for as many ranges as there can be oversized buckets.
 */
function maxPhases(length: number, { oversizedFrom }: Cuts): number {
  const long = Math.floor(length / SHARED_PARTITION_FROM);
  const oversized = Math.floor(length / oversizedFrom);
  return 6 + (MAX_DIGITS + 4) * long + 4 * MAX_DIGITS * oversized;
}

/**
 * A word for each piece of a phase: MAX_PIECES of small buckets, and fewer of large ones, which are
 * two such pieces long or longer.
 */
export const PLACED_WORDS: number = 2 * MAX_PIECES;

/** How many times the mean a bucket may be to fit into an aside. */
const ASIDE_BUCKETS = 4;

/** The most bytes of all asides together, and of one of them: no bucket exceeds that. */
const ASIDES_BYTES = 64 << 20;
const MAX_ASIDE_BYTES = OVERSIZED_BYTES;

/**
 * The most bytes of an aside; none but where several threads sort keys alone, which the calling
 * thread may write while the others work.
 */
function maxAside(
  plans: readonly RecordPlan[],
  segmentCount: number,
  { threads }: Threading,
): number {
  const isAlone = plans[0]?.valueFormat === ABSENT && segmentCount === 1;
  if (!isAlone || threads === 1) return 0;
  return Math.min(MAX_ASIDE_BYTES, Math.floor(ASIDES_BYTES / threads));
}

/**
 * Lays out a request of `length` keys in `segmentCount` segments. If rows are chosen, `choiceBytes`
 * lie where records will be.
 */
export function layOut(
  plans: readonly RecordPlan[],
  length: number,
  segmentCount: number,
  threading: Threading,
  choiceBytes = 0,
): ArenaLayout {
  const { threads } = threading;
  const stride = Math.max(...plans.map((plan) => plan.stride));
  const cuts = cutFor(length, stride, threading);
  const { slices } = cuts;
  const phases = maxPhases(length, cuts);
  const take = addressesFrom(ARENA_START);
  const mean = length < cuts.partitionFrom ? 0 : length / 2 ** PARTITION_BITS;
  const ofBuckets = Math.ceil(ASIDE_BUCKETS * mean) * stride;
  const asideBytes = align(Math.min(ofBuckets, maxAside(plans, segmentCount, threading)));
  return {
    threads,
    ...cuts,
    phases,
    asideBytes,
    // In the order of their addresses.
    queueAt: take(queueBytes(phases)),
    surveysAt: take(slices * align(SURVEY.bytes)),
    spineAt: take(COUNT_TABLES * slices * SPINE_ROW_BYTES),
    scratchAt: take(threads * SCRATCH_BYTES),
    asidesAt: take(threads * asideBytes),
    placedAt: take(4 * PLACED_WORDS),
    boundsAt: take(4 * (segmentCount + 1)),
    recordsAt: take(Math.max(stride * length, choiceBytes)),
    spareAt: take(stride * length),
    indicesAt: plans.length > 1 ? take(4 * length) : 0,
    end: take(0),
  };
}

/** The most bytes by which rounding up to whole lines can lengthen a layout. */
const ROUNDING_BYTES = 1024;

/**
 * Bytes of the queue for each key, at most: 96 for each 2^16 keys, and 256 for each OVERSIZED_BYTES
 * of records.
 */
const QUEUE_BYTES_PER_KEY = 0.003;

/** Bytes of the queue for each slice, at most. */
const QUEUE_BYTES_PER_SLICE = 256;

/** The most keys for which `layOut` stays within an arena. */
export function maxKeys(
  plans: readonly RecordPlan[],
  segmentCount: number,
  threading: Threading,
): number {
  const phasesOf = (threading: Threading): number =>
    maxPhases(2 ** 32, cutFor(2 ** 32, 4, threading));
  const most = phasesOf(threading) - phasesOf(AT_ONCE);
  const { end } = layOut(plans, 0, segmentCount, threading);
  const asides = threading.threads * maxAside(plans, segmentCount, threading);
  const fixed = end + ROUNDING_BYTES + queueBytes(most) + asides;
  const stride = Math.max(...plans.map((plan) => plan.stride));
  const ofSlice = COUNT_TABLES * SPINE_ROW_BYTES + align(SURVEY.bytes) + QUEUE_BYTES_PER_SLICE;
  const sliced = threading.pauses ? (ofSlice / SLICE_BYTES) * stride : 0;
  const perKey = 2 * stride + (plans.length > 1 ? 4 : 0) + QUEUE_BYTES_PER_KEY + sliced;
  return Math.max(0, Math.floor((MAX_ARENA_BYTES - fixed) / perKey));
}
