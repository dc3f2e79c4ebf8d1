/** Histograms of the digits of a run: how often each value occurs, several digits in one read. */

import { Order } from './blocks';
import { digits, keyAt, stride } from './order';
import { countDigit, increment, maskOf, offset } from './partition';

/**
 * Counts `digits` digits of `width` bits each from bit `shift` up (the top one of what is left), up
 * to three in one read. The counters of the top one come first.
 */
export
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
    const last = min<u32>(width, order.end - shift);
    countDigit<K, P, N, u32>(records, count, order, shift, last, counters);
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
  // Two records a round: their loads and stores overlap.
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
  w: K, shift: u32, width: u32, mask: usize, topMask: usize,
  lowest: usize, second: usize, top: usize,
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

/** The share of all pairs of `count` records that have the same digit. `width` is at least 2. */
export
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
