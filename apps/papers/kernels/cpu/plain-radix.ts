/**
 * Radix sort of four digits of 8 bits, least significant first: each key goes straight to its
 * place. What buffered-radix.ts is compared with.
 *
 * Bytes a key: 4 to count all digits, and 8 a pass, 36 in all; a store that misses the caches reads
 * its line first, which makes up to 4 × 64 more where 256 lines do not stay in a cache.
 * Operations a key: 4 counters, and 4 × (a digit, a counter, a store).
 * Source: Satish, Kim, Chhugani et al., "Fast sort on CPUs and GPUs", 2010, pages 351 to 362,
 * its radix sort.
 */

/** Values of a digit, and bytes of their counters. */
const RADIX: usize = 256;
const COUNTERS: usize = 4 * RADIX;

/** Sorts `count` keys with as many words at `other`, and 4 × 256 at `counters`. Stable. */
export function plainRadix(keys: usize, other: usize, count: u32, counters: usize): void {
  countDigits(keys, count, counters);
  let from = keys;
  let to = other;
  for (let shift: u32 = 0; shift < 32; shift += 8) {
    const starts = counters + (<usize>shift >> 3) * COUNTERS;
    const end = from + (<usize>count << 2);
    for (let at = from; at < end; at += 4) {
      const key = load<u32>(at);
      const start = starts + (<usize>((key >> shift) & 255) << 2);
      const place = load<u32>(start);
      store<u32>(start, place + 1);
      store<u32>(to + (<usize>place << 2), key);
    }
    const swapped = from;
    from = to;
    to = swapped;
  }
}

/** Sets the counters of all four digits to the number of keys with smaller ones. */
export function countDigits(keys: usize, count: u32, counters: usize): void {
  memory.fill(counters, 0, 4 * COUNTERS);
  const end = keys + (<usize>count << 2);
  for (let at = keys; at < end; at += 4) {
    const key = load<u32>(at);
    for (let digit: u32 = 0; digit < 4; digit++) {
      const counter = counters + digit * COUNTERS + (<usize>((key >> (8 * digit)) & 255) << 2);
      store<u32>(counter, load<u32>(counter) + 1);
    }
  }
  for (let digit: usize = 0; digit < 4; digit++) {
    let before: u32 = 0;
    for (let value: usize = 0; value < RADIX; value++) {
      const counter = counters + digit * COUNTERS + (value << 2);
      const own = load<u32>(counter);
      store<u32>(counter, before);
      before += own;
    }
  }
}
