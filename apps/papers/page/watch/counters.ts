/**
 * Implicit counting (Ha, Krüger and Silva, "Implicit radix sorting on GPUs", 2.1): several digit
 * counters packed in one 32-bit word. One addition counts a key; one prefix sum adds all counters.
 */

/** Bits of a digit: as kernels/wgsl/fragments/presort.wgsl, sixteen counters in two words. */
export const DIGIT_BITS = 4;
const RADIX = 2 ** DIGIT_BITS;
/** Bits of a counter. */
export const FIELD_BITS = 4;
const PER_WORD = 32 / FIELD_BITS;
/** Keys that one thread counts, fewer than a counter overflows at. */
export const KEYS_PER_THREAD = 8;

/** The effect of counting one key. */
export interface Count {
  readonly digit: number;
  /** Which word the digit's counter is in, and the lowest bit of it. */
  readonly word: number;
  readonly shift: number;
  /** The counter before: the key's rank among the thread's keys with its digit. */
  readonly rank: number;
  /** All words afterwards. */
  readonly words: readonly number[];
}

/** A thread counts its keys, one after the other. */
export function countKeys(digits: readonly number[]): Count[] {
  const words = new Array<number>(RADIX / PER_WORD).fill(0);
  return digits.map((digit): Count => {
    const word = Math.floor(digit / PER_WORD);
    const shift = (digit % PER_WORD) * FIELD_BITS;
    const rank = ((words[word] as number) >>> shift) & (2 ** FIELD_BITS - 1);
    words[word] = ((words[word] as number) + 2 ** shift) >>> 0;
    return { digit, word, shift, rank, words: [...words] };
  });
}

/** The counters in a word, the lowest bits' first. */
export const fieldsOf = (word: number): number[] =>
  Array.from({ length: PER_WORD }, (_, i) => (word >>> (i * FIELD_BITS)) & (2 ** FIELD_BITS - 1));

/** Bits of a tile's counters, wider than a thread's because a tile has more keys. */
const WIDE_BITS = 16;

/**
 * The position of each key of a tile when the tile is sorted stably by digit. Before a key are the
 * keys of smaller digits, those of its digit in earlier threads, and those in its own thread (its
 * rank). The first two are one prefix sum of packed counters.
 */
export function placesOf(digits: readonly number[]): number[] {
  const threads = Array.from({ length: Math.ceil(digits.length / KEYS_PER_THREAD) }, (_, thread) =>
    countKeys(digits.slice(thread * KEYS_PER_THREAD, (thread + 1) * KEYS_PER_THREAD)),
  );
  // Two wide counters a word, digits d and d + RADIX / 2, as presort.wgsl pairs them.
  const half = RADIX / 2;
  const sums = new Uint32Array(half);
  const before = threads.map((counts) => {
    const mine = Uint32Array.from(sums);
    const counters = (counts.at(-1)?.words ?? []).flatMap((word) => fieldsOf(word));
    for (let digit = 0; digit < half; digit++) {
      const [low = 0, high = 0] = [counters[digit], counters[digit + half]];
      sums[digit] = (sums[digit] as number) + low + high * 2 ** WIDE_BITS;
    }
    return mine;
  });
  const wide = (words: Uint32Array, digit: number): number =>
    ((words[digit % half] as number) >>> (digit < half ? 0 : WIDE_BITS)) & (2 ** WIDE_BITS - 1);
  let start = 0;
  const starts = Array.from({ length: RADIX }, (_, digit) => {
    const here = start;
    start += wide(sums, digit);
    return here;
  });
  return threads.flatMap((counts, thread) =>
    counts.map(
      ({ digit, rank }) =>
        (starts[digit] as number) + wide(before[thread] as Uint32Array, digit) + rank,
    ),
  );
}
