/**
 * Short runs: of so few records that one digit tells nearly all of them apart, while its counters
 * are no more work than the records. Counters are 16 bits wide: eight are scanned at once, and
 * twice as many fit the first-level cache.
 */

import { Order } from './blocks';
import { firstValue, stride } from './order';
import { countDigit, scatterDigit } from './partition';

/**
 * Short runs have fewer records than this over 2^extra; with records of 16 bytes, a quarter of
 * that. `extra` is SPARE_BITS or EXCHANGED_SPARE_BITS of runs.ts.
 */
const SHORT_LIMIT: usize = 1 << 14;

/** Bits that number their records at most: a wider digit takes longer to scan than it saves. */
export const SHORT_NUMBERING_BITS: u32 = 11;

/** With fewer bits, half a digit's values, where an order may begin, are less than one vector. */
const LEAST_BITS: u32 = 4;

/** After a run that one digit can't tell apart, one run in this many is tried this way. */
const TRY_EVERY: u32 = 16;

/** For `most`, where a digit is all that a run has: any number of pairs may agree. */
export const ANY_PAIRS: u32 = u32.MAX_VALUE;

/** Runs to come that are not tried. Each thread has its own count. */
let untried: u32 = 0;

/**
 * Whether runs of this many records, which differ in `bits` bits, are short. Floats of both signs
 * are not: their top digit is little more than an exponent.
 */
@inline
export function isShort<K, P, N>(count: usize, bits: u32, extra: u32): bool {
  const limit = stride<K, P>() <= 8 ? SHORT_LIMIT : SHORT_LIMIT / 4;
  return count < limit >> extra && bits >= LEAST_BITS && !isFloat<N>();
}

/**
 * Moves the records of a short run to `target` by their top digit, of `width` bits. Stable. Returns
 * 0, and leaves them where they are, where more than `most` ordered pairs of them agree in that
 * digit, or where that is to be expected.
 */
export function scatterShort<K, P, N>(
  records: usize, target: usize, count: usize, order: Order, width: u32, most: u32, counters: usize,
): u32 {
  if (untried > 0 && most < ANY_PAIRS) {
    untried--;
    return 0;
  }
  const shift = order.end - width;
  countDigit<K, P, N, u16>(records, count, order, shift, width, counters);
  const values = (<usize>1) << width;
  const first = firstValue<K, N>(order, shift, values);
  const squares = order.descending
    ? scanShort<bool>(counters, values, first, <u32>count)
    : scanShort<void>(counters, values, first, <u32>count);
  if (squares - <u32>count > most) {
    untried = TRY_EVERY - 1;
    return 0;
  }
  scatterDigit<K, P, N, u16>(records, count, order, shift, width, counters, target);
  return 1;
}

/**
 * Turns the counts of digit values, `count` together, into numbers of records before them, in the
 * order that begins with value `first`, or its reverse unless D is void. `first` and `values` are
 * multiples of 8. Returns the sum of the counts' squares.
 */
function scanShort<D>(counters: usize, values: usize, first: usize, count: u32): u32 {
  const begin = counters + (first << 1);
  const end = counters + (values << 1);
  const zeros = i16x8.splat(0);
  const all = i16x8.splat(<i16>count);
  let squares = i32x4.splat(0);
  let before = zeros;
  let at = begin;
  for (let stop = end; ; at = counters, stop = begin) {
    for (; at < stop; at += 16) {
      const counts = v128.load(at);
      squares = i32x4.add(squares, i32x4.dot_i16x8_s(counts, counts));
      // Each count with all that come before it of the eight: shifted by one, two and four.
      let sums = i16x8.add(counts, v128.shuffle<u16>(zeros, counts, 7, 8, 9, 10, 11, 12, 13, 14));
      sums = i16x8.add(sums, v128.shuffle<u16>(zeros, sums, 6, 7, 8, 9, 10, 11, 12, 13));
      sums = i16x8.add(sums, v128.shuffle<u16>(zeros, sums, 4, 5, 6, 7, 8, 9, 10, 11));
      v128.store(at, isVoid<D>()
        ? i16x8.add(before, i16x8.sub(sums, counts))
        : i16x8.sub(all, i16x8.add(before, sums)));
      before = i16x8.add(before, v128.shuffle<u16>(sums, sums, 7, 7, 7, 7, 7, 7, 7, 7));
    }
    if (stop == begin) break;
  }
  squares = i32x4.add(squares, v128.shuffle<u32>(squares, squares, 2, 3, 0, 1));
  return i32x4.extract_lane(squares, 0) + i32x4.extract_lane(squares, 1);
}
