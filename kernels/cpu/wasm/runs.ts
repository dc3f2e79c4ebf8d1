/**
 * Runs: records that one thread sorts on its own, least significant digit first (Knuth, "The Art of
 * Computer Programming" 3, 5.2.5, algorithm R). A run is a segment of the caller's, or a bucket of
 * a partition, which has its own range of bits and its own sign.
 *
 * If some leading digits tell nearly all records apart, only those get passes, from the least
 * significant of them up, and insertion does the rest in one read.
 */

import { MAX_DIGIT_BITS } from '../constants';
import { Job, Order } from './blocks';
import { agreement, countDigits } from './histograms';
import { areSorted, insert } from './insertion';
import { canExchange, oddEvenInsert } from './odd-even-insertion';
import { digits, firstValue, keyAt, stride } from './order';
import { countDigit, maskOf, offset, scatterDigit } from './partition';
import { ANY_PAIRS, isShort, scatterShort, SHORT_NUMBERING_BITS } from './short';
import { warmUp } from './survey';

/** Up to this many records, insertion is faster than clearing and scanning counters. */
const INSERTION_LIMIT: usize = 40;

/** Wide digits pay with at least this many records, or if they save more than one pass. */
const WIDE_DIGITS_FROM: usize = 10_000;
const NARROW_DIGIT_BITS: u32 = 8;

/** Runs of this many bytes miss the caches; a pass then writes to fewer places at once. */
const LARGE_RUN_BYTES: usize = 3 << 20;
const LARGE_RUN_DIGIT_BITS: u32 = 10;

/**
 * Bits that leading digits should have beyond those that number the records. With 3, one random
 * record in 2^3 agrees with another in all of them, and insertion puts those right in one more
 * read.
 */
const SPARE_BITS: u32 = 3;

/** The same where odd-even insertion does that: it takes the same time for one record in 2^2. */
const EXCHANGED_SPARE_BITS: u32 = 2;

/** For keys that are not random, this many are better still, if they cost no further digit. */
const AMPLE_BITS: u32 = 5;

/**
 * Passes by wider digits than this take longer, the more the wider: a first-level cache does not
 * hold all places that they write to. With 1e5 keys, a pass takes 1.3 ns a key for 9 bits, 1.9 for
 * 10 and 2.9 for 12, on a Xeon with 48 KiB. So the narrowest digits are taken if a sample of one
 * record in 2^4 says that they suffice.
 */
const CHEAP_DIGIT_BITS: u32 = 9;
const SAMPLED: usize = 4;

/** Records for each move that insertion may make. After more moves, all digits get a pass. */
const MOVES_SHARE: usize = 4;

const NO_LIMIT: usize = usize.MAX_VALUE;

/** Sorts runs `first` to `last` - 1 of the records, which have their bounds at `job.bounds`. */
@inline
export function sortRuns<K, P, N>(job: Job, first: u32, last: u32): void {
  const order = changetype<Order>(<usize>job.order);
  const bounds = <usize>job.bounds;
  for (let i = first; i < last; i++) {
    const start = <usize>load<u32>(bounds + ((<usize>i) << 2));
    const end = <usize>load<u32>(bounds + ((<usize>i) << 2), 4);
    if (end == start) continue;
    const at = start * stride<K, P>();
    const records = <usize>job.records + at;
    const spare = <usize>job.spare + at;
    const counters = <usize>job.counters;
    sortRun<K, P, N>(records, spare, records, end - start, job.endsInSpare, order, counters);
  }
}

/**
 * Sorts buckets `first` to `last` - 1, except for oversized ones; returns how many records it
 * sorted. Stable. If there is memory at `job.aside`, the records stay as they are, too.
 */
