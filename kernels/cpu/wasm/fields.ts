/**
 * Fields: words of a table's rows from its columns, four rows at a time. A module of its own, for
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
