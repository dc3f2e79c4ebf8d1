/**
 * Partition of a stretch of records by their most significant digit, by all threads together, and the sorts of its
 * buckets, each by one thread. A bucket that holds so much that one thread would be busy with it while the others have
 * nothing left is partitioned again.
 */

import { Layout } from '@keysweep/kernels/cpu';
import type { Pausable } from './board.js';
import { boundBucketOrder, writeBucketOrders, writeWindow } from './key-order.js';
import { cursorsAt, giantFrom, SPINE_ROW_BYTES, sliceOf, spineRowAt } from './places.js';
import type { KeyOrder, Seat } from './seat.js';
import { canSplitOtherwise, findSplit, type Split, splitByDigit, splitOtherwise } from './split.js';
import { bucketDigitBits, runsInPiece } from './steps.js';

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
  readonly isNegative: (bucket: number) => boolean;
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
  const { split, most, bound, rest, isNegative } = buckets;
  const bucketAt = (bucket: number, isAway: boolean): Stretch => ({
    start: bound(bucket),
    end: bound(bucket + 1),
    // What is out of a window is told by the top digit again.
    top: rest(bucket) === order.end ? order.top : rest(bucket),
    isWhole: false,
    isAway,
    isNegative: isNegative(bucket),
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
    const { layout, shift, width, low } = split;
    if ((layout & Layout.WINDOW) !== 0) writeWindow(seat, low);
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
  const descending = Number(order.descending);
  const largest = kernels.scan(
    spineRowAt(places, 0, table),
    cursorsAt(scratch, 0),
    SPINE_ROW_BYTES,
    places.slices,
    split.width,
    split.first,
    descending,
    to,
    stride,
    start,
    bucketBounds,
  );
  const count = 2 ** split.width;
  const bound = (bucket: number): number => words[bucketBounds / 4 + bucket] as number;
  return {
    split,
    count,
    largest,
    most: bound(largest + 1) - bound(largest),
    bound,
    rest: (bucket) =>
      split.rest((split.first + (order.descending ? count - 1 - bucket : bucket)) % count),
    isNegative: (bucket) =>
      top === order.top ? bucket < count / 2 !== order.descending : isNegative,
  };
}

/** Sorts all buckets but giants, several in a piece where they are small. */
function* sortBuckets(
  seat: Seat,
  order: KeyOrder,
  endsAway: boolean,
  { start, end, isAway }: Stretch,
  { count, bound, rest, isNegative }: Buckets,
): Pausable<void> {
  const { job, kernels, scratch, share, advance } = seat;
  const { bucketBounds, bucketOrders, counters } = scratch;
  const { begin, bucketLayout } = order;
  const { stride } = job.plan;
  const [from, to] = [homeOf(seat, isAway), homeOf(seat, !isAway)];
  const giant = giantOf(seat);
  // The scatter has brought the records to `to`: that is where these runs are at home.
  const leaves = Number(endsAway === isAway);
  writeBucketOrders(seat, order);
  const batch = runsInPiece(count, end - start);
  yield* share(Math.ceil(count / batch), (piece) => {
    const last = Math.min((piece + 1) * batch, count);
    for (let bucket = piece * batch; bucket < last; bucket++) {
      const n = bound(bucket + 1) - bound(bucket);
      if (n === 0 || n >= giant) continue;
      const bucketOrder = bucketOrders[isMixed(order) && isNegative(bucket) ? 1 : 0];
      const bits = rest(bucket) - begin;
      const digitBits = bucketDigitBits((end - start) / count, stride, bits);
      boundBucketOrder(seat, bucketOrder, begin + bits, digitBits);
      // Where there are passes to come: over 4 * 10^4 keys they take an eighth less so.
      if (bits > 0) kernels.warm(from + bound(bucket) * stride, n * stride);
      kernels.runs(
        bucketLayout,
        bucketBounds,
        bucket,
        bucket + 1,
        to,
        from,
        leaves,
        bucketOrder,
        counters,
      );
      advance(n);
    }
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
