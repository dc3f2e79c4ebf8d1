/**
 * A job: one column sorted in shared memory. Every thread of a job runs `runJob` over the same
 * description; one thread alone runs the same code, and its meetings are over at once.
 *
 *   survey      each thread reads its slice; all add up the same result
 *   pack        keys and payloads side by side (pairs and permutations)
 *   partition   each long segment: count a slice, scan all counts, scatter the slice
 *   runs        buckets and short segments, claimed one after the other by whoever is free
 *   unpack      each thread its slice
 *
 * The partition by the most significant digit makes runs that fit a cache; within them digits go
 * least significant first. (Satish, Kim, Chhugani et al., "Fast sort on CPUs and GPUs", SIGMOD 2010,
 * 3.1 and 4.1, for what caches ask of radix passes.)
 */

import { keyTransform, type KeyBits, type KeyType, limitRange } from '@keysweep/core';
import { type CpuKernels, Format, MAX_DIGIT_BITS } from '@keysweep/kernels/cpu';
import { PARTITION_BITS, type Scratch, scratchOf } from './arena.js';
import type { Meeting } from './meeting.js';
import type { RecordPlan } from './records.js';

/** What every thread is told. Plain data: it crosses to the threads by structured clone. */
export interface Job {
  readonly keyType: KeyType;
  readonly keyBits: KeyBits | undefined;
  readonly descending: boolean;
  readonly plan: RecordPlan;
  /** Number of keys, at least 1. */
  readonly length: number;
  readonly threads: number;
  /** Raw keys, where the survey reads them; for keys alone they are the records. */
  readonly keysAt: number;
  /** Raw payloads, or 0 where the payload is the index. */
  readonly valuesAt: number;
  /** Indices in the order of the columns sorted before (u32), or 0. */
  readonly indicesAt: number;
  /** Where the records are and where the passes may put them. */
  readonly homeAt: number;
  readonly awayAt: number;
  /** Whether sorted keys are asked for beside the payloads. */
  readonly keysWanted: boolean;
  /** segmentCount + 1 bounds of segments (u32), and room for those of a partition's buckets. */
  readonly boundsAt: number;
  readonly segmentCount: number;
  readonly bucketBoundsAt: number;
}

/** What a job came to. All threads compute the same. */
export interface JobResult {
  /** True when the keys were in order already: nothing was moved or unpacked. */
  readonly inOrder: boolean;
  /** Where the sorted keys and payloads lie, in the formats of the plan. */
  readonly keysAt: number;
  readonly valuesAt: number;
  readonly passesRun: number;
  readonly passesSkipped: number;
}

/** One thread's view of a job. */
interface Seat {
  readonly job: Job;
  readonly kernels: CpuKernels;
  readonly meeting: Meeting;
  readonly thread: number;
  readonly scratch: Scratch;
  readonly words: Uint32Array;
  readonly longs: BigUint64Array;
}

/** Least length of a segment that all threads partition together, and that one alone would. */
const SHARED_PARTITION_FROM = 1 << 16;
const LONE_PARTITION_FROM = 1 << 20;

/** Mean bucket length up to which 12-bit digits keep their open cache lines in reach. */
const WIDE_DIGITS_UP_TO = 100_000;

/** Digits of a run that was not partitioned. */
const RUN_DIGIT_BITS = 11;

/** Records that a claim of short segments should hold. */
const CLAIM_RECORDS = 1 << 14;

/** Runs one thread's share of `job`. Blocks while it waits for the others. */
export function runJob(
  job: Job,
  kernels: CpuKernels,
  memory: WebAssembly.Memory,
  meeting: Meeting,
  thread: number,
): JobResult {
  const seat: Seat = {
    job,
    kernels,
    meeting,
    thread,
    scratch: scratchOf(thread),
    words: new Uint32Array(memory.buffer),
    longs: new BigUint64Array(memory.buffer),
  };
  const order = survey(seat);
  const bits = order.end - order.begin;
  const widthPasses = Math.ceil(keyWidth(job) / RUN_DIGIT_BITS);
  if (order.inOrder || bits === 0) {
    return { inOrder: true, keysAt: 0, valuesAt: 0, passesRun: 0, passesSkipped: widthPasses };
  }
  pack(seat);
  const steps = planSteps(job, order);
  sortSegments(seat, order, steps);
  const sorted = unpack(seat, steps.endsAway);
  const passesSkipped = Math.max(0, widthPasses - steps.passes);
  return { inOrder: false, ...sorted, passesRun: steps.passes, passesSkipped };
}

