/**
 * Partition of a stretch of records by their most significant digit, by all threads together, and the sorts of its
 * buckets, each by one thread. A bucket that holds so much that one thread would be busy with it while the others have
 * nothing left is partitioned again.
 */

import type { Pausable } from './board.js';
import { writeBucketOrders } from './key-order.js';
import { cursorsAt, giantFrom, sliceOf, spineRowAt, topDigit } from './places.js';
import type { KeyOrder, Seat } from './seat.js';
import { bucketDigitBits } from './steps.js';

/** Records [start, end) that agree in all bits from `top` up. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly top: number;
  /** Whether they lie at `away`. */
  readonly isAway: boolean;
  /** Whether all are negative; of a whole segment nobody knows. */
  readonly isNegative: boolean;
}

/** A bucket, by its place in the order, and how many records it holds. */
interface Bucket {
  readonly bucket: number;
  readonly length: number;
}

/** Sorts a stretch, which then lies at `away` where `endsAway`. O(n) a digit. */
export function* partition(
  seat: Seat,
  order: KeyOrder,
  endsAway: boolean,
  stretch: Stretch,
): Pausable<void> {
  const { start, end, top, isAway } = stretch;
  const { job, kernels, scratch, share, advance, words } = seat;
  const { plan, places } = job;
  const { stride } = plan;
  const { layout } = order;
  const [from, to] = isAway ? [places.awayAt, places.homeAt] : [places.homeAt, places.awayAt];
  const { shift, width } = topDigit(order.begin, top);
  const count = (slice: number): void => {
    const [first, n] = sliceOf(places, slice, start, end);
    const counts = spineRowAt(places, slice);
    kernels.count(layout, from + first * stride, n, scratch.order, shift, width, counts);
  };
  const scan = (): Bucket => scanSpine(seat, order, stretch, width, to);
  const largest = yield* seat.shareCounts(places.slices, count, scan);
  const isNegative = (bucket: number): boolean =>
    top === order.top ? bucket < 2 ** width / 2 !== order.descending : stretch.isNegative;
  if (largest.length === end - start) {
    yield* partitionAgain(seat, order, endsAway, {
      ...stretch,
      top: shift,
      isNegative: isNegative(largest.bucket),
    });
    return;
  }
  const atOnce = Number(largest.length > (end - start) / 2);
  yield* share(places.slices, (slice) => {
    const [first, n] = sliceOf(places, slice, start, end);
    const cursors = cursorsAt(scratch, slice);
    kernels.scatter(layout, from + first * stride, n, scratch.order, shift, width, cursors, atOnce);
  });

  const giant = giantFrom(job.length, places.threads, stride);
  const bounds = scratch.bucketBounds;
  const bound = (bucket: number): number => words[bounds / 4 + bucket] as number;
  const giants: Stretch[] = [];
  for (let bucket = 0; bucket < 2 ** width; bucket++) {
    const [first, last] = [bound(bucket), bound(bucket + 1)];
    if (last - first < giant) continue;
    const place = { start: first, end: last, top: shift, isAway: !isAway };
    giants.push({ ...place, isNegative: isNegative(bucket) });
  }
  writeBucketOrders(
    seat,
    order,
    shift,
    bucketDigitBits((end - start) / 2 ** width, stride, shift - order.begin),
  );
  yield* share(2 ** width, (bucket) => {
    const n = bound(bucket + 1) - bound(bucket);
    if (n === 0 || n >= giant) return;
    // The scatter has brought the records to `to`: that is where these runs are at home.
    const leaves = Number(endsAway === isAway);
    const bucketOrder = scratch.bucketOrders[isMixed(order) && isNegative(bucket) ? 1 : 0];
    const { counters } = scratch;
    const { bucketLayout } = order;
    // Where there are passes to come: over 4 * 10^4 keys they take an eighth less so.
    if (shift > order.begin) kernels.warm(from + bound(bucket) * stride, n * stride);
    kernels.runs(bucketLayout, bounds, bucket, bucket + 1, to, from, leaves, bucketOrder, counters);
    advance(n);
  });
  for (const stretch of giants) yield* partitionAgain(seat, order, endsAway, stretch);
}

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

/** Whether buckets hold bare keys of which those of the lower half are in reverse order. */
const isMixed = ({ layout, bucketLayout }: KeyOrder): boolean => layout !== bucketLayout;

/**
 * Scans the spine, digit by half slice: fills the cursors of all slices with the addresses where their
 * records of each digit value go, and the bounds of the buckets, in the order of the result.
 * Returns the largest bucket; where that has all records, nothing is to be moved, and the rest is not filled in.
 */
function scanSpine(
  { job, scratch, words }: Seat,
  order: KeyOrder,
  { start, end, top }: Stretch,
  width: number,
  to: number,
): Bucket {
  const { places, plan } = job;
  const values = 2 ** width;
  const bounds = scratch.bucketBounds / 4;
  const first = top === order.top ? order.first : 0;
  let position = start;
  let largest: Bucket = { bucket: 0, length: 0 };
  for (let i = 0; i < values; i++) {
    const value = (first + (order.descending ? values - 1 - i : i)) % values;
    words[bounds + i] = position;
    const before = position;
    for (let slice = 0; slice < places.slices; slice++) {
      const counts = spineRowAt(places, slice) / 4 + value;
      const cursors = cursorsAt(scratch, slice) / 4 + value;
      for (let half = 0; half <= values; half += values) {
        words[cursors + half] = to + position * plan.stride;
        position += words[counts + half] as number;
      }
    }
    const length = position - before;
    if (length > largest.length) largest = { bucket: i, length };
    if (length === end - start) return largest;
  }
  words[bounds + values] = position;
  return largest;
}
