/**
 * Implicit counting (Ha, Krüger and Silva, "Implicit radix sorting on GPUs", 2.1): several digit
 * counters packed in one 32-bit word. One addition counts a key; one prefix sum adds all counters.
 */

/** How counters are packed. */
export interface CountersSpec {
  /** Bits of a digit: 2 ** digitBits counters. */
  readonly digitBits: number;
  /** Bits of a counter: 32 / fieldBits of them in a word. */
  readonly fieldBits: number;
  /** Keys that one thread counts, fewer than a counter overflows at. */
  readonly keysPerThread: number;
}

/** The paper's scheme in its smallest form: four counters of 8 bits in one word. */
export const FOUR_COUNTERS: CountersSpec = { digitBits: 2, fieldBits: 8, keysPerThread: 8 };

/** As kernels/wgsl/fragments/presort.wgsl: sixteen counters of 4 bits in two words. */
export const SIXTEEN_COUNTERS: CountersSpec = { digitBits: 4, fieldBits: 4, keysPerThread: 8 };

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
export function countKeys(
  digits: readonly number[],
  { digitBits, fieldBits }: CountersSpec,
): Count[] {
  const perWord = 32 / fieldBits;
  const words = new Array<number>(Math.max(1, 2 ** digitBits / perWord)).fill(0);
  return digits.map((digit): Count => {
    const word = Math.floor(digit / perWord);
    const shift = (digit % perWord) * fieldBits;
    const rank = ((words[word] as number) >>> shift) & (2 ** fieldBits - 1);
    words[word] = ((words[word] as number) + 2 ** shift) >>> 0;
    return { digit, word, shift, rank, words: [...words] };
  });
}

/** The counters in a word, the lowest bits' first. */
export const fieldsOf = (word: number, fieldBits: number): number[] =>
  Array.from(
    { length: 32 / fieldBits },
    (_, i) => (word >>> (i * fieldBits)) & (2 ** fieldBits - 1),
  );

/** Bits of a tile's counters, wider than a thread's because a tile has more keys. */
const WIDE_BITS = 16;

/**
 * The position of each key of a tile when the tile is sorted stably by digit. Before a key are the
 * keys of smaller digits, those of its digit in earlier threads, and those in its own thread (its
 * rank). The first two are one prefix sum of packed counters.
 */
export function placesOf(digits: readonly number[], spec: CountersSpec): number[] {
  const { keysPerThread, digitBits, fieldBits } = spec;
  const threads = Array.from({ length: Math.ceil(digits.length / keysPerThread) }, (_, thread) =>
    countKeys(digits.slice(thread * keysPerThread, (thread + 1) * keysPerThread), spec),
  );
  const radix = 2 ** digitBits;
  // Two wide counters a word, digits d and d + radix / 2, as presort.wgsl pairs them.
  const half = radix / 2;
  const sums = new Uint32Array(half);
  const before = threads.map((counts) => {
    const mine = Uint32Array.from(sums);
    const counters = (counts.at(-1)?.words ?? []).flatMap((word) => fieldsOf(word, fieldBits));
    for (let digit = 0; digit < half; digit++) {
      const [low = 0, high = 0] = [counters[digit], counters[digit + half]];
      sums[digit] = (sums[digit] as number) + low + high * 2 ** WIDE_BITS;
    }
    return mine;
  });
  const wide = (words: Uint32Array, digit: number): number =>
    ((words[digit % half] as number) >>> (digit < half ? 0 : WIDE_BITS)) & (2 ** WIDE_BITS - 1);
  let start = 0;
  const starts = Array.from({ length: radix }, (_, digit) => {
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