const keyWidth = ({ keyType }: Job): number => Number(keyType.slice(1));

/** The slice of `length` that belongs to a thread. */
function sliceOf(length: number, { thread, job }: Seat): readonly [start: number, end: number] {
  const at = (t: number): number => Math.floor((length * t) / job.threads);
  return [at(thread), at(thread + 1)];
}

/** The digit range that the keys need. */
interface KeyOrder {
  readonly begin: number;
  readonly end: number;
  readonly inOrder: boolean;
}

/** Surveys this thread's slice, adds up all slices, and writes this thread's order block. */
function survey(seat: Seat): KeyOrder {
  const { job, kernels, meeting, scratch, words, longs } = seat;
  const { keyType, length, plan, keyBits, threads } = job;
  const width = plan.stride === 16 || plan.keyBytes === 8 ? 64n : 32n;
  const surveyWidth = plan.keyBytes === 8 ? 64n : 32n;
  const transform = keyTransform(keyType);
  const flip = transform.negative ^ transform.positive;
  const bias = transform.bias - transform.positive;
  writeOrder(seat, scratch.order, { flip, bias, ceiling: 0n, begin: 0, end: 0, digitBits: 0 }, surveyWidth);
  const [start, end] = sliceOf(length, seat);
  if (end > start) {
    const from = Math.max(0, start - 1);
    const layout = (plan.layout & 4) | (plan.keyBytes === 8 ? 1 : 0);
    kernels.survey(layout, job.keysAt + from * plan.keyBytes, end - from, scratch.order, scratch.survey);
  }
  meeting.meet();
  let minimum = (1n << 64n) - 1n;
  let maximum = 0n;
  let descends = 0;
  let ascends = 0;
  for (let t = 0; t < threads; t++) {
    if (Math.floor((length * t) / threads) === Math.floor((length * (t + 1)) / threads)) continue;
    const at = scratchOf(t).survey;
    const [low, high] = [longs[at / 8] as bigint, longs[at / 8 + 1] as bigint];
    if (low < minimum) minimum = low;
    if (high > maximum) maximum = high;
    descends |= words[at / 4 + 4] as number;
    ascends |= words[at / 4 + 5] as number;
  }
  const { ceiling } = transform;
  if (maximum > ceiling) maximum = ceiling;
  if (minimum > ceiling) minimum = ceiling;
  const range = limitRange(minimum, maximum, keyBits);
  writeOrder(
    seat,
    scratch.order,
    {
      flip,
      bias: bias + range.bias,
      ceiling: ceiling - range.bias,
      begin: range.begin,
      end: range.end,
      digitBits: RUN_DIGIT_BITS,
    },
    width,
  );
  const steps = job.descending ? ascends : descends;
  return {
    begin: range.begin,
    end: range.end,
    inOrder: keyBits === undefined && job.indicesAt === 0 && steps === 0,
  };
}

interface OrderBlock {
  readonly flip: bigint;
  readonly bias: bigint;
  readonly ceiling: bigint;
  readonly begin: number;
  readonly end: number;
  readonly digitBits: number;
}

/** Writes an order block, its words cut to `width` bits. */
function writeOrder(seat: Seat, at: number, order: OrderBlock, width: bigint): void {
  const { longs } = seat;
  // Masks and biases that belong to a narrow key reach all bits of a record's wider word.
  longs[at / 8] = BigInt.asUintN(Number(width), order.flip);
  longs[at / 8 + 1] = BigInt.asUintN(Number(width), order.bias);
  longs[at / 8 + 2] = BigInt.asUintN(Number(width), order.ceiling);
  writeRange(seat, at, order);
}

function writeRange(
  { words, job }: Seat,
  at: number,
  { begin, end, digitBits }: Pick<OrderBlock, 'begin' | 'end' | 'digitBits'>,
): void {
  words[at / 4 + 6] = begin;
  words[at / 4 + 7] = end;
  words[at / 4 + 8] = Number(job.descending);
  words[at / 4 + 9] = digitBits;
}

