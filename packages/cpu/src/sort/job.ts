/**
 * A job: one column sorted in shared memory. Every thread that takes part runs `runJob` over the
 * same description and goes through the same phases; one thread alone runs the same code.
 *
 *   choose      keys of rows that are chosen (choose.ts)
 *   survey      smallest and largest word, and whether the keys are in order already (survey.ts)
 *   count       rows of keys in a range of 16 bits: nothing else is left to do then (counting.ts)
 *   pack        keys and payloads side by side (pairs and permutations)
 *   partition   each long segment: count, scan, scatter, sort buckets (partition.ts)
 *   runs        short segments
 *   unpack      payloads, and keys if wanted, on their own again
 *
 * The partition by the most significant digit makes runs that fit a cache; within them digits go
 * least significant first. (Satish, Kim, Chhugani et al., "Fast sort on CPUs and GPUs", SIGMOD
 * 2010, 3.1 and 4.1, for what caches ask of radix passes.)
 *
 * Every thread computes for itself what follows from shared data: the range, the spine's sums, the
 * bounds of buckets. That is cheaper than handing it over, and no thread has to lead.
 */

import { keyTraits } from '@keysweep/core';
import { ABSENT, type CpuKernels, MAX_DIGIT_BITS, PARTITION_BITS } from '@keysweep/kernels/cpu';
import { SHARED_PARTITION_FROM, sliceOf } from '../arena/cuts.js';
import { scratchOf } from '../arena/layout.js';
import {
  COUNT_TABLES,
  CountsOverwritten,
  type Pausable,
  type Place,
  type WorkQueue,
} from '../arena/work-queue.js';
import { countRows } from './counting.js';
import {
  type Job,
  type JobContext,
  type JobResult,
  type KeyOrder,
  NONE_SHARED,
  resultsOf,
  type SharedCopies,
  type ThreadPart,
  writeJob,
} from './job-context.js';
import { firstAt, partition } from './partition.js';
import { surveyOrder } from './survey.js';

/** What a job needs of the work queue that its threads share. */
export type JobQueue = Pick<
  WorkQueue,
  | 'runPhase'
  | 'awaitStaged'
  | 'joined'
  | 'markCounted'
  | 'assertCounted'
  | 'markSorted'
  | 'awaitSorted'
  | 'addDone'
>;

/**
 * Does thread number `thread`'s part of `job`. Blocks while others finish what they have begun, for
 * some milliseconds at a time; can be paused between pieces. `onPlaced` is told of keys that are in
 * place, where they are all in one segment without payloads, and no bucket of theirs is long. Then
 * shared memory is written as well while keys are sorted, other results when all are there.
 */
export function* runJob(
  job: Job,
  kernels: CpuKernels,
  memory: WebAssembly.Memory,
  queue: JobQueue,
  thread: number,
  { arrays = NONE_SHARED, copies, choosing, onPlaced, mayWrite, decisions }: ThreadPart = {},
): Pausable<JobResult> {
  const phases: Phases = { next: 0 };
  let counts = 0;
  const context: JobContext = {
    job,
    kernels,
    scratch: scratchOf(job.arena, thread),
    words: new Uint32Array(memory.buffer),
    longs: new BigUint64Array(memory.buffer),
    runPhase: (pieces, work) => queue.runPhase(phases.next++, pieces, work),
    *runCountPhase(pieces, work, read) {
      const counted = phases.next++;
      const table = counts++ % COUNT_TABLES;
      yield* queue.runPhase(counted, pieces, (piece) => {
        queue.markCounted(counted, table);
        work(piece, table);
      });
      const found = read(table);
      queue.assertCounted(counted, table);
      return found;
    },
    addDone: (records) => queue.addDone(records),
    onPlaced,
    awaitStaged: (slices) => queue.awaitStaged(slices),
    arrays,
    copies,
    mayWrite,
    decisions,
  };
  if (choosing !== undefined) yield* choosing.choose(context);
  const order = yield* surveyOrder(context);
  const { inputOrder } = order;
  const isMoved = inputOrder !== 'sorted';
  const notMoved: Sorted = { ...job, place: 'records', passesRun: 0 };
  const sorted = isMoved ? yield* sortBySurvey(context, order, phases, queue) : notMoved;
  // A thread that missed counts does not know how many phases came before, for that depends on the
  // data.
  phases.next = job.arena.phases - 1;
  const isWritten = isMoved && arrays.results.length > 0;
  if (isWritten && sorted.place !== 'written') {
    yield* (copies as SharedCopies).writeResults(context, resultsOf(job, sorted));
  }
  const { keysAt, valuesAt, passesRun } = sorted;
  const maxPasses = Math.ceil(keyTraits(job.keyType).bits / MAX_DIGIT_BITS);
  return {
    inputOrder,
    isWritten,
    keysAt,
    valuesAt,
    passesRun,
    passesSkipped: Math.max(0, maxPasses - passesRun),
    threads: queue.joined,
  };
}