@inline
export function sortBuckets<K, P, N>(job: Job, first: u32, last: u32): u32 {
  const bounds = <usize>job.bounds;
  const rests = bounds + ((<usize>4) << job.width) + 4;
  let sorted: u32 = 0;
  for (let bucket = first; bucket < last; bucket++) {
    const at = (<usize>bucket) << 2;
    const start = load<u32>(bounds + at);
    const n = load<u32>(bounds + at, 4) - start;
    if (n == 0 || n >= job.oversizedFrom) continue;
    const isNegative = bucket >= job.negativesFrom && bucket < job.negativesTo;
    const order = changetype<Order>(<usize>(isNegative ? job.negativeOrder : job.positiveOrder));
    order.end = load<u32>(rests + at);
    const records = <usize>job.records + start * stride<K, P>();
    const spare = <usize>job.spare + start * stride<K, P>();
    const other = job.aside == 0 ? records : <usize>job.aside;
    sortRun<K, P, N>(records, spare, other, n, job.endsInSpare, order, <usize>job.counters);
    sorted += n;
  }
  return sorted;
}

/**
 * Sorts one run of at least 1 record. The result lies at `spare` if `endsInSpare` is 1, otherwise
 * at `records`. Stable. Passes write to `spare` and `other` in turns. `other` is `records`, or
 * memory aside: in that case, and if the result goes to `spare`, `records` stays as it is. The
 * counters have RUN_COUNTER_BYTES.
 */
export function sortRun<K, P, N>(
  records: usize, spare: usize, other: usize, count: usize, endsInSpare: u32, order: Order,
  counters: usize,
): void {
  const bytes = count * stride<K, P>();
  const target = endsInSpare ? spare : records;
  if (count <= INSERTION_LIMIT) {
    if (endsInSpare) memory.copy(spare, records, bytes);
    insert<K, P, N>(target, count, order, NO_LIMIT);
    return;
  }
  // Passes will store to the other buffer, and find it in a cache then.
  if (order.end > order.begin) warmUp(spare, bytes);
  const sorted = sortDigits<K, P, N>(records, spare, other, count, order, counters);
  if (sorted != target) memory.copy(target, sorted, bytes);
}

/**
 * How many passes a run of `count` records takes if the bits of `order`'s range are as good as
 * random.
 */
export function passesOver<K, P, N>(count: usize, order: Order): u32 {
  const bits = order.end - order.begin;
  if (count <= INSERTION_LIMIT || bits == 0) return 0;
  if (isShort<K, P, N>(count, bits, spareBits<K, P, N>(order))) return 1;
  const widest = widestDigit<K, P>(count, bits);
  const all = digitsOf(bits, widest);
  const leading = digitsOf(numberingBits(count) + spareBits<K, P, N>(order), widest);
  return leadingSuffice<N>(leading, all) ? leading : all;
}

/** The widest digit, in bits, that pays for runs of `count` records which differ in `bits` bits. */
@inline
function widestDigit<K, P>(count: usize, bits: u32): u32 {
  if (count * stride<K, P>() > LARGE_RUN_BYTES) return LARGE_RUN_DIGIT_BITS;
  const saved = digitsOf(bits, NARROW_DIGIT_BITS) - digitsOf(bits, <u32>MAX_DIGIT_BITS);
  return count >= WIDE_DIGITS_FROM || saved > 1 ? <u32>MAX_DIGIT_BITS : NARROW_DIGIT_BITS;
}

/** How many digits of up to `widest` bits `bits` bits are. */
@inline
function digitsOf(bits: u32, widest: u32): u32 {
  return (bits + widest - 1) / widest;
}

/** How many bits it takes to number that many records. */
@inline
function numberingBits(count: usize): u32 {
  return 32 - <u32>clz<u32>(<u32>count);
}

/** Bits beyond those that leading digits should have. */
@inline
function spareBits<K, P, N>(order: Order): u32 {
  return canExchange<K, P, N>(order) ? EXCHANGED_SPARE_BITS : SPARE_BITS;
}

/** Whether that many leading digits save passes. Floats of both signs need at least one more. */
@inline
function leadingSuffice<N>(leading: u32, all: u32): bool {
  return leading + (isFloat<N>() ? 1 : 0) < all;
}

/**
 * Sorts records by the digits of the order's range, in turns between `spare` and `other`: by
 * leading digits and insertion, or by all digits if those do not pay. Stable. Returns where the
 * result is.
 */
