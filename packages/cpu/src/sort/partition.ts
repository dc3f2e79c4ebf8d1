/**
 * Partition of a stretch of records by their most significant digit, by all threads together, and the sorts of its
 * buckets, each by one thread. A bucket that holds so much that one thread would be busy with it while the others have
 * nothing left is partitioned again.
 */

import type { Pausable } from '../pool/work-queue.js';
import { cursorsAt, giantFrom, SPINE_ROW_BYTES, sliceOf, spineRowAt } from './arena-layout.js';
import type { KeyOrder, Seat } from './job-context.js';
import {
  canSplitOtherwise,
  findSplit,
  type Split,
  splitByDigit,
  splitOtherwise,
  writeSplit,
} from './split.js';
import { bucketsInPiece } from './steps.js';

/** Records [start, end) that agree in all bits from `top` up. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly top: number;
  /** Whether they are a whole segment. */
  readonly isWhole: boolean;
  /** Whether they lie at `away`. */
  readonly isAway: boolean;
  /** Whether all are negative; of a whole segment nobody knows. */
  readonly isNegative: boolean;
}

/** How a stretch falls into buckets, in the order of the result. */
interface Buckets {
  readonly split: Split;
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

/** Sorts a stretch, which then lies at `away` where `endsAway`. O(n) a digit. */
export function* partition(
  seat: Seat,
  order: KeyOrder,
  endsAway: boolean,
  stretch: Stretch,
): Pausable<void> {
  const { start, end, isAway } = stretch;
  const { job, kernels, scratch, share } = seat;
  const { places } = job;
  const { stride } = job.plan;
  const buckets = yield* countBuckets(seat, order, stretch);
  const { split, most, bound, rest, negatives } = buckets;
  const bucketAt = (bucket: number, isAway: boolean): Stretch => ({
    start: bound(bucket),
    end: bound(bucket + 1),
    // What is out of a window is told by the top digit again.
    top: rest(bucket) === order.end ? order.top : rest(bucket),
    isWhole: false,
    isAway,
    isNegative: bucket >= negatives[0] && bucket < negatives[1],
  });
  if (most === end - start) {
    yield* partitionAgain(seat, order, endsAway, bucketAt(buckets.largest, isAway));
    return;
  }
  const from = homeOf(seat, isAway);
  const atOnce = Number(most > (end - start) / 2);
  yield* share(places.slices, (slice) => {
    const { layout, shift, width } = split;
    const [first, n] = sliceOf(places, slice, start, end);
    const [records, cursors] = [from + first * stride, cursorsAt(scratch, slice)];
    kernels.scatter(layout, records, n, scratch.order, shift, width, cursors, atOnce);
  });
  // Their bounds are gone once the first of them is partitioned.
  const giant = giantOf(seat);
  const giants: Stretch[] = [];
  for (let bucket = 0; most >= giant && bucket < buckets.count; bucket++) {
    if (bound(bucket + 1) - bound(bucket) >= giant) giants.push(bucketAt(bucket, !isAway));
  }
  yield* sortBuckets(seat, order, endsAway, stretch, buckets);
  for (const stretch of giants) yield* partitionAgain(seat, order, endsAway, stretch);
}

/** Records from which on a bucket is a giant. */
function giantOf({ job: { length, places, plan } }: Seat): number {
  return giantFrom(length, places.threads, plan.stride);
}

/** Where records lie. */
function homeOf({ job: { places } }: Seat, isAway: boolean): number {
  return isAway ? places.awayAt : places.homeAt;
}

/** Counts a stretch by its top digit or, where that leaves a giant, by what tells more, and fills the cursors of a scatter. */
function* countBuckets(seat: Seat, order: KeyOrder, stretch: Stretch): Pausable<Buckets> {
  const { start, end, top, isWhole, isAway } = stretch;
  const { places } = seat.job;
  const { stride } = seat.job.plan;
  const { kernels, scratch, words, longs } = seat;
  const [from, to] = [homeOf(seat, isAway), homeOf(seat, !isAway)];
  const countBy = (split: Split): Pausable<Buckets> => {
    const { layout, shift, width } = split;
    writeSplit(seat, order, split);
    return seat.shareCounts(
      places.slices,
      (slice, table) => {
        const [first, n] = sliceOf(places, slice, start, end);
        const [records, counts] = [from + first * stride, spineRowAt(places, slice, table)];
        kernels.count(layout, records, n, scratch.order, shift, width, counts);
      },
      (table) => scan(seat, order, stretch, split, table, to),
    );
  };
  const byDigit = yield* countBy(splitByDigit(order, top));
  const { most } = byDigit;
  const giant = giantOf(seat);
  if (!isWhole || most < giant || !canSplitOtherwise(seat.job, order)) return byDigit;
  // By one thread for all: one that comes late would find the records moved.
  const other = yield* seat.shareCounts(
    1,
    (_, table) => {
      const found = findSplit(seat, order, from, [start, end], most, giant);
      const at = spineRowAt(places, 0, table);
      words[at / 4] = found === undefined ? 0 : 1;
      words[at / 4 + 1] = Number(found?.isWindow);
      words[at / 4 + 2] = found?.shift ?? 0;
      longs[at / 8 + 2] = found?.low ?? 0n;
    },
    (table) => {
      const at = spineRowAt(places, 0, table);
      if (words[at / 4] === 0) return undefined;
      const shift = words[at / 4 + 2] as number;
      return { isWindow: words[at / 4 + 1] === 1, shift, low: longs[at / 8 + 2] as bigint };
    },
  );
  return other === undefined ? byDigit : yield* countBy(splitOtherwise(order, other));
}

/** Fills the cursors of all slices and the bounds of buckets from a table of counts. */
function scan(
  { job, kernels, scratch, words }: Seat,
  order: KeyOrder,
  { start, top, isNegative }: Stretch,
  split: Split,
  table: number,
  to: number,
): Buckets {
  const { places } = job;
  const { stride } = job.plan;
  const { bucketBounds } = scratch;
  const largest = kernels.scan(
    scratch.split,
    spineRowAt(places, 0, table),
    cursorsAt(scratch, 0),
    SPINE_ROW_BYTES,
    places.slices,
    to,
    stride,
    start,
    bucketBounds,
  );
  const count = 2 ** split.width;
  const bound = (bucket: number): number => words[bucketBounds / 4 + bucket] as number;
  const negatives = (): readonly [number, number] => {
    if (top !== order.top) return isNegative ? [0, count] : [0, 0];
    return order.descending ? [count / 2, count] : [0, count / 2];
  };
  return {
    split,
    count,
    largest,
    most: bound(largest + 1) - bound(largest),
    bound,
    rest: (bucket) => words[bucketBounds / 4 + count + 1 + bucket] as number,
    negatives: negatives(),
  };
}

/** Sorts all buckets but giants, several in a piece where they are small. */
function* sortBuckets(
  seat: Seat,
  order: KeyOrder,
  endsAway: boolean,
  { start, end, isAway }: Stretch,
  { count, negatives }: Buckets,
): Pausable<void> {
  const { kernels, scratch, words, share, advance } = seat;
  const { bucketBounds, bucketOrders, buckets, counters } = scratch;
  // The scatter has brought the records to the other place: that is where these runs are at home.
  const [home, away] = [homeOf(seat, !isAway), homeOf(seat, isAway)];
  const leaves = Number(endsAway === isAway);
  const reversed = isMixed(order) ? negatives : [0, 0];
  words.set(
    [bucketBounds, count, home, away, leaves, giantOf(seat), ...bucketOrders, ...reversed],
    buckets / 4,
  );
  const batch = bucketsInPiece(count, end - start);
  yield* share(Math.ceil(count / batch), (piece) => {
    const last = Math.min((piece + 1) * batch, count);
    advance(kernels.buckets(order.bucketLayout, buckets, piece * batch, last, counters));
  });
}

/** Whether buckets hold bare keys of which those of the lower half are in reverse order. */
const isMixed = ({ layout, bucketLayout }: KeyOrder): boolean => layout !== bucketLayout;

/** Goes on with a stretch whose digits from `top` up are done. */
function* partitionAgain(
  seat: Seat,
  order: KeyOrder,
  endsAway: boolean,
  stretch: Stretch,
): Pausable<void> {
  if (stretch.top > order.begin) {
    yield* partition(seat, order, endsAway, stretch);
    return;
  }
  const { job, share, advance } = seat;
  const { places, plan } = job;
  const { start, end, isAway } = stretch;
  yield* share(places.slices, (slice) => {
    const [first, n] = sliceOf(places, slice, start, end);
    advance(n);
    if (isAway === endsAway) return;
    const [from, to] = isAway ? [places.awayAt, places.homeAt] : [places.homeAt, places.awayAt];
    const [at, bytes] = [first * plan.stride, n * plan.stride];
    new Uint8Array(seat.words.buffer).copyWithin(to + at, from + at, from + at + bytes);
  });
}
