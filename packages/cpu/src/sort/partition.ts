/**
 * Partition: all threads together split a range of records by their most significant digit, then
 * sort the buckets, each bucket by one thread. An oversized bucket is partitioned again by all.
 *
 *   1. count    each slice of the range: how often each digit value occurs
 *   2. scan     every thread for itself: where the records of each value go
 *   3. scatter  each slice
 *   4. buckets  large ones first, each a piece; then several small ones in a piece
 */

import { MAX_PIECES, sliceOf, slicesIn } from '../arena/cuts.js';
import { spineRowAt } from '../arena/layout.js';
import type { Pausable, Place } from '../arena/work-queue.js';
import {
  type JobContext,
  type KeyOrder,
  placedPieces,
  type Split,
  splitByDigit,
  writeJob,
  writeSplit,
} from './job-context.js';
import { canSampleSplit, sampleSplit, splitOf } from './split.js';

/** Records [start, end) that agree in all bits from `top` up. */
interface RecordRange {
  readonly start: number;
  readonly end: number;
  readonly top: number;
  /** Whether they are a whole segment. */
  readonly isWhole: boolean;
  /** Whether they lie in the spare buffer. */
  readonly isInSpare: boolean;
  /** Whether all are known to be negative. */
  readonly isNegative: boolean;
}

/** How a range falls into buckets, in the order of the result. */
interface Buckets {
  readonly split: Split;
  /** The table of counts that they were made from. */
  readonly table: number;
  readonly count: number;
  /** The largest, and how many records it holds. */
  readonly largest: number;
  readonly most: number;
  /** The first record of a bucket, which the one before ends with. */
  readonly bound: (bucket: number) => number;
  /** One above the highest bit in which the records of a bucket may differ. */
  readonly rest: (bucket: number) => number;
  /** The buckets that hold negative keys: from one up to another. */
  readonly negatives: readonly [from: number, to: number];
}

/**
 * Sorts a range, O(n) a digit, and returns where it then lies. Usually that is the spare buffer if
 * `endsInSpare`, else the records. Exception: if the range is all records, no bucket is oversized
 * and each fits into an aside, buckets are sorted back to where the range was; if moreover the
 * caller's array is on shared memory, the threads write it meanwhile ('written'), unless that
 * decision was put off.
 */
export function* partition(
  context: JobContext,
  order: KeyOrder,
  endsInSpare: boolean,
  range: RecordRange,
): Pausable<Place> {
  const { start, end, isInSpare } = range;
  const { job, kernels, scratch, runPhase } = context;
  const { arena } = job;
  // 1 and 2.
  const buckets = yield* countBuckets(context, order, range);
  const { split, most, bound, rest, negatives } = buckets;
  const bucketAt = (bucket: number, isInSpare: boolean): RecordRange => ({
    start: bound(bucket),
    end: bound(bucket + 1),
    // Records out of a window are split by the top digit again.
    top: rest(bucket) === order.end ? order.top : rest(bucket),
    isWhole: false,
    isInSpare,
    isNegative: bucket >= negatives[0] && bucket < negatives[1],
  });
  if (most === end - start) {
    return yield* partitionAgain(context, order, endsInSpare, bucketAt(buckets.largest, isInSpare));
  }
  // 3.
  const { variant, shift, width } = split;
  const records = bufferOf(context, isInSpare);
  const atOnce = Number(most > (end - start) / 2);
  const readsAhead = Number(atOnce === 0 && !job.isFresh);
  writeJob(context, { variant, shift, width, records, atOnce, readsAhead });
  // A thread claims slices in ascending order, and its cursors are where the next one begins.
  let next = 0;
  yield* runPhase(slicesIn(arena, start, end), (slice) => {
    const [first, n] = sliceOf(arena, slice, start, end);
    kernels.skip(scratch.job, next, slice);
    kernels.scatter(scratch.job, first, n, spineRowAt(arena, slice, buckets.table));
    next = slice + 1;
  });
  // Their bounds are gone once the first of them is partitioned.
  const limit = arena.oversizedFrom;
  const oversized: RecordRange[] = [];
  for (let bucket = 0; most >= limit && bucket < buckets.count; bucket++) {
    if (bound(bucket + 1) - bound(bucket) >= limit) oversized.push(bucketAt(bucket, !isInSpare));
  }
  // 4.
  if (end - start === job.length && most < limit && most * job.plan.stride <= arena.asideBytes) {
    const { mayWrite, decisions, arrays } = context;
    const kept = { isSorted: false, at: [bufferOf(context, !isInSpare)] };
    if (mayWrite !== undefined) decisions?.decideEarly(mayWrite(kept));
    yield* sortBuckets(context, order, isInSpare, range, buckets, scratch.aside);
    const isWritten = arrays.results.length > 0 && decisions?.earlyDecision() !== 'later';
    return isWritten ? 'written' : isInSpare ? 'spare' : 'records';
  }
  yield* sortBuckets(context, order, endsInSpare, range, buckets, 0);
  for (const bucket of oversized) yield* partitionAgain(context, order, endsInSpare, bucket);
  return endsInSpare ? 'spare' : 'records';
}

