/**
 * A job: one column sorted in shared memory. Every thread that takes part runs `runJob` over the same
 * description and goes through the same phases; one thread alone runs the same code.
 *
 *   survey      smallest and largest word, and whether the keys are in order already
 *   pack        keys and payloads side by side (pairs and permutations)
 *   partition   each long segment: count a slice, scan all counts, scatter the slice, sort buckets
 *   runs        short segments
 *   unpack      payloads, and keys if asked for, on their own again
 *
 * The partition by the most significant digit makes runs that fit a cache; within them digits go
 * least significant first. (Satish, Kim, Chhugani et al., "Fast sort on CPUs and GPUs", SIGMOD 2010,
 * 3.1 and 4.1, for what caches ask of radix passes.)
 *
 * What is derived from shared data (the range, the spine's sums, the bounds of buckets) every thread
 * computes for itself: cheaper than handing it over, and nobody has to lead.
 */

import { keyTraits } from '@keysweep/core';
import { type CpuKernels, Format } from '@keysweep/kernels/cpu';
import type { Board } from './board.js';
import { surveyOrder, writeBucketOrder } from './key-order.js';
import { cursorsAt, PARTITION_BITS, scratchOf, sliceOf, spineRowAt } from './places.js';
import type { Job, JobResult, KeyOrder, Seat } from './seat.js';
import { planSteps, RUN_DIGIT_BITS, type Steps } from './steps.js';

/** Records that a piece of short segments should hold. */
const PIECE_RECORDS = 1 << 14;

/** Runs thread number `thread`'s share of `job`. Blocks while others finish what they have begun. */
export function runJob(
  job: Job,
  kernels: CpuKernels,
  memory: WebAssembly.Memory,
  board: Board,
  thread: number,
): JobResult {
  let phase = 0;
  const seat: Seat = {
    job,
    kernels,
    scratch: scratchOf(job.places, thread),
    words: new Uint32Array(memory.buffer),
    longs: new BigUint64Array(memory.buffer),
    share: (pieces, work) => board.share(phase++, pieces, work),
    advance: (records) => board.advance(records),
  };
  const order = surveyOrder(seat);
  const passesAtMost = Math.ceil(keyTraits(job.keyType).bits / RUN_DIGIT_BITS);
  if (order.found !== 'mixed') {
    return {
      found: order.found,
      keysAt: 0,
      valuesAt: 0,
      passesRun: 0,
      passesSkipped: passesAtMost,
    };
  }
  pack(seat);
  const steps = planSteps(job, order);
  sortSegments(seat, order, steps);
  const sorted = unpack(seat, steps.endsAway);
  const passesSkipped = Math.max(0, passesAtMost - steps.passes);
  return { found: 'mixed', ...sorted, passesRun: steps.passes, passesSkipped };
}

function pack({ job, kernels, share }: Seat): void {
  const { plan, places, keysAt, valuesAt, permuted, length } = job;
  if (plan.valueFormat === Format.ABSENT) return;
  const { layout, keyFormat, keyBytes, valueBytes, stride } = plan;
  const valueFormat = valuesAt === 0 ? Format.ABSENT : plan.valueFormat;
  share(places.slices, (slice) => {
    const [first, n] = sliceOf(places, slice, 0, length);
    const records = places.homeAt + first * stride;
    if (permuted) {
      const indices = places.indicesAt + first * 4;
      kernels.packPermuted(layout, keysAt, keyFormat, indices, n, records);
    } else {
      const keys = keysAt + first * keyBytes;
      const values = valuesAt + first * valueBytes;
      kernels.pack(layout, keys, keyFormat, values, valueFormat, first, n, records);
    }
  });
}

/** Takes pairs apart into the memory that the last pass left free; says where the results lie. */
function unpack(
  { job, kernels, share }: Seat,
  isAway: boolean,
): Pick<JobResult, 'keysAt' | 'valuesAt'> {
  const { plan, places, keysWanted, length } = job;
  const { homeAt, awayAt } = places;
  const [recordsAt, keysAt] = isAway ? [awayAt, homeAt] : [homeAt, awayAt];
  if (plan.valueFormat === Format.ABSENT) return { keysAt: recordsAt, valuesAt: 0 };
  const { layout, keyBytes, valueBytes, valueFormat, stride } = plan;
  const keyFormat = keysWanted ? plan.keyFormat : Format.ABSENT;
  const valuesAt = keysAt + length * keyBytes;
  share(places.slices, (slice) => {
    const [first, n] = sliceOf(places, slice, 0, length);
    const records = recordsAt + first * stride;
    const keys = keysAt + first * keyBytes;
    kernels.unpack(layout, records, n, keys, keyFormat, valuesAt + first * valueBytes, valueFormat);
  });
  return { keysAt, valuesAt };
}

