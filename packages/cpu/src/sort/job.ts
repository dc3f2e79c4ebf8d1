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
import { type CpuKernels, Format, MAX_DIGIT_BITS } from '@keysweep/kernels/cpu';
import { type Board, COUNT_TABLES, FellBehind, type Pausable } from '../pool/work-queue.js';
import { scratchOf, sliceOf } from './arena-layout.js';
import type { Job, JobResult, KeyOrder, Seat } from './job-context.js';
import { surveyOrder } from './key-order.js';
import { partition } from './partition.js';
import { planSteps, runsInPiece, type Steps } from './steps.js';

/**
 * Runs thread number `thread`'s share of `job`. Blocks while others finish what they have begun, for some milliseconds
 * at a time; can be paused between pieces.
 */
export function* runJob(
  job: Job,
  kernels: CpuKernels,
  memory: WebAssembly.Memory,
  board: Board,
  thread: number,
): Pausable<JobResult> {
  let phase = 0;
  let counts = 0;
  const seat: Seat = {
    job,
    kernels,
    scratch: scratchOf(job.places, thread),
    words: new Uint32Array(memory.buffer),
    longs: new BigUint64Array(memory.buffer),
    share: (pieces, work) => board.share(phase++, pieces, work),
    *shareCounts(pieces, work, read) {
      const counted = phase++;
      const table = counts++ % COUNT_TABLES;
      yield* board.share(counted, pieces, (piece) => {
        board.overwrite(counted, table);
        work(piece, table);
      });
      const found = read(table);
      board.assertCounted(counted, table);
      return found;
    },
    advance: (records) => board.advance(records),
    awaitStaged: (slices) => board.awaitStaged(slices),
  };
  const order = yield* surveyOrder(seat);
  const passesAtMost = Math.ceil(keyTraits(job.keyType).bits / MAX_DIGIT_BITS);
  if (order.found !== 'mixed') {
    return {
      found: order.found,
      keysAt: 0,
      valuesAt: 0,
      passesRun: 0,
      passesSkipped: passesAtMost,
      threads: board.arrived,
    };
  }
  yield* pack(seat);
  const steps = planSteps(seat, order);
  try {
    yield* sortSegments(seat, order, steps);
    board.finishSorting();
  } catch (error) {
    if (!(error instanceof FellBehind)) throw error;
    yield* board.awaitSorted();
  }
  // The number of phases before depends on the data: who fell behind does not know it.
  phase = job.places.phases - 1;
  const sorted = yield* unpack(seat, steps.endsAway);
  const passesSkipped = Math.max(0, passesAtMost - steps.passes);
  const { arrived } = board;
  return { found: 'mixed', ...sorted, passesRun: steps.passes, passesSkipped, threads: arrived };
}

function* pack({ job, kernels, share }: Seat): Pausable<void> {
  const { plan, places, keysAt, valuesAt, permuted, length } = job;
  if (plan.valueFormat === Format.ABSENT) return;
  const { layout, keyFormat, keyBytes, valueBytes, stride } = plan;
  const valueFormat = valuesAt === 0 ? Format.ABSENT : plan.valueFormat;
  yield* share(places.slices, (slice) => {
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
function* unpack(
  { job, kernels, share }: Seat,
  isAway: boolean,
): Pausable<Pick<JobResult, 'keysAt' | 'valuesAt'>> {
  const { plan, places, keysWanted, length } = job;
  const { homeAt, awayAt } = places;
  const [recordsAt, keysAt] = isAway ? [awayAt, homeAt] : [homeAt, awayAt];
  if (plan.valueFormat === Format.ABSENT) return { keysAt: recordsAt, valuesAt: 0 };
  const { layout, keyBytes, valueBytes, valueFormat, stride } = plan;
  const keyFormat = keysWanted ? plan.keyFormat : Format.ABSENT;
  const valuesAt = keysAt + length * keyBytes;
  yield* share(places.slices, (slice) => {
    const [first, n] = sliceOf(places, slice, 0, length);
    const records = recordsAt + first * stride;
    const keys = keysAt + first * keyBytes;
    kernels.unpack(layout, records, n, keys, keyFormat, valuesAt + first * valueBytes, valueFormat);
  });
  return { keysAt, valuesAt };
}

function* sortSegments(seat: Seat, order: KeyOrder, steps: Steps): Pausable<void> {
  const { job, words } = seat;
  const bounds = job.places.boundsAt / 4;
  let shortRecords = job.length;
  if (job.length >= steps.partitionFrom) {
    for (let i = 0; i < job.segmentCount; i++) {
      const [start, end] = [words[bounds + i] as number, words[bounds + i + 1] as number];
      if (end - start < steps.partitionFrom) continue;
      const place = { start, end, isWhole: true, isAway: false };
      const whole = { ...place, top: order.top, isNegative: false };
      yield* partition(seat, order, steps.endsAway, whole);
      shortRecords -= end - start;
    }
  }
  if (shortRecords > 0) yield* sortShortSegments(seat, order, steps);
}

/** Sorts the segments that are not partitioned, each by one thread. */
function* sortShortSegments(
  { job, kernels, scratch, words, share, advance }: Seat,
  { layout }: KeyOrder,
  steps: Steps,
): Pausable<void> {
  const { places, segmentCount, length } = job;
  const { boundsAt, homeAt, awayAt } = places;
  const bound = (i: number): number => words[boundsAt / 4 + i] as number;
  const run = (first: number, last: number): void => {
    if (first === last) return;
    const endsAway = Number(steps.endsAway);
    const { order, counters } = scratch;
    kernels.runs(layout, boundsAt, first, last, homeAt, awayAt, endsAway, order, counters);
    advance(bound(last) - bound(first));
  };
  const batch = runsInPiece(segmentCount, length);
  yield* share(Math.ceil(segmentCount / batch), (piece) => {
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
