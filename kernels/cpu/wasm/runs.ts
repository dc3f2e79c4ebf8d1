/**
 * Runs: stretches of records that one thread sorts alone, least significant digit first.
 * A run is a segment of the caller's or a bucket of a partition.
 */

import { keyAt, move, Order, stride, word } from './order';
import { countDigit, scatterDigit } from './partition';

/** Widest digit of a pass: its 2^12 counters fill a third of a 48 KiB first-level cache. */
export const MAX_DIGIT_BITS: u32 = 12;

/** Up to this many records, insertion is faster than clearing and scanning counters. */
const INSERTION_LIMIT: usize = 40;

/** Below this many records, the counters of wide digits cost more than a pass. */
const WIDE_DIGITS_FROM: usize = 3000;

const NARROW_DIGIT_BITS: u32 = 8;

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

function sortRun<K, P, N>(
  home: usize, away: usize, count: usize, endsAway: u32, order: Order, counters: usize,
): void {
  let isAway: u32 = 0;
  if (count <= INSERTION_LIMIT) insert<K, P, N>(home, count, order);
  else isAway = sortDigits<K, P, N>(home, away, count, order, counters);
  if (isAway == endsAway) return;
  if (isAway) memory.copy(home, away, count * stride<K, P>());
  else memory.copy(away, home, count * stride<K, P>());
}

/** Sorts a few records in place by insertion. Stable. O(count²). */
function insert<K, P, N>(records: usize, count: usize, order: Order): void {
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const begin = <K>order.begin;
  // All bits of the range, also where it is the whole width and a shift by it would do nothing.
  const bits = order.end - order.begin;
  if (bits == 0) return;
  const mask = <K>-1 >> <K>(8 * <u32>sizeof<K>() - bits);
  const reverse = order.descending ? mask : <K>0;
  const end = records + count * stride<K, P>();
  for (let next = records + stride<K, P>(); next < end; next += stride<K, P>()) {
    const key = keyAt<K, P>(next);
    const payload = isVoid<P>() ? <K>0 : load<K>(next);
    const w = ((word<K, N>(key, flip, bias, ceiling) >> begin) & mask) ^ reverse;
    let hole = next;
    while (hole > records) {
      const before = hole - stride<K, P>();
      const other = word<K, N>(keyAt<K, P>(before), flip, bias, ceiling);
      if ((((other >> begin) & mask) ^ reverse) <= w) break;
      move<K, P>(before, hole);
      hole = before;
    }
    if (isVoid<P>()) {
      store<K>(hole, key);
    } else {
      store<K>(hole, payload);
      store<K>(hole, key, sizeof<K>());
    }
  }
}

/**
 * Sorts records by all digits of the order's range, ping-ponging between `home` and `away`; digits
 * in which all records agree are left out. Stable. Returns 1 when the result is at `away`.
 */
function sortDigits<K, P, N>(
  home: usize, away: usize, count: usize, order: Order, counters: usize,
): u32 {
  const bits = order.end - order.begin;
  const widest = count < WIDE_DIGITS_FROM ? NARROW_DIGIT_BITS : order.digitBits;
  const digits = (bits + widest - 1) / widest;
  if (digits == 0) return 0;
  const width = (bits + digits - 1) / digits;
  const room = (<usize>4) << width;
  countDigits<K, P, N>(home, count, order, digits, width, counters);
  let source = home;
  let target = away;
  let shift = order.begin;
  for (let digit: u32 = 0; digit < digits; digit++) {
    const narrow = min<u32>(width, order.end - shift);
    const cursors = counters + digit * room;
    if (scan<K, P>(cursors, narrow, count, target, order.descending)) {
      scatterDigit<K, P, N>(source, count, order, shift, narrow, cursors);
      const done = target;
      target = source;
      source = done;
    }
    shift += width;
  }
  return u32(source != home);
}

/** Counts `digits` digits of `width` bits each (the top one of what is left), up to three a read. */
function countDigits<K, P, N>(
  records: usize, count: usize, order: Order, digits: u32, width: u32, counters: usize,
): void {
  const room = (<usize>4) << width;
  let shift = order.begin;
  let left = digits;
  for (; left >= 3; left -= 3) {
    countThree<K, P, N>(records, count, order, shift, width, counters);
    shift += 3 * width;
    counters += 3 * room;
  }
  for (; left > 0; left--) {
    countDigit<K, P, N>(records, count, order, shift, min<u32>(width, order.end - shift), counters);
    shift += width;
    counters += room;
  }
}

/** Counts the three digits from bit `shift` on in one read. */
function countThree<K, P, N>(
  records: usize, count: usize, order: Order, shift: u32, width: u32, counters: usize,
): void {
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const mask = (<K>1 << <K>width) - <K>1;
  const topMask = (<K>1 << <K>min<u32>(width, order.end - shift - 2 * width)) - <K>1;
  const room = (<usize>4) << width;
  memory.fill(counters, 0, 3 * room);
  const second = counters + room;
  const third = second + room;
  const step = stride<K, P>();
  const end = records + count * step;
  const lastRound = records + (count & ~1) * step;
  for (; records < lastRound; records += 2 * step) {
    const v = word<K, N>(keyAt<K, P>(records), flip, bias, ceiling) >> <K>shift;
    const w = word<K, N>(keyAt<K, P>(records + step), flip, bias, ceiling) >> <K>shift;
    increment<K>(counters, v & mask);
    increment<K>(second, (v >> <K>width) & mask);
    increment<K>(third, (v >> <K>(2 * width)) & topMask);
    increment<K>(counters, w & mask);
    increment<K>(second, (w >> <K>width) & mask);
    increment<K>(third, (w >> <K>(2 * width)) & topMask);
  }
  if (records < end) {
    const w = word<K, N>(keyAt<K, P>(records), flip, bias, ceiling) >> <K>shift;
    increment<K>(counters, w & mask);
    increment<K>(second, (w >> <K>width) & mask);
    increment<K>(third, (w >> <K>(2 * width)) & topMask);
  }
}

@inline
function increment<K>(counters: usize, value: K): void {
  const counter = counters + ((<usize>value) << 2);
  store<u32>(counter, load<u32>(counter) + 1);
}

/**
 * Turns 2^width counts into addresses at `target`, lowest digit first, or highest first when
 * `descending`: that alone makes the order descending and leaves ties as they were.
 * Returns 0, with the counts spoilt, when one digit value holds all `count` records.
 */
function scan<K, P>(
  counters: usize, width: u32, count: usize, target: usize, descending: u32,
): u32 {
  const values = (<usize>1) << width;
  const step: isize = descending ? -4 : 4;
  let counter = descending ? counters + ((values - 1) << 2) : counters;
  for (let i: usize = 0; i < values; i++) {
    const here = <usize>load<u32>(counter);
    if (here == count) return 0;
    store<u32>(counter, <u32>target);
    target += here * stride<K, P>();
    counter += step;
  }
  return 1;
}
