/**
 * Runs: stretches of records that one thread sorts alone, least significant digit first.
 * A run is a segment of the caller's or a bucket of a partition.
 */

import { areSorted, insert } from './insertion';
import { digits, firstValue, keyAt, Order, stride } from './order';
import { countDigit, increment, maskOf, offset, scatterDigit } from './partition';
import { settle, settles } from './odd-even-insertion';
import { isShort, NO_MATTER, scatterShort } from './short';

/** Widest digit of a pass: its 2^12 counters fill a third of a 48 KiB first-level cache. */
const MAX_DIGIT_BITS: u32 = 12;

/** Up to this many records, insertion is faster than clearing and scanning counters. */
const INSERTION_LIMIT: usize = 40;

/** Wide digits pay from so many records on, or where they save more than one pass. */
const WIDE_DIGITS_FROM: usize = 10_000;
const NARROW_DIGIT_BITS: u32 = 8;

/** Runs of so many bytes miss the caches: with wider digits they took up to twice as long (Zen 5, cold caches). */
const LARGE_RUN_BYTES: usize = 3 << 20;
const LARGE_RUN_DIGIT_BITS: u32 = 10;

/**
 * Bits beyond those that number the records which leading digits should have: then one record in 2^3 has the same ones as
 * another, and insertion puts those right in one more read.
 */
const SPARE_BITS: u32 = 3;

/** And so many where `settle` does that: it takes the same time for one in 2^2. */
const SETTLED_SPARE_BITS: u32 = 2;

/** And so many are better still, where they cost no further digit. */
const AMPLE_BITS: u32 = 5;

/** Of so many records, insertion may move one before digits do it after all. */
const MOVES_SHARE: usize = 4;

const NO_LIMIT: usize = usize.MAX_VALUE;

/**
 * Sorts run i for `first` <= i < `last`. Run i holds the records bounds[i] to bounds[i + 1]: u32
 * record numbers at `bounds`. Records lie at `home`; `away` is as much memory for the passes. The
 * sorted runs end at `home`, or at `away` where `endsAway` is 1.
 * `counters` is 4 << MAX_DIGIT_BITS bytes for each digit of `order`'s range.
 */
@inline
export function sortRuns<K, P, N>(
  bounds: usize, first: u32, last: u32,
  home: usize, away: usize, endsAway: u32, order: Order, counters: usize,
): void {
  for (let i = first; i < last; i++) {
    const start = <usize>load<u32>(bounds + ((<usize>i) << 2));
    const end = <usize>load<u32>(bounds + ((<usize>i) << 2), 4);
    if (end == start) continue;
    const at = start * stride<K, P>();
    sortRun<K, P, N>(home + at, away + at, end - start, endsAway, order, counters);
  }
}

/** Sorts one run, of 1 record at least. */
export function sortRun<K, P, N>(
  home: usize, away: usize, count: usize, endsAway: u32, order: Order, counters: usize,
): void {
  let isAway: u32 = 0;
  if (count <= INSERTION_LIMIT) insert<K, P, N>(home, count, order, NO_LIMIT);
  else isAway = sortDigits<K, P, N>(home, away, count, order, counters);
  if (isAway == endsAway) return;
  if (isAway) memory.copy(home, away, count * stride<K, P>());
  else memory.copy(away, home, count * stride<K, P>());
}

/** How many passes a run of `count` records takes that are as good as random in the bits of `order`'s range. */
export function passesOver<K, P, N>(count: usize, order: Order): u32 {
  const bits = order.end - order.begin;
  if (count <= INSERTION_LIMIT || bits == 0) return 0;
  if (isShort<K, P, N>(count, bits)) return 1;
  const widest = widestDigit<K, P>(count, bits);
  const all = digitsOf(bits, widest);
  const leading = digitsOf(numberingBits(count) + spareBits<K, P, N>(order), widest);
  return leadingSuffice<N>(leading, all) ? leading : all;
}

/** The widest digit, in bits, that pays for runs of `count` records which differ in `bits` bits. */
@inline
function widestDigit<K, P>(count: usize, bits: u32): u32 {
  if (count * stride<K, P>() > LARGE_RUN_BYTES) return LARGE_RUN_DIGIT_BITS;
  const saved = digitsOf(bits, NARROW_DIGIT_BITS) - digitsOf(bits, MAX_DIGIT_BITS);
  return count >= WIDE_DIGITS_FROM || saved > 1 ? MAX_DIGIT_BITS : NARROW_DIGIT_BITS;
}

/** How many digits of up to `widest` bits `bits` bits are. */
@inline
function digitsOf(bits: u32, widest: u32): u32 {
  return (bits + widest - 1) / widest;
}

/** Bits that number so many records. */
@inline
function numberingBits(count: usize): u32 {
  return 32 - <u32>clz<u32>(<u32>count);
}