function pack(seat: Seat): void {
  const { job, kernels, meeting } = seat;
  const { plan, keysAt, valuesAt, indicesAt, homeAt, length } = job;
  if (plan.valueFormat === Format.ABSENT) return;
  const [start, end] = sliceOf(length, seat);
  const n = end - start;
  const records = homeAt + start * plan.stride;
  if (indicesAt !== 0) {
    const indices = indicesAt + start * 4;
    kernels.packPermuted(plan.layout, keysAt, plan.keyFormat, indices, n, records);
  } else {
    const format = valuesAt === 0 ? Format.ABSENT : plan.valueFormat;
    const values = valuesAt + start * plan.valueBytes;
    const keys = keysAt + start * plan.keyBytes;
    kernels.pack(plan.layout, keys, plan.keyFormat, values, format, start, n, records);
  }
  meeting.meet();
}

/** Takes pairs apart into the memory that the last pass left free; says where the results lie. */
function unpack(seat: Seat, isAway: boolean): Pick<JobResult, 'keysAt' | 'valuesAt'> {
  const { job, kernels } = seat;
  const { plan, homeAt, awayAt, keysWanted, length } = job;
  const [recordsAt, freeAt] = isAway ? [awayAt, homeAt] : [homeAt, awayAt];
  if (plan.valueFormat === Format.ABSENT) return { keysAt: recordsAt, valuesAt: 0 };
  const keysAt = freeAt;
  const valuesAt = freeAt + length * plan.keyBytes;
  const [start, end] = sliceOf(length, seat);
  kernels.unpack(
    plan.layout,
    recordsAt + start * plan.stride,
    end - start,
    keysAt + start * plan.keyBytes,
    keysWanted ? plan.keyFormat : Format.ABSENT,
    valuesAt + start * plan.valueBytes,
    plan.valueFormat,
  );
  return { keysAt, valuesAt };
}

/** How the segments of a job are sorted. */
interface Steps {
  /** Segments from this length on are partitioned by all threads together. */
  readonly partitionFrom: number;
  /** The partition's digit is [shift, end). */
  readonly shift: number;
  /** Widest digit of a pass over a bucket. */
  readonly digitBits: number;
  /** Whether sorted records end at `awayAt`. */
  readonly endsAway: boolean;
  /** Passes over the records of the longest segment. */
  readonly passes: number;
}

function planSteps({ length, threads }: Job, { begin, end }: KeyOrder): Steps {
  const partitionFrom = threads > 1 ? SHARED_PARTITION_FROM : LONE_PARTITION_FROM;
  if (length < partitionFrom) {
    const passes = Math.ceil((end - begin) / RUN_DIGIT_BITS);
    return { partitionFrom, shift: 0, digitBits: 0, endsAway: passes % 2 === 1, passes };
  }
  const shift = Math.max(begin, end - PARTITION_BITS);
  const bucket = length / 2 ** PARTITION_BITS;
  const digitBits = bucket < WIDE_DIGITS_UP_TO ? MAX_DIGIT_BITS : 8;
  const passes = 1 + Math.ceil((shift - begin) / digitBits);
  return { partitionFrom, shift, digitBits, endsAway: passes % 2 === 1, passes };
}

function sortSegments(seat: Seat, order: KeyOrder, steps: Steps): void {
  const { job, meeting, words } = seat;
  const { boundsAt, segmentCount, length } = job;
  if (length < steps.partitionFrom) {
    sortShortSegments(seat, steps);
  } else {
    const bound = (i: number): number => words[boundsAt / 4 + i] as number;
    writeRunOrder(seat, order, steps);
    let shortRecords = length;
    for (let i = 0; i < segmentCount; i++) {
      const [start, end] = [bound(i), bound(i + 1)];
      if (end - start < steps.partitionFrom) continue;
      partition(seat, steps, order, start, end);
      shortRecords -= end - start;
    }
    if (shortRecords > 0) sortShortSegments(seat, steps);
  }
  meeting.meet();
}

