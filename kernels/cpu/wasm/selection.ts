/**
 * Selection: finds the keys between two words, a group of vectors at a time. A module of its own,
 * for one thread.
 *
 *   word = (bits ^ (sign(bits) & differs)) - bias
 *
 * All modulo 2^32 or 2^64; narrow keys are the upper bits of 32. It is the word of @keysweep/core
 * with the top bit inverted, which the bias does: vectors compare signed numbers by one operation.
 */

import { Sought } from './blocks';

/** Vectors that are looked at together, because few of them hold a key that is wanted. */
const GROUP: usize = 8;

/**
 * Finds the keys between two words among `n`: writes their numbers as they come, but only as many
 * ties as are wanted, and returns how many numbers it has written. Floor: a key read, and seven
 * operations on a vector of keys; two more if words below are counted.
 */
export function find(block: Sought, n: usize): u32 {
  switch (block.width) {
    case 1: return findAll<u8, u32>(block, n, true);
    case 2: return findAll<u16, u32>(block, n, true);
    case 4:
      return block.isCounted
        ? findAll<u32, u32>(block, n, true)
        : findAll<u32, u32>(block, n, false);
    default:
      return block.isCounted
        ? findAll<u64, u64>(block, n, true)
        : findAll<u64, u64>(block, n, false);
  }
}

/**
 * Keys of type T, and words as wide as W. A word's place is its distance from the least word that
 * is sought, with the top bit inverted. So one comparison says whether a key is outside.
 */
@inline
function findAll<T, W>(block: Sought, n: usize, isCounted: bool): u32 {
  const top: W = <W>1 << (8 * sizeof<W>() - 1);
  const differs = v128.splat<W>(<W>block.differs);
  const offsets = v128.splat<W>(<W>block.bias + <W>block.least + top);
  const lastPlace = v128.splat<W>(<W>block.most - <W>block.least + top);
  // Places after the largest word's belong to words below the least one.
  const topPlace = v128.splat<W>(top - 1 - <W>block.least + top);
  const lanes: usize = 16 / sizeof<W>();
  const step = lanes * sizeof<T>();
  const group = GROUP * lanes;
  const whole = n & ~(group - 1);
  let keys = <usize>block.keys;
  let rows = <usize>block.rows;
  // Counts down from 0 in each lane.
  let lanesBelow = i64x2.splat(0);
  block.below = 0;
  block.ties = 0;
  for (let i: usize = 0; i < whole; i += group, keys += GROUP * step) {
    const a = placesAt<T, W>(keys, differs, offsets);
    const b = placesAt<T, W>(keys + step, differs, offsets);
    const c = placesAt<T, W>(keys + 2 * step, differs, offsets);
    const d = placesAt<T, W>(keys + 3 * step, differs, offsets);
    const e = placesAt<T, W>(keys + 4 * step, differs, offsets);
    const f = placesAt<T, W>(keys + 5 * step, differs, offsets);
    const g = placesAt<T, W>(keys + 6 * step, differs, offsets);
    const h = placesAt<T, W>(keys + 7 * step, differs, offsets);
    if (isCounted) {
      const some = countBehind<W>(topPlace, a, b, c, d);
      lanesBelow = v128.add<W>(lanesBelow, v128.add<W>(some, countBehind<W>(topPlace, e, f, g, h)));
    }
    const out = v128.and(areBehind<W>(lastPlace, a, b, c, d), areBehind<W>(lastPlace, e, f, g, h));
    if (v128.all_true<W>(out)) continue;
    rows = collect<T, W>(block, keys, i, group, rows);
  }
  if (whole < n) rows = collect<T, W>(block, keys, whole, n - whole, rows);
  block.below -= <u32>sumOf<W>(lanesBelow);
  return <u32>((rows - block.rows) >> 2);
}

/** All ones in lanes in which all of four places come after `place`. */
@inline
function areBehind<W>(place: v128, a: v128, b: v128, c: v128, d: v128): v128 {
  const some = v128.and(isLess<W>(place, a), isLess<W>(place, b));
  return v128.and(some, v128.and(isLess<W>(place, c), isLess<W>(place, d)));
}

