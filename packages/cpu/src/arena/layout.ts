/**
 * How a job is cut up for the threads that share it (slices for the phases that read or move every
 * record, pieces for the phase that sorts buckets), and where the data of one request lies in an
 * arena:
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
import { COUNT_TABLES, queueBytes } from './work-queue.js';

/** Who sorts a request in an arena. */
export interface Threading {
  readonly threads: number;
  /** Whether a thread that is alone pauses: it then needs short pieces. */
  readonly pauses: boolean;
}

/** One thread that does not pause. */
export const AT_ONCE: Threading = { threads: 1, pauses: false };

/** How a request is cut. */
export interface Cuts {
  /** Slices of all records. */
  readonly slices: number;
  /** Records of a slice of any range; undefined if every range has as many slices. */
  readonly sliceRecords: number | undefined;
  /** Records that a piece of short runs should hold. */
  readonly pieceRecords: number;
  /** A segment of this length or more is partitioned. */
  readonly partitionFrom: number;
  /** A bucket of this many records or more is oversized. */
  readonly oversizedFrom: number;
}

/**
 * Bytes of records in a slice of a thread that pauses. The first slice is read by kernels that are
 * not optimized yet: the scatter of a mebibyte then takes 3 ms.
 */
const SLICE_BYTES = 1 << 18;

/** Bytes of records that a thread which pauses sorts at once, at most: a millisecond's work. */
const PIECE_BYTES = 1 << 20;

/** Slices a thread that a phase over all records is cut into: a slow thread then takes fewer. */
const SLICES_PER_THREAD = 4;

/** Records that a piece of short runs should hold: some tenths of a millisecond of work. */
const SHARED_PIECE_RECORDS = 1 << 14;

/**
 * Most pieces for the buckets of a partition, but large ones. Claiming a piece runs code of the
 * host; the more often it runs, the sooner the engine compiles it on a core that the sort needs.
 */
export const MAX_PIECES: number = 256;

/**
 * Segments of this length or more are partitioned by all threads together, and floats of both signs
 * by one thread as well: each of their buckets has one sign, and the order then costs nothing.
 */
export const SHARED_PARTITION_FROM: number = 1 << 16;

/**
 * A bucket of more than a thread's share of all records is oversized: one thread would be busy with
 * it while the others have nothing left, so all threads partition it again. So is a bucket so large
 * that passes over it miss the caches.
 */
const OVERSIZED_BYTES: number = 4 << 20;

/** How `length` records of `stride` bytes are cut. */
function cutFor(length: number, stride: number, threading: Threading): Cuts {
  const { threads, pauses } = threading;
  const sliceRecords = pauses ? SLICE_BYTES / stride : undefined;
  const fixed = threads === 1 ? 1 : SLICES_PER_THREAD * threads;
  return {
    slices: sliceRecords === undefined ? fixed : Math.ceil(Math.max(length, 1) / sliceRecords),
    sliceRecords,
    pieceRecords: pieceRecords(length, stride, threading),
    // What a lone thread's own caches no longer hold, and too long a piece for one that pauses.
    partitionFrom: threads === 1 ? PIECE_BYTES / stride : SHARED_PARTITION_FROM,
    oversizedFrom: oversizedFrom(length, stride, threading),
  };
}

function oversizedFrom(length: number, stride: number, { threads, pauses }: Threading): number {
  if (pauses) return PIECE_BYTES / stride;
  return Math.max(
    SHARED_PARTITION_FROM,
    Math.ceil(Math.min(length / threads, OVERSIZED_BYTES / stride)),
  );
}

/**
 * A thread that is alone takes all short runs at once. One that pauses takes a slice, and with it a
 * bucket that reaches beyond.
 */
function pieceRecords(length: number, stride: number, { threads, pauses }: Threading): number {
  if (threads > 1) return SHARED_PIECE_RECORDS;
  return pauses ? SLICE_BYTES / stride : Math.max(length, 1);
}

/** Slices of the records [start, end): as many as the job has, or fewer. */
export function slicesIn({ slices, sliceRecords }: Cuts, start: number, end: number): number {
  return sliceRecords === undefined ? slices : Math.max(1, Math.ceil((end - start) / sliceRecords));
}

/** First record and number of the records of a slice of [start, end). */
export function sliceOf(
  cuts: Cuts,
  slice: number,
  start: number,
  end: number,
): readonly [first: number, count: number] {
  const slices = slicesIn(cuts, start, end);
  const at = (s: number): number => start + Math.floor(((end - start) * s) / slices);
  return [at(slice), at(slice + 1) - at(slice)];
}

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
  const asideBytes = align(Math.min(ofBuckets, mostOfAside(plans, segmentCount, threading)));
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
    placedAt: take(4 * 2 * MAX_PIECES),
    boundsAt: take(4 * (segmentCount + 1)),
    recordsAt: take(Math.max(stride * length, choiceBytes)),
    spareAt: take(stride * length),
    indicesAt: plans.length > 1 ? take(4 * length) : 0,
    end: take(0),
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
