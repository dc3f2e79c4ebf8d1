/**
 * Selection: the keys between two words, a group of vectors at a time. A module of its own, for one
 * thread.
 *
 *   word = (bits ^ (sign(bits) & differs)) - bias
 *
 * All modulo 2^32 or 2^64; narrow keys are the upper bits of 32. It is the word of @keysweep/core
 * with the top bit inverted, which the bias does: vectors compare signed numbers by one operation.
 */

import { Sought } from './blocks';

/** Vectors that are looked at together: few of them hold what is sought. */
const GROUP: usize = 4;

/**
 * Finds the keys between two words among `n`: writes their numbers as they come, of ties only as
 * many as are wanted, and returns how many it has written. Floor: a key read, and ten operations on
 * a vector of them.
 */
export function find(block: Sought, n: usize): u32 {
  switch (block.width) {
    case 1: return findAll<u8, u32>(block, n);
    case 2: return findAll<u16, u32>(block, n);
    case 4: return findAll<u32, u32>(block, n);
    default: return findAll<u64, u64>(block, n);
  }
}

/** Keys of type T, and words as wide as W. */
function findAll<T, W>(block: Sought, n: usize): u32 {
  const differs = v128.splat<W>(<W>block.differs);
  const biases = v128.splat<W>(<W>block.bias);
  const ceilings = v128.splat<W>(<W>block.ceiling);
  const least = v128.splat<W>(<W>block.least);
  const most = v128.splat<W>(<W>block.most);
  const tie = v128.splat<W>(<W>block.tie);
  const lanes: usize = 16 / sizeof<W>();
  const step = lanes * sizeof<T>();
  const group = GROUP * lanes;
  let keys = <usize>block.keys;
  let rows = <usize>block.rows;
  let room = block.mostTies;
  let ties: u32 = 0;
  let below: u32 = 0;
  // Counts down from 0 in each lane.
  let lanesBelow = i64x2.splat(0);
  for (let i: usize = 0; i < n; i += group, keys += GROUP * step) {
    const a = wordsAt<T, W>(keys, differs, biases);
    const b = wordsAt<T, W>(keys + step, differs, biases);
    const c = wordsAt<T, W>(keys + 2 * step, differs, biases);
    const d = wordsAt<T, W>(keys + 3 * step, differs, biases);
    const belowA = isLess<W>(a, least);
    const belowB = isLess<W>(b, least);
    const belowC = isLess<W>(c, least);
    const belowD = isLess<W>(d, least);
    const outA = v128.or(belowA, isLess<W>(most, a));
    const outB = v128.or(belowB, isLess<W>(most, b));
    const outC = v128.or(belowC, isLess<W>(most, c));
    const outD = v128.or(belowD, isLess<W>(most, d));
    // Behind the last key there may be anything.
    const own = (1 << <u32>min<usize>(group, n - i)) - 1;
    if (i + group <= n) {
      const some = v128.add<W>(v128.add<W>(belowA, belowB), v128.add<W>(belowC, belowD));
      lanesBelow = v128.add<W>(lanesBelow, some);
      const out = v128.and(v128.and(outA, outB), v128.and(outC, outD));
      if (v128.all_true<W>(out)) continue;
    } else {
      below += popcnt<u32>(own & bitsOf<W>(belowA, belowB, belowC, belowD));
    }
    let hits = own & ~bitsOf<W>(outA, outB, outC, outD);
    let equal = hits & bitsOf<W>(
      v128.eq<W>(lesser<W>(a, ceilings), tie),
      v128.eq<W>(lesser<W>(b, ceilings), tie),
      v128.eq<W>(lesser<W>(c, ceilings), tie),
      v128.eq<W>(lesser<W>(d, ceilings), tie),
    );
    ties += popcnt<u32>(equal);
    hits ^= equal;
    for (; equal != 0 && room > 0; equal &= equal - 1, room--) hits |= equal & (0 - equal);
    const row = block.firstRow + <u32>i;
    for (; hits != 0; hits &= hits - 1, rows += 4) store<u32>(rows, row + ctz<u32>(hits));
  }
  block.below = below - <u32>sumOf<W>(lanesBelow);
  block.ties = ties;
  return <u32>((rows - block.rows) >> 2);
}

/** The top bits of all lanes of a group. */
@inline
function bitsOf<W>(a: v128, b: v128, c: v128, d: v128): u32 {
  const lanes: u32 = 16 / sizeof<W>();
  const first = v128.bitmask<W>(a) | (v128.bitmask<W>(b) << lanes);
  const second = v128.bitmask<W>(c) | (v128.bitmask<W>(d) << lanes);
  return <u32>(first | (second << (2 * lanes)));
}

/** The words of the keys from `keys` on, as many as a vector has. */
@inline
function wordsAt<T, W>(keys: usize, differs: v128, biases: v128): v128 {
  const bits = loadBits<T>(keys);
  return v128.sub<W>(v128.xor(bits, v128.and(signsOf<W>(bits), differs)), biases);
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

/** Of each lane whether a signed number is less than another. */
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
