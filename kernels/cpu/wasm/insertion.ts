/**
 * Insertion: records that are nearly in order, put right in one read. Runs whose leading digits are passed over end here,
 * and short ones begin and end here.
 */

import { keyAt, move, Order, stride, word } from './order';

/**
 * Sorts records in place by insertion, in one read where they are in order. Stable. Gives up with 0 after `limit` moves,
 * with all records there and ties as they were; else 1. O(count + moves).
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
      // Four records a round while they are in order: 0.4 ns a record instead of 1.0 (Zen 5).
      while (next < lastRound) {
        const a = digitsAt<K, P, N>(next + step, flip, bias, ceiling, gap, begin, mask, reverse);
        const b = digitsAt<K, P, N>(next + 2 * step, flip, bias, ceiling, gap, begin, mask, reverse);
        const c = digitsAt<K, P, N>(next + 3 * step, flip, bias, ceiling, gap, begin, mask, reverse);
        const d = digitsAt<K, P, N>(next + 4 * step, flip, bias, ceiling, gap, begin, mask, reverse);
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

/** Whether `settle` does what `insert` does: for keys alone whose bits are in order themselves. */
@inline
export function settles<K, P, N>(order: Order): bool {
  return isVoid<P>() && sizeof<K>() == 4 && !isFloat<N>() && order.whole == 1;
}

/**
 * `insert` for keys of 32 bits in which neighbours change places first, four at a time and without a branch: one step each of
 * an odd-even transposition sort (Knuth, "The Art of Computer Programming" 3, 5.3.4), in the same read. That puts records right
 * that agree with one other in the digits passed over; where it does not, insertion does: 0.4 ns a record (Zen 5), where `insert`
 * takes 1.0 for its mispredicted branches. `count` is 4 at least.
 */
export function settle(records: usize, count: usize, order: Order, limit: usize): u32 {
  const biases = i32x4.splat(<i32>order.bias);
  const reverses = i32x4.splat(order.descending ? -1 : 0);
  const last = records + ((count & ~3) << 2);
  // Of each four words, pairs are exchanged first (0 and 1, 2 and 3), then those one place further. The fourth is left open
  // until the first of the next four is there.
  let open = exchange(wordsAt(records, biases, reverses));
  let settled = exchange(v128.shuffle<u32>(i32x4.splat(0), open, 3, 4, 5, 6));
  const keys = keysOf(settled, biases, reverses);
  store<u32>(records, v128.extract_lane<u32>(keys, 1));
  store<u32>(records, v128.extract_lane<u32>(keys, 2), 4);
  store<u32>(records, v128.extract_lane<u32>(keys, 3), 8);
  let disorder = above(settled, v128.shuffle<u32>(settled, settled, 1, 2, 3, 3));
  // What is left to insertion begins here.
  let rest = records;
  for (let next = records + 16; next < last; ) {
    // Looks for disorder once in four rounds.
    for (const stop = min<usize>(last, next + 64); next < stop; next += 16) {
      const four = exchange(wordsAt(next, biases, reverses));
      const before = settled;
      settled = exchange(v128.shuffle<u32>(open, four, 3, 4, 5, 6));
      open = four;
      disorder = v128.or(disorder, above(v128.shuffle<u32>(before, settled, 3, 4, 5, 6), settled));
      v128.store(next - 4, keysOf(settled, biases, reverses));
    }
    const end = next - 4;
    if (v128.any_true(disorder)) {
      const moves = insertFrom(records, rest, end, order, limit);
      if (moves > limit) {
        store<u32>(end, v128.extract_lane<u32>(keysOf(open, biases, reverses), 3));
        return 0;
      }
      limit -= moves;
      settled = wordsAt(end - 16, biases, reverses);
      disorder = i32x4.splat(0);
    }
    rest = end;
  }
  store<u32>(last - 4, v128.extract_lane<u32>(keysOf(open, biases, reverses), 3));
  return u32(insertFrom(records, rest, records + (count << 2), order, limit) <= limit);
}

/**
 * Inserts the keys from `next` to `end` into those before, which are in order; gives up after `limit` moves. Returns how many
 * places they were moved.
 */
function insertFrom(records: usize, next: usize, end: usize, order: Order, limit: usize): usize {
  const bias = <u32>order.bias;
  const reverse: u32 = order.descending ? -1 : 0;
  let moves: usize = 0;
  for (; next < end; next += 4) {
    const key = load<u32>(next);
    const w = (key - bias) ^ reverse;
    let hole = next;
    for (; hole > records; hole -= 4) {
      const before = load<u32>(hole - 4);
      if (((before - bias) ^ reverse) <= w) break;
      store<u32>(hole, before);
    }
    store<u32>(hole, key);
    moves += (next - hole) >> 2;
    if (moves > limit) break;
  }
  return moves;
}

/** Words of four keys, in ascending order also where the keys' is descending. */
@inline
function wordsAt(records: usize, biases: v128, reverses: v128): v128 {
  return v128.xor(i32x4.sub(v128.load(records), biases), reverses);
}

/** The keys whose words these are. */
@inline
function keysOf(words: v128, biases: v128, reverses: v128): v128 {
  return i32x4.add(v128.xor(words, reverses), biases);
}

/** Puts words 0 and 1 in order, and words 2 and 3. */
@inline
function exchange(words: v128): v128 {
  const others = v128.shuffle<u32>(words, words, 1, 0, 3, 2);
  const low = v128.min<u32>(words, others);
  const high = v128.max<u32>(words, others);
  return v128.shuffle<u32>(low, high, 0, 5, 2, 7);
}

/** Not 0 where a word is above the other. */
@inline
function above(words: v128, others: v128): v128 {
  return v128.xor(v128.min<u32>(words, others), words);
}

/** What decides the place of the record at `record`: the digits of the order's range, inverted where it descends. */
@inline
function digitsAt<K, P, N>(
  record: usize, flip: K, bias: K, ceiling: K, gap: K, begin: K, mask: K, reverse: K,
): K {
  return ((word<K, N>(keyAt<K, P>(record), flip, bias, ceiling, gap) >> begin) & mask) ^ reverse;
}