function sortDigits<K, P, N>(
  records: usize, spare: usize, other: usize, count: usize, order: Order, counters: usize,
): usize {
  const bits = order.end - order.begin;
  if (bits == 0 || areSorted<K, P, N>(records, count, order)) return records;
  const numbering = numberingBits(count);
  const extra = spareBits<K, P, N>(order);
  let sorted = records;
  if (isShort<K, P, N>(count, bits, extra)) {
    // A bit less if 2^numbering is far above the count, because scanning counters takes time, too.
    const numbers = min<u32>(numberingBits(count - (count >> 2)), SHORT_NUMBERING_BITS);
    const width = min<u32>(bits, numbers + extra);
    // One and a half times as many pairs that agree as random keys have, or somewhat more.
    const most = width == bits ? ANY_PAIRS : <u32>count >> (extra - 1);
    if (scatterShort<K, P, N>(records, spare, count, order, width, most, counters)) {
      if (width == bits || finish<K, P, N>(spare, count, order)) return spare;
      sorted = spare;
    }
  }
  const widest = widestDigit<K, P>(count, bits);
  const all = digitsOf(bits, widest);
  let leading = digitsOf(numbering + extra, widest);
  const wide = digitsOf(bits, all);
  // Bits of leading digits; 0 if they do not pay.
  let width: u32 = 0;
  const isMoved = sorted != records;
  if (!isMoved && leadingSuffice<N>(leading, all)) {
    width = min<u32>(widest, digitsOf(numbering + AMPLE_BITS, leading));
  }
  if (!isMoved && leading <= all && canExchange<K, P, N>(order)) {
    const narrow = digitsOf(numbering + extra, leading);
    // After passes over all digits no insertion is needed, which is worth a bit.
    const wider = width > 0 ? width : wide - 1;
    if (
      wider > max<u32>(narrow, CHEAP_DIGIT_BITS) &&
      areTold<K, P, N>(records, count, order, leading, narrow, extra, counters)
    ) {
      width = narrow;
    }
  }
  if (width > 0) {
    const most = min<u32>(bits / width, max<u32>(leading, all - 1));
    leading = countLeading<K, P, N>(records, count, order, leading, most, width, extra, counters);
    if (leading > 0) {
      const shift = order.end - leading * width;
      sorted = passes<K, P, N>(
        records, spare, other, count, order, shift, leading, width, counters,
      );
      if (sorted == records && other != records) {
        memory.copy(spare, records, count * stride<K, P>());
        sorted = spare;
      }
      if (finish<K, P, N>(sorted, count, order)) return sorted;
    }
  }
  countDigits<K, P, N>(sorted, count, order, order.begin, all, wide, counters);
  return passes<K, P, N>(sorted, spare, other, count, order, order.begin, all, wide, counters);
}

/**
 * Sorts records that leading digits have put nearly in order. Returns 0 if that turns out to be too
 * much work.
 */
@inline
function finish<K, P, N>(records: usize, count: usize, order: Order): u32 {
  const limit = count / MOVES_SHARE;
  return canExchange<K, P, N>(order)
    ? oddEvenInsert<K, P>(records, count, order, limit)
    : insert<K, P, N>(records, count, order, limit);
}

/**
 * Counts the leading digits of `width` bits, at least `digits`, until they tell records apart:
 * until about one record in 2^extra is expected to agree with another in all of them, if the digits
 * are independent. Floats take more digits than their bits suggest: their few exponents tell
 * little. Returns how many digits; 0 if `most` are too few.
 */
function countLeading<K, P, N>(
  records: usize, count: usize, order: Order,
  digits: u32, most: u32, width: u32, extra: u32, counters: usize,
): u32 {
  const room = (<usize>4) << width;
  let shift = order.end - digits * width;
  countDigits<K, P, N>(records, count, order, shift, digits, width, counters);
  let agreeing = <f64>count * <f64>(1 << extra) * agreementIn(counters, digits, width, count);
  // For random keys it is 1, or somewhat more or less.
  while (agreeing > 2) {
    if (digits == most) return 0;
    shift -= width;
    const next = counters + digits * room;
    countDigit<K, P, N, u32>(records, count, order, shift, width, next);
    agreeing *= agreement(next, width, count);
    digits++;
  }
  return digits;
}

