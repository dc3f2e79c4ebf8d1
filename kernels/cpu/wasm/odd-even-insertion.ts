/**
 * Odd-even insertion: `insert` for whole keys whose bits are in order themselves, alone or beside a
 * payload, by SIMD. Neighbours are exchanged first, four records at a time and without a branch:
 * two steps of an odd-even transposition sort (Knuth, "The Art of Computer Programming" 3, 5.3.4),
 * in one read. That puts records right that agree with one other in the digits passed over.
 * Insertion does the rest. Plain insertion is slower because it mispredicts a branch at each such
 * pair.
 */

import { Order } from './blocks';
import { stride } from './order';

/** Whether records can be exchanged by SIMD: in 32 or 64 bits, the key on top. */
@inline
export function canExchange<K, P, N>(order: Order): bool {
  return stride<K, P>() <= 8 && !isFloat<N>() && order.whole == 1;
}

/**
 * Sorts `count` >= 4 records in place, in one read where nearly each has its place or is next to
 * it. Stable. Gives up with 0 after `limit` moves, with all records there and ties as they were;
 * else returns 1. O(count + moves).
 */
export function oddEvenInsert<K, P>(records: usize, count: usize, order: Order, limit: usize): u32 {
  return stride<K, P>() == 4
    ? insertWords(records, count, order, limit)
    : insertLongs<K, P>(records, count, order, limit);
}