/** Bits beyond those that leading digits should have. */
@inline
function spareBits<K, P, N>(order: Order): u32 {
  return settles<K, P, N>(order) ? SETTLED_SPARE_BITS : SPARE_BITS;
}

/** Whether so many leading digits save passes. Floats of both signs want one more, at least. */
@inline
function leadingSuffice<N>(leading: u32, all: u32): bool {
  return leading + (isFloat<N>() ? 1 : 0) < all;
}

/**
 * Sorts records by the digits of the order's range, ping-ponging between `home` and `away`. Where fewer digits than the
 * range has tell nearly all records apart, only those that lead are passed over, and insertion does the rest; should
 * that be much, all digits. Stable. Returns 1 when the result is at `away`.
 */
function sortDigits<K, P, N>(
  home: usize, away: usize, count: usize, order: Order, counters: usize,
): u32 {
  const bits = order.end - order.begin;
  if (bits == 0 || areSorted<K, P, N>(home, count, order)) return 0;
  const numbering = numberingBits(count);
  const spare = spareBits<K, P, N>(order);
  let isAway: u32 = 0;
  if (isShort<K, P, N>(count, bits)) {
    const width = min<u32>(bits, numbering + spare);
    // Twice as many pairs that agree as random keys have, or somewhat more.
    const most = width == bits ? NO_MATTER : <u32>count >> (spare - 1);
    isAway = scatterShort<K, P, N>(home, away, count, order, width, most, counters);
    if (isAway && (width == bits || finish<K, P, N>(away, count, order))) return 1;
  }
  const widest = widestDigit<K, P>(count, bits);
  const all = digitsOf(bits, widest);
  let leading = digitsOf(numbering + spare, widest);
  if (!isAway && leadingSuffice<N>(leading, all)) {
    const width = min<u32>(widest, digitsOf(numbering + AMPLE_BITS, leading));
    const most = min<u32>(bits / width, all - 1);
    leading = countLeading<K, P, N>(home, count, order, leading, most, width, spare, counters);
    if (leading > 0) {
      const shift = order.end - leading * width;
      isAway = passes<K, P, N>(home, away, count, order, shift, leading, width, counters);
      if (finish<K, P, N>(isAway ? away : home, count, order)) return isAway;
    }
  }
  const width = digitsOf(bits, all);
  const source = isAway ? away : home;
  const target = isAway ? home : away;
  countDigits<K, P, N>(source, count, order, order.begin, all, width, counters);
  return isAway ^ passes<K, P, N>(source, target, count, order, order.begin, all, width, counters);
}

/** Sorts records that leading digits have put nearly in order; 0 where that turns out to be too much work. */
@inline
function finish<K, P, N>(records: usize, count: usize, order: Order): u32 {
  const limit = count / MOVES_SHARE;
  return settles<K, P, N>(order)
    ? settle<K, P>(records, count, order, limit)
    : insert<K, P, N>(records, count, order, limit);
}

/**
 * Counts the leading digits of `width` bits, at least `digits`, until they tell records apart: until, with digits that are
 * independent of each other, about one record in 2^spare is expected to agree with another in all of
 * them. Floats take more than their number of bits suggests: the few exponents that they have tell little.
 * Returns how many; 0 where `most` would not do.
 */