/** The phases of a job, numbered as this thread comes to them. */
interface Phases {
  /** The number of the next one. */
  next: number;
}

/** Where the sorted records of a job lie. */
interface Sorted extends Pick<JobResult, 'keysAt' | 'valuesAt' | 'passesRun'> {
  readonly place: Place;
}

/** Sorts records that the survey has found out of order. */
function* sortBySurvey(
  context: JobContext,
  order: KeyOrder,
  phases: Phases,
  queue: JobQueue,
): Pausable<Sorted> {
  const { arena } = context.job;
  if (order.inputOrder === 'reversed') {
    yield* reverse(context);
    return { place: 'spare', keysAt: arena.spareAt, valuesAt: 0, passesRun: 0 };
  }
  if (order.counted !== undefined) {
    const results = yield* countRows(context, order.counted);
    return { place: 'records', ...results };
  }
  yield* pack(context);
  const plan = planPasses(context, order);
  let place: Place;
  try {
    place = yield* sortSegments(context, order, plan);
    queue.markSorted(place);
  } catch (error) {
    if (!(error instanceof CountsOverwritten)) throw error;
    place = yield* queue.awaitSorted();
  }
  phases.next = arena.phases - 2;
  const results = yield* unpack(context, place === 'spare');
  return { place, ...results, passesRun: plan.passes };
}

/** Puts keys that are in reverse order in order, in the spare buffer. */
function* reverse({ job, words, runPhase }: JobContext): Pausable<void> {
  const { arena, plan, length } = job;
  const keysFrom = (at: number, first: number, n: number): BigUint64Array | Uint32Array =>
    plan.keyBytes === 8
      ? new BigUint64Array(words.buffer, at + 8 * first, n)
      : new Uint32Array(words.buffer, at + 4 * first, n);
  yield* runPhase(arena.slices, (slice) => {
    const [first, n] = sliceOf(arena, slice, 0, length);
    const target = keysFrom(arena.spareAt, first, n);
    target.set(keysFrom(arena.recordsAt, length - first - n, n) as never);
    target.reverse();
  });
}

/** How a job's segments are sorted. */
interface PassPlan {
  /** A segment of this length or more is partitioned. */
  readonly partitionFrom: number;
  /** Whether sorted records end in the spare buffer, where no partition has them elsewhere. */
  readonly endsInSpare: boolean;
  /** Passes over the records of the longest segment, as far as they can be told ahead. */
  readonly passes: number;
}

/** Once the order is written into the scratch. */
function planPasses({ job, kernels, scratch }: JobContext, order: KeyOrder): PassPlan {
  const { length, arena } = job;
  const [bucketOrder] = scratch.bucketOrders;
  // Buckets are integers if keys are floats of both signs.
  const isMixed = order.variant !== order.bucketVariant;
  const partitionFrom = isMixed ? SHARED_PARTITION_FROM : arena.partitionFrom;
  const passes =
    length < partitionFrom
      ? kernels.passes(order.variant, length, scratch.order)
      : 1 + kernels.passes(order.bucketVariant, length / 2 ** PARTITION_BITS, bucketOrder);
  return { partitionFrom, endsInSpare: passes % 2 === 1, passes };
}