function insertWords(records: usize, count: usize, order: Order, limit: usize): u32 {
  const biases = i32x4.splat(<i32>order.bias);
  const reverses = i32x4.splat(order.descending ? -1 : 0);
  const last = records + ((count & ~3) << 2);
  // In every four words, the pairs 0 and 1, 2 and 3 are exchanged first, then the pairs one place
  // on. The fourth stays open until the first of the next four is read.
  let open = exchange(wordsAt(records, biases, reverses));
  let closed = exchange(v128.shuffle<u32>(i32x4.splat(0), open, 3, 4, 5, 6));
  const keys = keysOf(closed, biases, reverses);
  // The open one stays where it is as long as no round comes that writes it again.
  v128.store(records, v128.shuffle<u32>(keys, keysOf(open, biases, reverses), 1, 2, 3, 7));
  let disorder = above(closed, v128.shuffle<u32>(closed, closed, 1, 2, 3, 3));
  // What is left to insertion begins here.
  let rest = records;
  for (let next = records + 16; next < last; ) {
    // Disorder is looked for once in four rounds.
    for (const stop = min<usize>(last, next + 64); next < stop; next += 16) {
      const four = exchange(wordsAt(next, biases, reverses));
      const before = closed;
      closed = exchange(v128.shuffle<u32>(open, four, 3, 4, 5, 6));
      open = four;
      disorder = v128.or(disorder, above(v128.shuffle<u32>(before, closed, 3, 4, 5, 6), closed));
      v128.store(next - 4, keysOf(closed, biases, reverses));
    }
    const end = next - 4;
    store<u32>(end, v128.extract_lane<u32>(keysOf(open, biases, reverses), 3));
    if (v128.any_true(disorder)) {
      const moves = insertFrom<u32, void>(records, rest, end, order, limit);
      if (moves > limit) return 0;
      limit -= moves;
      closed = wordsAt(end - 16, biases, reverses);
      disorder = i32x4.splat(0);
    }
    rest = end;
  }
  return u32(insertFrom<u32, void>(records, rest, records + (count << 2), order, limit) <= limit);
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

/**
 * `insertWords` for records of 64 bits. Their words are signed, which SIMD can compare. A payload
 * stays below the word of its key.
 */
function insertLongs<K, P>(records: usize, count: usize, order: Order, limit: usize): u32 {
  const biases = i64x2.splat(longBias<P>(order));
  const reverses = i64x2.splat(order.descending ? longMask<P>() : 0);
  const last = records + ((count & ~3) << 3);
  let rest = records;
  // The fourth of the four before, in the upper lane. None is below it.
  let open = i64x2.splat(i64.MIN_VALUE);
  let before = open;
  let disorder = i64x2.splat(0);
  for (let next = records; next < last; ) {
    // Disorder is looked for once in four rounds.
    for (const stop = min<usize>(last, next + 128); next < stop; next += 32) {
      const front = longsAt(next, biases, reverses);
      const back = longsAt(next + 16, biases, reverses);
      // Records 0 and 2, and 1 and 3.
      let low = v128.shuffle<u64>(front, back, 0, 2);
      let high = v128.shuffle<u64>(front, back, 1, 3);
      let swaps = v128.and(v128.xor(low, high), isAbove<P>(low, high));
      low = v128.xor(low, swaps);
      high = v128.xor(high, swaps);
      // The one that was left open and 0, and 1 and 2.
      const further = v128.shuffle<u64>(open, high, 1, 2);
      open = high;
      swaps = v128.and(v128.xor(further, low), isAbove<P>(further, low));
      const lower = v128.xor(further, swaps);
      const upper = v128.xor(low, swaps);
      disorder = v128.or(disorder, isAbove<P>(v128.shuffle<u64>(before, upper, 1, 2), lower));
      before = upper;
      // The very first has nothing before it.
      const pair = recordsOf(v128.shuffle<u64>(lower, upper, 0, 2), biases, reverses);
      if (next == records) store<i64>(next, i64x2.extract_lane(pair, 1));
      else v128.store(next - 8, pair);
      v128.store(next + 8, recordsOf(v128.shuffle<u64>(lower, upper, 1, 3), biases, reverses));
    }
    const end = next - 8;
    store<i64>(end, i64x2.extract_lane(recordsOf(open, biases, reverses), 1));
    if (v128.any_true(disorder)) {
      const moves = insertFrom<K, P>(records, rest, end, order, limit);
      if (moves > limit) return 0;
      limit -= moves;
      before = longsAt(end - 16, biases, reverses);
      disorder = i64x2.splat(0);
    }
    rest = end;
  }
  return u32(insertFrom<K, P>(records, rest, records + (count << 3), order, limit) <= limit);
}

/** What a record's bits are less, so that they are in order as a signed number. */
@inline
function longBias<P>(order: Order): i64 {
  const bias = isVoid<P>() ? order.bias : order.bias << 32;
  return <i64>bias ^ i64.MIN_VALUE;
}

/** The bits of a record's key. */
@inline
function longMask<P>(): i64 {
  return isVoid<P>() ? -1 : -1 << 32;
}

@inline
function longsAt(records: usize, biases: v128, reverses: v128): v128 {
  return v128.xor(i64x2.sub(v128.load(records), biases), reverses);
}

@inline
function recordsOf(longs: v128, biases: v128, reverses: v128): v128 {
  return i64x2.add(v128.xor(longs, reverses), biases);
}

/** All ones where a record's key comes after the other's. */
@inline
function isAbove<P>(longs: v128, others: v128): v128 {
  if (isVoid<P>()) return i64x2.gt_s(longs, others);
  const areAbove = i32x4.gt_s(longs, others);
  return v128.shuffle<u32>(areAbove, areAbove, 1, 1, 3, 3);
}

/**
 * Inserts the records from `next` to `end` into those before, which are in order; gives up after
 * `limit` moves. Returns how many places they were moved.
 */
function insertFrom<K, P>(
  records: usize, next: usize, end: usize, order: Order, limit: usize,
): usize {
  const step = stride<K, P>();
  const bias = <K>order.bias;
  const reverse = order.descending ? <K>-1 : <K>0;
  let moves: usize = 0;
  for (; next < end; next += step) {
    const record = stride<K, P>() == 4 ? <u64>load<u32>(next) : load<u64>(next);
    const w = wordOf<K, P>(record, bias, reverse);
    let hole = next;
    for (; hole > records; hole -= step) {
      const before = stride<K, P>() == 4 ? <u64>load<u32>(hole - step) : load<u64>(hole - step);
      if (wordOf<K, P>(before, bias, reverse) <= w) break;
      if (stride<K, P>() == 4) store<u32>(hole, <u32>before);
      else store<u64>(hole, before);
    }
    if (stride<K, P>() == 4) store<u32>(hole, <u32>record);
    else store<u64>(hole, record);
    moves += (next - hole) / step;
    if (moves > limit) break;
  }
  return moves;
}

@inline
function wordOf<K, P>(record: u64, bias: K, reverse: K): K {
  return ((isVoid<P>() ? <K>record : <K>(record >> 32)) - bias) ^ reverse;
}
