/**
 * @keysweep/kernels/cpu: the inner loops of the CPU backend, compiled and plain, and the memory
 * layouts that they share with their host.
 */

export { CPU_WASM } from '../generated/cpu.js';
export * from './plain/counting.js';
export * from './plain/division.js';
export * from './plain/radix.js';

/**
 * Record layouts, as the kernels' `layout` argument. FLOAT is added for float keys. Where integers are counted and scattered,
 * WINDOW counts the digit from the order's gap on, with its first and last values for all that is below and above, and MAGNITUDE makes
 * it a small float with `shift` bits of mantissa.
 */
export const Layout = {
  KEYS_32: 0,
  KEYS_64: 1,
  PAIRS_32: 2,
  PAIRS_64: 3,
  FLOAT: 4,
  WINDOW: 8,
  MAGNITUDE: 16,
} as const;

/** How an array of keys or payloads lies in memory. Signed words are widened with their sign. */
export const Format = { ABSENT: 0, UNSIGNED_32: 1, SIGNED_32: 2, WORDS_64: 3 } as const;

/** Bytes of an order block: u64 flip, bias, ceiling, gap; u32 begin, end, descending, whole. */
export const ORDER_BYTES = 48;

/** Bytes of a split block: u32 kind (WINDOW, MAGNITUDE or 0), shift, width, first, descending, end. */
export const SPLIT_BYTES = 24;

/** Bytes of a block of buckets: u32 bounds, count, home, away, endsAway, giant, positive, negative, negativeFrom, negativeTo. */
export const BUCKETS_BYTES = 40;

/** Bytes of a survey: u64 minimum, maximum, least magnitude; u32 descends, ascends. */
export const SURVEY_BYTES = 32;

/** Widest digit of a pass over a run, in bits. */
export const MAX_DIGIT_BITS = 12;

/** Bytes of counters that `runs` needs: six 12-bit digits cover 64 bits, as do eight 8-bit ones. */
export const RUN_COUNTER_BYTES: number = 6 * (4 << MAX_DIGIT_BITS);

/**
 * The WebAssembly exports. Addresses are in bytes; `order` and `found` point to the blocks above,
 * aligned to 8. See wasm/*.ts for what each does and costs.
 */
export interface CpuKernels {
  /** Finds smallest and largest word of `count` >= 1 raw keys, and which ways they step. */
  survey(layout: number, keys: number, count: number, order: number, found: number): void;
  /** Brings memory into the caches that a scatter is about to write. */
  warm(from: number, bytes: number): number;
  /** Counts one digit of `n` records into 2^width counters for each half of them, one table behind the other. */
  count(
    layout: number,
    records: number,
    n: number,
    order: number,
    shift: number,
    width: number,
    counts: number,
  ): void;
  /**
   * Turns the counts of `slices` slices, `rowBytes` apart, into cursors, `step` bytes a record, and bounds of buckets, in
   * records from `position` on, with what is left to sort of each; record 0 would go to `target`. Returns the number of the largest bucket.
   */
  scan(
    split: number,
    counts: number,
    cursors: number,
    rowBytes: number,
    slices: number,
    target: number,
    step: number,
    position: number,
    bounds: number,
  ): number;
  /** One above the highest bit in which records may differ that have this value. */
  rest(split: number, value: number): number;
  /**
   * Moves `n` records to 2^width byte addresses at `cursors` for each half of them, as `count` splits them: both halves at
   * once, which pays where most records have one digit, or one after the other.
   */
  scatter(
    layout: number,
    records: number,
    n: number,
    order: number,
    shift: number,
    width: number,
    cursors: number,
    atOnce: number,
  ): void;
  /** Sorts runs `first` to `last` - 1 of those whose u32 bounds are at `bounds`. */
  runs(
    layout: number,
    bounds: number,
    first: number,
    last: number,
    home: number,
    away: number,
    endsAway: number,
    order: number,
    counters: number,
  ): void;
  /** Sorts buckets `first` to `last` - 1 but giants; returns how many records they hold. */
  buckets(layout: number, buckets: number, first: number, last: number, counters: number): number;
  /** How many passes `runs` makes over a run of `n` records whose bits are as good as random. */
  passes(layout: number, n: number, order: number): number;
  /** Looks at a word up to `times` times; returns what it is once that is not `seen`, or `seen`. */
  spin(address: number, seen: number, times: number): number;
  /** Puts keys and payloads side by side; ABSENT payloads become first, first + 1, … */
  pack(
    layout: number,
    keys: number,
    keyFormat: number,
    values: number,
    valueFormat: number,
    first: number,
    n: number,
    records: number,
  ): void;
  /** Makes records of `n` u32 indices and the keys that they point to. */
  packPermuted(
    layout: number,
    keys: number,
    keyFormat: number,
    indices: number,
    n: number,
    records: number,
  ): void;
  /** Takes records apart; an ABSENT half is left out. */
  unpack(
    layout: number,
    records: number,
    n: number,
    keys: number,
    keyFormat: number,
    values: number,
    valueFormat: number,
  ): void;
}