/** Puts the keys and payloads of pairs side by side. */
function* pack(context: JobContext): Pausable<void> {
  const { job, kernels, scratch, runPhase } = context;
  const { plan, arena, keysAt, valuesAt, permuted, length } = job;
  if (plan.valueFormat === ABSENT) return;
  writeJob(context, {
    variant: plan.variant,
    keyFormat: plan.keyFormat,
    keys: keysAt,
    valueFormat: valuesAt === 0 ? ABSENT : plan.valueFormat,
    values: valuesAt,
    indices: permuted ? arena.indicesAt : 0,
    records: arena.recordsAt,
  });
  yield* runPhase(arena.slices, (slice) => {
    const [first, n] = sliceOf(arena, slice, 0, length);
    kernels.pack(scratch.job, first, n);
  });
}

/** Takes pairs apart into the buffer that the last pass left free; says where the results lie. */
function* unpack(
  context: JobContext,
  isInSpare: boolean,
): Pausable<Pick<JobResult, 'keysAt' | 'valuesAt'>> {
  const { job, kernels, scratch, runPhase } = context;
  const { plan, arena, keysWanted, length } = job;
  const records = isInSpare ? arena.spareAt : arena.recordsAt;
  if (plan.valueFormat === ABSENT) return { keysAt: records, valuesAt: 0 };
  const keys = isInSpare ? arena.recordsAt : arena.spareAt;
  const values = keys + length * plan.keyBytes;
  writeJob(context, {
    variant: plan.variant,
    keyFormat: keysWanted ? plan.keyFormat : ABSENT,
    keys,
    valueFormat: plan.valueFormat,
    values,
    records,
  });
  yield* runPhase(arena.slices, (slice) => {
    const [first, n] = sliceOf(arena, slice, 0, length);
    kernels.unpack(scratch.job, first, n);
  });
  return { keysAt: keys, valuesAt: values };
}

/** Sorts all segments; returns where they then lie. */
function* sortSegments(context: JobContext, order: KeyOrder, plan: PassPlan): Pausable<Place> {
  const { job, words } = context;
  const { partitionFrom } = plan;
  const bounds = job.arena.boundsAt / 4;
  let shortRecords = job.length;
  let place: Place = plan.endsInSpare ? 'spare' : 'records';
  if (job.length >= partitionFrom) {
    for (let i = 0; i < job.segmentCount; i++) {
      const [start, end] = [words[bounds + i] as number, words[bounds + i + 1] as number];
      if (end - start < partitionFrom) continue;
      const state = { isWhole: true, isInSpare: false, isNegative: false };
      const range = { start, end, top: order.top, ...state };
      place = yield* partition(context, order, plan.endsInSpare, range);
      shortRecords -= end - start;
    }
  }
  if (shortRecords > 0) yield* sortShortSegments(context, order, plan);
  return place;
}

/** Sorts the segments that are not partitioned, each by one thread. */
function* sortShortSegments(
  context: JobContext,
  { variant }: KeyOrder,
  { partitionFrom, endsInSpare }: PassPlan,
): Pausable<void> {
  const { job, kernels, scratch, words, runPhase, addDone } = context;
  const { arena, segmentCount, length } = job;
  writeJob(context, {
    variant,
    bounds: arena.boundsAt,
    records: arena.recordsAt,
    spare: arena.spareAt,
    endsInSpare: Number(endsInSpare),
    order: scratch.order,
    counters: scratch.counters,
  });
  const bound = (i: number): number => words[arena.boundsAt / 4 + i] as number;
  const sortRuns = (first: number, last: number): void => {
    if (first === last) return;
    kernels.runs(scratch.job, first, last);
    addDone(bound(last) - bound(first));
  };
  // Many records make a piece, and so do many segments that are empty.
  const most = length + segmentCount;
  const pieces = Math.min(segmentCount, Math.ceil(most / arena.pieceRecords));
  const firstIn = (piece: number): number =>
    firstAt(Math.floor((most * piece) / pieces), segmentCount, (i) => bound(i) + i);
  yield* runPhase(pieces, (piece) => {
    const last = firstIn(piece + 1);
    let first = firstIn(piece);
    for (let i = first; i < last; i++) {
      if (bound(i + 1) - bound(i) < partitionFrom) continue;
      sortRuns(first, i);
      first = i + 1;
    }
    sortRuns(first, last);
  });
}