/** The buffer that records lie in. */
function bufferOf({ job: { arena } }: JobContext, isInSpare: boolean): number {
  return isInSpare ? arena.spareAt : arena.recordsAt;
}

/**
 * Counts a range by its top digit or, where that leaves an oversized bucket, by a sampled split,
 * and fills the cursors of a scatter.
 */
function* countBuckets(
  context: JobContext,
  order: KeyOrder,
  range: RecordRange,
): Pausable<Buckets> {
  const { start, end, top, isWhole, isInSpare } = range;
  const { job, kernels, scratch, words, longs } = context;
  const { arena } = job;
  const records = bufferOf(context, isInSpare);
  const countBy = (split: Split): Pausable<Buckets> => {
    writeSplit(context, split);
    writeJob(context, { records });
    return context.runCountPhase(
      slicesIn(arena, start, end),
      (slice, table) => {
        const [first, n] = sliceOf(arena, slice, start, end);
        kernels.count(scratch.job, first, n, spineRowAt(arena, slice, table));
      },
      (table) => scan(context, order, range, split, table),
    );
  };
  const byDigit = yield* countBy(splitByDigit(order, top));
  const { most } = byDigit;
  const limit = arena.oversizedFrom;
  if (!isWhole || most < limit || !canSampleSplit(job, order)) return byDigit;
  // By one thread for all: one that comes late would find the records moved.
  const sampled = yield* context.runCountPhase(
    1,
    (_, table) => {
      const found = sampleSplit(context, order, records, [start, end], most, limit);
      const at = spineRowAt(arena, 0, table);
      words[at / 4] = found === undefined ? 0 : 1;
      words[at / 4 + 1] = Number(found?.isWindow);
      words[at / 4 + 2] = found?.shift ?? 0;
      longs[at / 8 + 2] = found?.low ?? 0n;
    },
    (table) => {
      const at = spineRowAt(arena, 0, table);
      if (words[at / 4] === 0) return undefined;
      const shift = words[at / 4 + 2] as number;
      return { isWindow: words[at / 4 + 1] === 1, shift, low: longs[at / 8 + 2] as bigint };
    },
  );
  return sampled === undefined ? byDigit : yield* countBy(splitOf(order, sampled));
}

/** Fills the cursors of the first slice and the bounds of buckets from a table of counts. */
function scan(
  context: JobContext,
  order: KeyOrder,
  { start, end, top, isInSpare, isNegative }: RecordRange,
  split: Split,
  table: number,
): Buckets {
  const { job, kernels, scratch, words } = context;
  const { arena } = job;
  const { bucketBounds: bounds } = scratch;
  writeJob(context, {
    counts: spineRowAt(arena, 0, table),
    cursors: scratch.cursors,
    slices: slicesIn(arena, start, end),
    spare: bufferOf(context, !isInSpare),
    start,
    bounds,
  });
  const largest = kernels.scan(scratch.job);
  const count = 2 ** split.width;
  const bound = (bucket: number): number => words[bounds / 4 + bucket] as number;
  const negatives = (): readonly [number, number] => {
    if (top !== order.top) return isNegative ? [0, count] : [0, 0];
    return order.descending ? [count / 2, count] : [0, count / 2];
  };
  return {
    split,
    table,
    count,
    largest,
    most: bound(largest + 1) - bound(largest),
    bound,
    rest: (bucket) => words[bounds / 4 + count + 1 + bucket] as number,
    negatives: negatives(),
  };
}

