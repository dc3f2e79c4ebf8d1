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
 *   records    the records
 *   spare      as much memory again for the passes
 *   indices    between the columns of an argsort
 */

import {
  bitsOf,
  type KeyType,
  keyTraits,
  type RequestShape,
  type TypedArray,
  traitsOf,
} from '@keysweep/core';
import {
  ABSENT,
  FLOAT,
  JOB,
  KEYS_32,
  KEYS_64,
  ORDER,
  PAIRS_32,
  PAIRS_64,
  PARTITION_BITS,
  RUN_COUNTER_BYTES,
  SIGNED_32,
  SURVEY,
  UNSIGNED_32,
  WORDS_64,
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
import { COUNT_TABLES, queueBytes } from './work-queue.js';

/** How one column's keys and payloads lie in memory. */
export interface RecordPlan {
  /** The record layout, FLOAT added where it applies: see kernels/cpu/constants.ts. */
  readonly variant: number;
  /** Bytes of a record. */
  readonly stride: 4 | 8 | 16;
  readonly keyFormat: number;
  readonly keyBytes: 4 | 8;
  /** ABSENT for keys alone. */
  readonly valueFormat: number;
  /** Bytes of a payload where the host stages it or takes it out; an index is made in place. */
  readonly valueBytes: 0 | 4 | 8;
}

/** Chooses the narrowest record for a column of `keyType` and the payload of `shape`. */
export function planRecords(shape: RequestShape, keyType: KeyType): RecordPlan {
  const { bits, kind } = keyTraits(keyType);
  const keyBytes = bits === 64 ? 8 : 4;
  const narrowFormat = kind === 'unsigned' ? UNSIGNED_32 : SIGNED_32;
  const keyFormat = bits === 64 ? WORDS_64 : narrowFormat;
  const float = kind === 'float' ? FLOAT : 0;
  if (shape.operation === 'sort') {
    const variant = (bits === 64 ? KEYS_64 : KEYS_32) | float;
    return { variant, stride: keyBytes, keyFormat, keyBytes, valueFormat: ABSENT, valueBytes: 0 };
  }
  const valueBytes = shape.valueBytes === 8 ? 8 : 4;
  const isWide = keyBytes === 8 || valueBytes === 8;
  return {
    variant: (isWide ? PAIRS_64 : PAIRS_32) | float,
    stride: isWide ? 16 : 8,
    keyFormat,
    keyBytes,
    valueFormat: valueBytes === 8 ? WORDS_64 : UNSIGNED_32,
    valueBytes,
  };
}

/**
 * The integers to copy into 32-bit slots so that each key keeps its sign: what
 * `Int32Array.prototype.set` widens. Bits of 32- and 64-bit keys are copied as they are.
 */
export function widening(array: TypedArray): Int8Array | Int16Array | ReturnType<typeof bitsOf> {
  const { kind } = traitsOf(array);
  const { buffer, byteOffset, length } = array;
  if (kind === 'unsigned' || array.BYTES_PER_ELEMENT > 2) return bitsOf(array);
  return array.BYTES_PER_ELEMENT === 1
    ? new Int8Array(buffer, byteOffset, length)
    : new Int16Array(buffer, byteOffset, length);
}

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

/** The scratch of a thread. */
export function scratchOf(
  { scratchAt, asidesAt, asideBytes }: ArenaLayout,
  thread: number,
): Scratch {
  const job = scratchAt + thread * SCRATCH_BYTES;
  const order = job + align(JOB.bytes);
  const positive = order + align(ORDER.bytes);
  const negative = positive + align(ORDER.bytes);
  const cursors = negative + align(ORDER.bytes);
  const bucketBounds = cursors + SPINE_ROW_BYTES;
  const counters = bucketBounds + BUCKET_BOUNDS_BYTES;
  const aside = asidesAt + thread * asideBytes;
  return { job, order, bucketOrders: [positive, negative], cursors, bucketBounds, counters, aside };
}

/**
 * Survey, pack, short segments, unpack and results. For every long segment: a count of each digit
 * that all its keys may share, another count and the choice of the split, scatter and buckets. For
 * what is partitioned again: count, scatter, copy and buckets, at most as often as there are
 * digits, each time for as many ranges as there can be oversized buckets.
 */
function maxPhases(length: number, { oversizedFrom }: Cuts): number {
  const long = Math.floor(length / SHARED_PARTITION_FROM);
  const oversized = Math.floor(length / oversizedFrom);
  return 5 + (MAX_DIGITS + 4) * long + 4 * MAX_DIGITS * oversized;
}

/** How many times the mean a bucket may be to fit into an aside. */
const ASIDE_BUCKETS = 4;

/** The most bytes of all asides together, and of one of them: no bucket exceeds that. */
const ASIDES_BYTES = 64 << 20;
const MAX_ASIDE_BYTES = OVERSIZED_BYTES;

/**
 * The most bytes of an aside; none but where several threads sort keys alone, which the calling
 * thread may write while the others work.
 */
function mostOfAside(
  plans: readonly RecordPlan[],
  segmentCount: number,
  { threads }: Threading,
): number {
  const isAlone = plans[0]?.valueFormat === ABSENT && segmentCount === 1;
  if (!isAlone || threads === 1) return 0;
  return Math.min(MAX_ASIDE_BYTES, Math.floor(ASIDES_BYTES / threads));
}

/** Lays out a request of `length` keys in `segmentCount` segments. */
export function layOut(
  plans: readonly RecordPlan[],
  length: number,
  segmentCount: number,
  threading: Threading,
): ArenaLayout {
  const { threads } = threading;
  const stride = Math.max(...plans.map((plan) => plan.stride));
  const cuts = cutFor(length, stride, threading);
  const { slices } = cuts;
  const phases = maxPhases(length, cuts);
  let end = ARENA_START;
  const take = (bytes: number): number => {
    const at = end;
    end = align(at + bytes);
    return at;
  };
  const queueAt = take(queueBytes(phases));
  const surveysAt = take(slices * align(SURVEY.bytes));
  const spineAt = take(COUNT_TABLES * slices * SPINE_ROW_BYTES);
  const scratchAt = take(threads * SCRATCH_BYTES);
  const mean = length < cuts.partitionFrom ? 0 : length / 2 ** PARTITION_BITS;
  const ofBuckets = Math.ceil(ASIDE_BUCKETS * mean) * stride;
  const asideBytes = align(Math.min(ofBuckets, mostOfAside(plans, segmentCount, threading)));
  const asidesAt = take(threads * asideBytes);
  const placedAt = take(4 * 2 * MAX_PIECES);
  const boundsAt = take(4 * (segmentCount + 1));
  const recordsAt = take(stride * length);
  const spareAt = take(stride * length);
  const indicesAt = plans.length > 1 ? take(4 * length) : 0;
  return {
    threads,
    ...cuts,
    phases,
    queueAt,
    surveysAt,
    spineAt,
    scratchAt,
    asidesAt,
    asideBytes,
    placedAt,
    boundsAt,
    recordsAt,
    spareAt,
    indicesAt,
    end,
  };
}

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
  const asides = threading.threads * mostOfAside(plans, segmentCount, threading);
  const fixed = end + 1024 + queueBytes(most) + asides;
  const stride = Math.max(...plans.map((plan) => plan.stride));
  // 96 bytes of the queue for each 2^16 keys, and 256 for each OVERSIZED_BYTES of records.
  const queued = 0.003;
  // Counts and a survey for each slice, and 256 bytes of the queue.
  const ofSlice = COUNT_TABLES * SPINE_ROW_BYTES + align(SURVEY.bytes) + 256;
  const sliced = threading.pauses ? (ofSlice / SLICE_BYTES) * stride : 0;
  const perKey = 2 * stride + (plans.length > 1 ? 4 : 0) + queued + sliced;
  return Math.max(0, Math.floor((MAX_ARENA_BYTES - fixed) / perKey));
}
