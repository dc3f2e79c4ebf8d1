/**
 * Insertion: puts records that are nearly in order right in one read. Runs whose leading digits are
 * passed over end here, and the shortest ones begin and end here.
 */

import { Order } from './blocks';
import { keyAt, move, stride, word } from './order';

/**
 * Sorts records in place by insertion, in one read where they are in order. Stable. Gives up with 0
 * after `limit` moves, with all records there and ties as they were; else returns 1. O(count +
 * moves).
 */
export function insert<K, P, N>(records: usize, count: usize, order: Order, limit: usize): u32 {
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const gap = <K>order.gap;
  const begin = <K>order.begin;
  // All bits of the range, also where it is the whole width and a shift by it would do nothing.
  const bits = order.end - order.begin;
  if (bits == 0) return 1;
  const mask = <K>-1 >> <K>(8 * <u32>sizeof<K>() - bits);
  const reverse = order.descending ? mask : <K>0;
  const step = stride<K, P>();
  const end = records + count * step;
  const lastRound = end - 4 * step;
  let highest = <K>0;
  for (let next = records; next < end; next += step) {
    const w = digitsAt<K, P, N>(next, flip, bias, ceiling, gap, begin, mask, reverse);
    if (w >= highest) {
      highest = w;
      // Four records a round while they are in order.
      while (next < lastRound) {
        const a = digitsAt<K, P, N>(next + step, flip, bias, ceiling, gap, begin, mask, reverse);
        const b = digitsAt<K, P, N>(
          next + 2 * step, flip, bias, ceiling, gap, begin, mask, reverse,
        );
        const c = digitsAt<K, P, N>(
          next + 3 * step, flip, bias, ceiling, gap, begin, mask, reverse,
        );
        const d = digitsAt<K, P, N>(
          next + 4 * step, flip, bias, ceiling, gap, begin, mask, reverse,
        );
        if (u32(a < highest) | u32(b < a) | u32(c < b) | u32(d < c)) break;
        highest = d;
        next += 4 * step;
      }
      continue;
    }
    const key = keyAt<K, P>(next);
    const payload = isVoid<P>() ? <K>0 : load<K>(next);
    let hole = next;
    do {
      const before = hole - step;
      if (digitsAt<K, P, N>(before, flip, bias, ceiling, gap, begin, mask, reverse) <= w) break;
      move<K, P>(before, hole);
      hole = before;
    } while (hole > records);
    if (isVoid<P>()) {
      store<K>(hole, key);
    } else {
      store<K>(hole, payload);
      store<K>(hole, key, sizeof<K>());
    }
    const moves = (next - hole) / step;
    if (moves > limit) return 0;
    limit -= moves;
  }
  return 1;
}

/** Whether records are in order; looks no further than the first that is not. */
export function areSorted<K, P, N>(records: usize, count: usize, order: Order): bool {
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const gap = <K>order.gap;
  const begin = <K>order.begin;
  const mask = <K>-1 >> <K>(8 * <u32>sizeof<K>() - (order.end - order.begin));
  const reverse = order.descending ? mask : <K>0;
  const end = records + count * stride<K, P>();
  let highest = <K>0;
  for (; records < end; records += stride<K, P>()) {
    const w = digitsAt<K, P, N>(records, flip, bias, ceiling, gap, begin, mask, reverse);
    if (w < highest) return false;
    highest = w;
  }
  return true;
}

/** The bits that decide a record's place: the order's range of them, inverted if descending. */
@inline
function digitsAt<K, P, N>(
  record: usize, flip: K, bias: K, ceiling: K, gap: K, begin: K, mask: K, reverse: K,
): K {
  return ((word<K, N>(keyAt<K, P>(record), flip, bias, ceiling, gap) >> begin) & mask) ^ reverse;
}