/** Sorts all buckets but oversized ones, several in a piece where they are small. */
function* sortBuckets(
  context: JobContext,
  order: KeyOrder,
  endsInSpare: boolean,
  { start, end, isInSpare }: RecordRange,
  { split, count, most, bound, negatives }: Buckets,
  aside: number,
): Pausable<void> {
  const { kernels, scratch, runPhase, addDone, onPlaced, arrays, copies, decisions } = context;
  const { oversizedFrom, pieceRecords } = context.job.arena;
  const { stride } = context.job.plan;
  // Whether buckets hold bare keys, and the lower half of the buckets is in reverse order.
  const isMixed = order.variant !== order.bucketVariant;
  writeJob(context, {
    variant: order.bucketVariant,
    width: split.width,
    bounds: scratch.bucketBounds,
    // The scatter has brought the records to the other buffer.
    records: bufferOf(context, !isInSpare),
    spare: bufferOf(context, isInSpare),
    endsInSpare: Number(endsInSpare === isInSpare),
    aside,
    positiveOrder: scratch.bucketOrders[0],
    negativeOrder: scratch.bucketOrders[1],
    negativesFrom: isMixed ? negatives[0] : 0,
    negativesTo: isMixed ? negatives[1] : 0,
    counters: scratch.counters,
  });
  const pieces = Math.min(MAX_PIECES, Math.ceil((end - start) / pieceRecords));
  const firstIn = (piece: number): number =>
    piece === pieces
      ? count
      : firstAt(start + Math.floor(((end - start) * piece) / pieces), count, bound);
  // A thread that came to a large bucket last would work on while the others have nothing left.
  const largeFrom = Math.ceil((LARGE_PIECES * (end - start)) / pieces);
  const sizeOf = (bucket: number): number => bound(bucket + 1) - bound(bucket);
  // One that fits into an aside is not so large.
  const areLarge = aside === 0 && most >= largeFrom;
  const large = Array.from({ length: areLarge ? count : 0 }, (_, bucket) => bucket)
    .filter((bucket) => sizeOf(bucket) >= largeFrom && sizeOf(bucket) < oversizedFrom)
    .sort((a, b) => sizeOf(b) - sizeOf(a));
  const all = large.length + pieces;
  const place = placedPieces(context, all);
  yield* runPhase(all, (piece) => {
    const small = piece - large.length;
    writeJob(context, {
      oversizedFrom: small < 0 || !areLarge ? oversizedFrom : Math.min(largeFrom, oversizedFrom),
    });
    const first = large[piece] ?? firstIn(small);
    const last = small < 0 ? first + 1 : firstIn(small + 1);
    addDone(kernels.buckets(scratch.job, first, last));
    if (aside === 0) return;
    if (arrays.results.length > 0) {
      if (decisions?.earlyDecision() !== 'write') return;
      // While they are in this thread's cache.
      const [from, to] = [bound(first), bound(last)];
      const at = bufferOf(context, isInSpare) + from * stride;
      copies?.writeStretch(context, 0, at, from, to - from);
      return;
    }
    const placed = place(piece);
    if (placed > 0) onPlaced?.(bound(firstIn(placed)));
  });
}

/** A bucket as long as two pieces or more is a piece of its own, sorted before the others. */
const LARGE_PIECES = 2;

/** The first of `count` runs that begins at `place` or after it; `count` if none does. */
export function firstAt(place: number, count: number, placeOf: (run: number) => number): number {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (placeOf(middle) < place) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Goes on with a range whose digits from `top` up are done: by the next digit, or with a copy. */
function* partitionAgain(
  context: JobContext,
  order: KeyOrder,
  endsInSpare: boolean,
  range: RecordRange,
): Pausable<Place> {
  if (range.top > order.begin) return yield* partition(context, order, endsInSpare, range);
  const { job, runPhase, addDone } = context;
  const { arena, plan } = job;
  const { start, end, isInSpare } = range;
  const slices = slicesIn(arena, start, end);
  const from = bufferOf(context, isInSpare);
  const to = bufferOf(context, !isInSpare);
  yield* runPhase(slices, (slice) => {
    const [first, n] = sliceOf(arena, slice, start, end);
    addDone(n);
    if (isInSpare === endsInSpare) return;
    const [at, bytes] = [first * plan.stride, n * plan.stride];
    new Uint8Array(context.words.buffer).copyWithin(to + at, from + at, from + at + bytes);
  });
  return endsInSpare ? 'spare' : 'records';
}