function countLeading<K, P, N>(
  records: usize, count: usize, order: Order, digits: u32, most: u32, width: u32, spare: u32, counters: usize,
): u32 {
  const room = (<usize>4) << width;
  let shift = order.end - digits * width;
  countDigits<K, P, N>(records, count, order, shift, digits, width, counters);
  let agreeing = <f64>count * <f64>(1 << spare);
  for (let digit: u32 = 0; digit < digits; digit++) {
    agreeing *= agreement(counters + digit * room, width, count);
  }
  // Of random keys it is 1, or somewhat more or less.
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

/** The share of all pairs of records that have the same digit. `width` is at least 2. */
function agreement(counters: usize, width: u32, count: usize): f64 {
  let squares = i64x2.splat(0);
  const end = counters + ((<usize>4) << width);
  for (; counters < end; counters += 16) {
    const four = v128.load(counters);
    squares = i64x2.add(squares, i64x2.extmul_low_i32x4_u(four, four));
    squares = i64x2.add(squares, i64x2.extmul_high_i32x4_u(four, four));
  }
  const sum = i64x2.extract_lane(squares, 0) + i64x2.extract_lane(squares, 1);
  return <f64>(sum - <i64>count) / (<f64>count * <f64>(count - 1));
}

/**
 * Passes over `digits` digits of `width` bits from bit `shift` up (the top one of what is left), which are counted; those in which
 * all records agree are left out. Returns 1 when the result is at `away`.
 */
function passes<K, P, N>(
  home: usize, away: usize, count: usize, order: Order, shift: u32, digits: u32, width: u32,
  counters: usize,
): u32 {
  const room = (<usize>4) << width;
  let source = home;
  let target = away;
  let cursors = counters + digits * room;
  for (let digit: u32 = 0; digit < digits; digit++) {
    const narrow = min<u32>(width, order.end - shift);
    cursors -= room;
    if (!agree<K, P, N>(source, count, order, shift, narrow, cursors)) {
      const first = firstValue<K, N>(order, shift, (<usize>1) << narrow);
      scan<K, P>(cursors, narrow, first, target, order.descending);
      scatterDigit<K, P, N, u32>(source, count, order, shift, narrow, cursors, 0);
      const done = target;
      target = source;
      source = done;
    }
    shift += width;
  }
  return u32(source != home);
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
 * Counts `digits` digits of `width` bits each from bit `shift` up (the top one of what is left), up to three a read. The counters of
 * the top one come first.
 */
function countDigits<K, P, N>(
  records: usize, count: usize, order: Order, shift: u32, digits: u32, width: u32, counters: usize,
): void {
  const room = (<usize>4) << width;
  let left = digits;
  for (; left >= 3; left -= 3) {
    countThree<K, P, N>(records, count, order, shift, width, counters + (left - 3) * room);
    shift += 3 * width;
  }
  if (left == 2) {
    countTwo<K, P, N>(records, count, order, shift, width, counters);
  } else if (left == 1) {
    countDigit<K, P, N, u32>(records, count, order, shift, min<u32>(width, order.end - shift), counters);
  }
}

/** Counts the three digits from bit `shift` on in one read, the top one first. */
function countThree<K, P, N>(
  records: usize, count: usize, order: Order, shift: u32, width: u32, counters: usize,
): void {
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const gap = <K>order.gap;
  const mask = maskOf<u32>(width);
  const topMask = maskOf<u32>(min<u32>(width, order.end - shift - 2 * width));
  const room = (<usize>4) << width;
  memory.fill(counters, 0, 3 * room);
  const second = counters + room;
  const lowest = second + room;
  const step = stride<K, P>();
  const end = records + count * step;
  // Two records a round: 1.1 ns a record instead of 2.5 (Zen 5).
  const lastRound = records + (count & ~1) * step;
  for (; records < lastRound; records += 2 * step) {
    const v = digits<K, N>(keyAt<K, P>(records), flip, bias, ceiling, gap);
    const w = digits<K, N>(keyAt<K, P>(records + step), flip, bias, ceiling, gap);
    tallyThree<K>(v, shift, width, mask, topMask, lowest, second, counters);
    tallyThree<K>(w, shift, width, mask, topMask, lowest, second, counters);
  }
  if (records < end) {
    const w = digits<K, N>(keyAt<K, P>(records), flip, bias, ceiling, gap);
    tallyThree<K>(w, shift, width, mask, topMask, lowest, second, counters);
  }
}

@inline
function tallyThree<K>(
  w: K, shift: u32, width: u32, mask: usize, topMask: usize, lowest: usize, second: usize, top: usize,
): void {
  increment<u32>(lowest + offset<K, u32>(w, shift, mask));
  increment<u32>(second + offset<K, u32>(w, shift + width, mask));
  increment<u32>(top + offset<K, u32>(w, shift + 2 * width, topMask));
}

/** Counts the two digits from bit `shift` on in one read, the top one first. */
function countTwo<K, P, N>(
  records: usize, count: usize, order: Order, shift: u32, width: u32, counters: usize,
): void {
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const gap = <K>order.gap;
  const mask = maskOf<u32>(width);
  const topMask = maskOf<u32>(min<u32>(width, order.end - shift - width));
  const room = (<usize>4) << width;
  memory.fill(counters, 0, 2 * room);
  const lowest = counters + room;
  const step = stride<K, P>();
  const end = records + count * step;
  const lastRound = records + (count & ~1) * step;
  for (; records < lastRound; records += 2 * step) {
    const v = digits<K, N>(keyAt<K, P>(records), flip, bias, ceiling, gap);
    const w = digits<K, N>(keyAt<K, P>(records + step), flip, bias, ceiling, gap);
    tallyTwo<K>(v, shift, width, mask, topMask, lowest, counters);
    tallyTwo<K>(w, shift, width, mask, topMask, lowest, counters);
  }
  if (records < end) {
    const w = digits<K, N>(keyAt<K, P>(records), flip, bias, ceiling, gap);
    tallyTwo<K>(w, shift, width, mask, topMask, lowest, counters);
  }
}

@inline
function tallyTwo<K>(
  w: K, shift: u32, width: u32, mask: usize, topMask: usize, lowest: usize, top: usize,
): void {
  increment<u32>(lowest + offset<K, u32>(w, shift, mask));
  increment<u32>(top + offset<K, u32>(w, shift + width, topMask));
}

/**
 * Turns 2^width counts into addresses at `target`, from digit value `first` up and around, or the other way when
 * `descending`: that alone makes the order descending and leaves ties as they were.
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

/** Turns the counts of `values` digit values, `step` bytes apart, into addresses; returns the address behind the last. */
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