/** The order within a bucket: the bits below the partition's digit. */
function writeRunOrder(seat: Seat, { begin }: KeyOrder, { shift, digitBits }: Steps): void {
  const { scratch, longs } = seat;
  longs.copyWithin(scratch.runOrder / 8, scratch.order / 8, scratch.order / 8 + 3);
  writeRange(seat, scratch.runOrder, { begin, end: shift, digitBits });
}

/** Sorts the segments that are not partitioned, each by one thread, claimed in batches. */
function sortShortSegments(seat: Seat, steps: Steps): void {
  const { job, kernels, meeting, scratch, thread, words } = seat;
  const { plan, boundsAt, segmentCount, length, homeAt, awayAt, threads } = job;
  const run = (first: number, last: number): void => {
    if (first === last) return;
    kernels.runs(
      plan.layout, boundsAt, first, last, homeAt, awayAt,
      Number(steps.endsAway), scratch.order, scratch.counters,
    );
    const at = boundsAt / 4;
    meeting.advance((words[at + last] as number) - (words[at + first] as number));
  };
  if (threads > 1) {
    meeting.meet();
    if (thread === 0) meeting.openClaims();
    meeting.meet();
  }
  const batch = Math.max(1, Math.ceil((segmentCount * CLAIM_RECORDS) / length));
  for (;;) {
    const first = threads > 1 ? meeting.claim(batch) : 0;
    if (first >= segmentCount) return;
    const last = threads > 1 ? Math.min(first + batch, segmentCount) : segmentCount;
    let pending = first;
    for (let i = first; i < last; i++) {
      const size = (words[boundsAt / 4 + i + 1] as number) - (words[boundsAt / 4 + i] as number);
      if (size < steps.partitionFrom) continue;
      run(pending, i);
      pending = i + 1;
    }
    run(pending, last);
    if (threads === 1) return;
  }
}

/**
 * Sorts records [start, end): all threads scatter them into buckets by the most significant digit,
 * then each sorts the buckets that it claims.
 */
function partition(seat: Seat, steps: Steps, order: KeyOrder, start: number, end: number): void {
  const { job, kernels, meeting, scratch, thread, words } = seat;
  const { plan, homeAt, awayAt, bucketBoundsAt } = job;
  const width = order.end - steps.shift;
  const [from, to] = sliceOf(end - start, seat);
  const slice = homeAt + (start + from) * plan.stride;
  kernels.count(plan.layout, slice, to - from, scratch.order, steps.shift, width, scratch.counts);
  meeting.meet();
  const bounds = scanSpine(seat, width, start);
  kernels.scatter(
    plan.layout, slice, to - from, scratch.order, steps.shift, width, scratch.cursors,
  );
  if (thread === 0) {
    words.set(bounds, bucketBoundsAt / 4);
    meeting.openClaims();
  }
  meeting.meet();
  const buckets = bounds.length - 1;
  for (let bucket = meeting.claim(1); bucket < buckets; bucket = meeting.claim(1)) {
    kernels.runs(
      plan.layout, bucketBoundsAt, bucket, bucket + 1, awayAt, homeAt,
      Number(!steps.endsAway), scratch.runOrder, scratch.counters,
    );
    meeting.advance((bounds[bucket + 1] as number) - (bounds[bucket] as number));
  }
  // The bounds and the claims are free for the next segment only when all have done with them.
  meeting.meet();
}

/**
 * Scans the spine, digit by thread: fills this thread's cursors with the addresses where its keys
 * of each digit value go, and returns the bounds of the buckets, in the order of the result.
 */
function scanSpine({ job, scratch, thread, words }: Seat, width: number, start: number): Uint32Array {
  const { threads, plan, awayAt, descending } = job;
  const values = 2 ** width;
  const bounds = new Uint32Array(values + 1);
  let position = start;
  for (let i = 0; i < values; i++) {
    const value = descending ? values - 1 - i : i;
    bounds[i] = position;
    for (let t = 0; t < threads; t++) {
      if (t === thread) words[scratch.cursors / 4 + value] = awayAt + position * plan.stride;
      position += words[scratchOf(t).counts / 4 + value] as number;
    }
  }
  bounds[values] = position;
  return bounds;
}