/** In each lane, minus the number of the four places that come after `place`. */
@inline
function countBehind<W>(place: v128, a: v128, b: v128, c: v128, d: v128): v128 {
  const some = v128.add<W>(isLess<W>(place, a), isLess<W>(place, b));
  return v128.add<W>(some, v128.add<W>(isLess<W>(place, c), isLess<W>(place, d)));
}

/**
 * Looks at `n` keys of a group, of which the first is number `i`: writes the numbers of the wanted
 * ones to `rows`, and counts ties. If the group is not whole, it also counts words below the least
 * one. Returns the end of the rows.
 */
function collect<T, W>(block: Sought, keys: usize, i: usize, n: usize, rows: usize): usize {
  const differs = v128.splat<W>(<W>block.differs);
  const biases = v128.splat<W>(<W>block.bias);
  const ceilings = v128.splat<W>(<W>block.ceiling);
  const least = v128.splat<W>(<W>block.least);
  const most = v128.splat<W>(<W>block.most);
  const tie = v128.splat<W>(<W>block.tie);
  const lanes: u32 = 16 / sizeof<W>();
  const group: u32 = GROUP * lanes;
  let below: u32 = 0;
  let above: u32 = 0;
  let equal: u32 = 0;
  for (let at: u32 = 0; at < group; at += lanes, keys += lanes * sizeof<T>()) {
    const words = placesAt<T, W>(keys, differs, biases);
    below |= v128.bitmask<W>(isLess<W>(words, least)) << at;
    above |= v128.bitmask<W>(isLess<W>(most, words)) << at;
    equal |= v128.bitmask<W>(v128.eq<W>(lesser<W>(words, ceilings), tie)) << at;
  }
  // After the last key there may be anything.
  const own: u32 = (-1 as u32) >> (32 - <u32>n);
  if (n < group) block.below += popcnt<u32>(own & below);
  let hits = own & ~(below | above);
  equal &= hits;
  hits ^= equal;
  block.ties += popcnt<u32>(equal);
  for (; equal != 0 && block.maxTies > 0; equal &= equal - 1, block.maxTies--) {
    hits |= equal & (0 - equal);
  }
  const row = block.firstRow + <u32>i;
  for (; hits != 0; hits &= hits - 1, rows += 4) store<u32>(rows, row + ctz<u32>(hits));
  return rows;
}

/** The places of a vector of keys. */
@inline
function placesAt<T, W>(keys: usize, differs: v128, offsets: v128): v128 {
  const bits = loadBits<T>(keys);
  return v128.sub<W>(v128.xor(bits, v128.and(signsOf<W>(bits), differs)), offsets);
}

/** Keys as the upper bits of words. */
@inline
function loadBits<T>(keys: usize): v128 {
  const zeros = i64x2.splat(0);
  if (sizeof<T>() == 1) {
    const bits = v128.load32_zero(keys);
    return v128.shuffle<u8>(zeros, bits, 0, 0, 0, 16, 0, 0, 0, 17, 0, 0, 0, 18, 0, 0, 0, 19);
  }
  if (sizeof<T>() == 2) {
    return v128.shuffle<u16>(zeros, v128.load64_zero(keys), 0, 8, 0, 9, 0, 10, 0, 11);
  }
  return v128.load(keys);
}

/** All ones in lanes whose top bit is set, else 0. There is no shift by 63 bits in SSE. */
@inline
function signsOf<W>(bits: v128): v128 {
  return sizeof<W>() == 4 ? v128.shr<i32>(bits, 31) : v128.gt<i64>(i64x2.splat(0), bits);
}

/** For each lane, whether a signed number is less than another. */
@inline
function isLess<W>(some: v128, others: v128): v128 {
  return sizeof<W>() == 4 ? v128.gt<i32>(others, some) : v128.gt<i64>(others, some);
}

/** The smaller of each two signed numbers. */
@inline
function lesser<W>(some: v128, others: v128): v128 {
  return sizeof<W>() == 4
    ? v128.min<i32>(some, others)
    : v128.bitselect(others, some, v128.gt<i64>(some, others));
}

/** The sum of all lanes. */
@inline
function sumOf<W>(lanes: v128): W {
  const sum = v128.extract_lane<W>(lanes, 0) + v128.extract_lane<W>(lanes, 1);
  if (sizeof<W>() == 8) return sum;
  return sum + v128.extract_lane<W>(lanes, 2) + v128.extract_lane<W>(lanes, 3);
}