/** Whether a sample of the records says that these leading digits tell them apart. */
function areTold<K, P, N>(
  records: usize, count: usize, order: Order, digits: u32, width: u32, extra: u32, counters: usize,
): bool {
  const some = count >> SAMPLED;
  countDigits<K, P, N>(records, some, order, order.end - digits * width, digits, width, counters);
  return <f64>count * <f64>(1 << extra) * agreementIn(counters, digits, width, some) <= 2;
}

/** The share of all pairs of records that agree in all digits, if the digits are independent. */
function agreementIn(counters: usize, digits: u32, width: u32, count: usize): f64 {
  let share: f64 = 1;
  for (let digit: u32 = 0; digit < digits; digit++) {
    share *= agreement(counters + digit * ((<usize>4) << width), width, count);
  }
  return share;
}

/**
 * Passes over `digits` digits of `width` bits, the first of which begins at bit `shift`; the top
 * one has the bits that are left. The digits are counted already. Records go from `source` to
 * `spare` and `other` in turns. Skips digits in which all records agree. Returns where the result
 * is: at `spare` if no digit was skipped and `source` is neither of the two.
 */
function passes<K, P, N>(
  source: usize, spare: usize, other: usize, count: usize, order: Order, shift: u32, digits: u32,
  width: u32, counters: usize,
): usize {
  const room = (<usize>4) << width;
  const isOther = source == spare || (source != other && (digits & 1) == 0);
  let target = isOther ? other : spare;
  let cursors = counters + digits * room;
  for (let digit: u32 = 0; digit < digits; digit++) {
    const narrow = min<u32>(width, order.end - shift);
    cursors -= room;
    if (!agree<K, P, N>(source, count, order, shift, narrow, cursors)) {
      const first = firstValue<K, N>(order, shift, (<usize>1) << narrow);
      scan<K, P>(cursors, narrow, first, target, order.descending);
      scatterDigit<K, P, N, u32>(source, count, order, shift, narrow, cursors, 0);
      source = target;
      target = target == spare ? other : spare;
    }
    shift += width;
  }
  return source;
}

/** Whether all records have the digit of the first. */
@inline
function agree<K, P, N>(
  records: usize, count: usize, order: Order, shift: u32, width: u32, counts: usize,
): bool {
  const key = keyAt<K, P>(records);
  const w = digits<K, N>(key, <K>order.flip, <K>order.bias, <K>order.ceiling, <K>order.gap);
  return load<u32>(counts + offset<K, u32>(w, shift, maskOf<u32>(width))) == count;
}

/**
 * Turns 2^width counts into addresses at `target`, from digit value `first` up and around, or the
 * other way when `descending`: that alone makes the order descending and leaves ties as they were.
 */
function scan<K, P>(
  counters: usize, width: u32, first: usize, target: usize, descending: u32,
): void {
  const values = (<usize>1) << width;
  const begin = counters + (first << 2);
  const end = counters + (values << 2);
  if (descending) {
    target = scanValues<K, P>(begin - 4, first, -4, target);
    scanValues<K, P>(end - 4, values - first, -4, target);
  } else {
    target = scanValues<K, P>(begin, values - first, 4, target);
    scanValues<K, P>(counters, first, 4, target);
  }
}

/**
 * Turns the counts of `values` digit values, `step` bytes apart, into addresses; returns the
 * address behind the last.
 */
@inline
function scanValues<K, P>(counter: usize, values: usize, step: isize, target: usize): usize {
  // Four values a round.
  for (; values >= 4; values -= 4) {
    target = turn<K, P>(counter, target);
    target = turn<K, P>(counter + step, target);
    target = turn<K, P>(counter + 2 * step, target);
    target = turn<K, P>(counter + 3 * step, target);
    counter += 4 * step;
  }
  for (; values > 0; values--) {
    target = turn<K, P>(counter, target);
    counter += step;
  }
  return target;
}

@inline
function turn<K, P>(counter: usize, target: usize): usize {
  const here = <usize>load<u32>(counter);
  store<u32>(counter, <u32>target);
  return target + here * stride<K, P>();
}