function sortSegments(seat: Seat, order: KeyOrder, steps: Steps): void {
  const { job, words } = seat;
  const bounds = job.places.boundsAt / 4;
  let shortRecords = job.length;
  if (job.length >= steps.partitionFrom) {
    writeBucketOrder(seat, order, steps);
    for (let i = 0; i < job.segmentCount; i++) {
      const [start, end] = [words[bounds + i] as number, words[bounds + i + 1] as number];
      if (end - start < steps.partitionFrom) continue;
      partition(seat, order, steps, start, end);
      shortRecords -= end - start;
    }
  }
  if (shortRecords > 0) sortShortSegments(seat, steps);
}

/** Sorts the segments that are not partitioned, each by one thread. */
function sortShortSegments(
  { job, kernels, scratch, words, share, advance }: Seat,
  steps: Steps,
): void {
  const { plan, places, segmentCount, length } = job;
  const { boundsAt, homeAt, awayAt } = places;
  const bound = (i: number): number => words[boundsAt / 4 + i] as number;
  const run = (first: number, last: number): void => {
    if (first === last) return;
    const endsAway = Number(steps.endsAway);
    const { order, counters } = scratch;
    kernels.runs(plan.layout, boundsAt, first, last, homeAt, awayAt, endsAway, order, counters);
    advance(bound(last) - bound(first));
  };
  const batch = Math.max(1, Math.ceil((segmentCount * PIECE_RECORDS) / length));
  share(Math.ceil(segmentCount / batch), (piece) => {
    const last = Math.min((piece + 1) * batch, segmentCount);
    let first = piece * batch;
    for (let i = first; i < last; i++) {
      if (bound(i + 1) - bound(i) < steps.partitionFrom) continue;
      run(first, i);
      first = i + 1;
    }
    run(first, last);
  });
}

/**
 * Sorts records [start, end): scatters them slice by slice into buckets by the most significant
 * digit, then sorts the buckets, each by one thread.
 */
function partition(seat: Seat, order: KeyOrder, steps: Steps, start: number, end: number): void {
  const { job, kernels, scratch, share, advance } = seat;
  const { plan, places } = job;
  const { layout, stride } = plan;
  const { shift } = steps;
  const width = order.end - shift;
  share(places.slices, (slice) => {
    const [first, n] = sliceOf(places, slice, start, end);
    const records = places.homeAt + first * stride;
    kernels.count(layout, records, n, scratch.order, shift, width, spineRowAt(places, slice));
  });
  scanSpine(seat, width, start);
  share(places.slices, (slice) => {
    const [first, n] = sliceOf(places, slice, start, end);
    const records = places.homeAt + first * stride;
    kernels.scatter(layout, records, n, scratch.order, shift, width, cursorsAt(scratch, slice));
  });
  const bounds = scratch.bucketBounds;
  share(2 ** width, (bucket) => {
    // The scatter has brought the records to `away`: that is where these runs are at home.
    const { awayAt, homeAt } = places;
    const leaves = Number(!steps.endsAway);
    const { bucketOrder, counters } = scratch;
    const next = bucket + 1;
    kernels.runs(layout, bounds, bucket, next, awayAt, homeAt, leaves, bucketOrder, counters);
    advance(
      (seat.words[bounds / 4 + next] as number) - (seat.words[bounds / 4 + bucket] as number),
    );
  });
}

/**
 * Scans the spine, digit by slice: fills the cursors of all slices with the addresses where their
 * records of each digit value go, and the bounds of the buckets, in the order of the result.
 */
function scanSpine({ job, scratch, words }: Seat, width: number, start: number): void {
  const { places, plan, descending } = job;
  const values = 2 ** width;
  const row = 2 ** PARTITION_BITS;
  const spine = places.spineAt / 4;
  const cursors = scratch.cursors / 4;
  const bounds = scratch.bucketBounds / 4;
  let position = start;
  for (let i = 0; i < values; i++) {
    const value = descending ? values - 1 - i : i;
    words[bounds + i] = position;
    for (let slice = 0; slice < places.slices; slice++) {
      words[cursors + slice * row + value] = places.awayAt + position * plan.stride;
      position += words[spine + slice * row + value] as number;
    }
  }
  words[bounds + values] = position;
}
