/**
 * Fields: words of a table's rows from its columns, a vector at a time. A module of its own, for
 * one thread. Numbers and sums have 32 bits and lie at multiples of 16 bytes; `n` is a multiple of
 * 4. Whoever has fewer rows fills them up.
 */

/**
 * Finds the least and the largest of `n` words, which are numbers with the bits of `flip` inverted.
 * Writes four of the least at `found`, of every fourth word, and four of the largest behind them.
 * Floor: a number read.
 */
export function range(numbers: usize, n: usize, flip: u32, found: usize): void {
  const flips = i32x4.splat(flip);
  let least = i32x4.splat(-1);
  let most = i32x4.splat(0);
  for (const end = numbers + (n << 2); numbers < end; numbers += 16) {
    const words = v128.xor(v128.load(numbers), flips);
    least = v128.min<u32>(least, words);
    most = v128.max<u32>(most, words);
  }
  v128.store(found, least);
  v128.store(found + 16, most);
}

/** Adds `n` numbers, each `factor` times, to sums, modulo 2^32. Floor: a number and a sum read. */
export function add(numbers: usize, n: usize, factor: i32, sums: usize): void {
  const factors = i32x4.splat(factor);
  for (const end = numbers + (n << 2); numbers < end; numbers += 16, sums += 16) {
    const products = i32x4.mul(v128.load(numbers), factors);
    v128.store(sums, i32x4.add(v128.load(sums), products));
  }
}

/**
 * Writes how often `divisor` goes into each of `n` doubles, as integers with the bits of `flip`
 * inverted. Returns whether all are multiples of it by integers of 32 bits, by all bits of a sum
 * with `zero`: −0 keeps −0, and +0 makes +0 of it. Floor: 8 bytes read and 4 written a number.
 */
export function multiples(
  doubles: usize,
  n: usize,
  divisor: f64,
  flip: i32,
  zero: f64,
  words: usize,
): bool {
  const flips = i32x4.splat(flip);
  const zeros = f64x2.splat(zero);
  const divisors = f64x2.splat(divisor);
  let differ = i64x2.splat(0);
  for (const end = doubles + (n << 3); doubles < end; doubles += 16, words += 8) {
    const two = f64x2.add(v128.load(doubles), zeros);
    const factors = i32x4.trunc_sat_f64x2_s_zero(f64x2.div(two, divisors));
    const products = f64x2.mul(f64x2.convert_low_i32x4_s(factors), divisors);
    differ = v128.or(differ, v128.xor(two, products));
    v128.store64_lane(words, v128.xor(factors, flips), 0);
  }
  return !v128.any_true(differ);
}
