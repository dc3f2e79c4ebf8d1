/**
 * @keysweep/kernels/cpu: the inner loops of the CPU backend, compiled and plain, and the memory
 * layouts that they share with their host.
 */

export { GATHER, JOB, ORDER, SOUGHT, SPELLING, SPLIT, SURVEY } from '../generated/cpu-blocks.js';
export * from './constants.js';
export * from './plain/counting.js';
export * from './plain/radix.js';
export * from './plain/range-partition.js';
export {
  fieldBytes,
  gatherBytes,
  KERNELS_TEXT,
  selectionBytes,
  spellingBytes,
  splitBytes,
  wasmBytes,
} from './wasm-bytes.js';

/**
 * The WebAssembly exports. Addresses are in bytes. `job` is a block of parameters whose fields
 * wasm/blocks.ts documents; `order` and `found` are the other blocks there. See wasm/*.ts for what
 * each kernel costs.
 */
export interface CpuKernels {
  /** Finds the smallest and largest word of `n` >= 1 raw keys, and which ways they step. */
  survey(job: number, first: number, n: number, found: number): void;
  /** Adds up `count` surveys, `step` bytes apart, in the survey at `sum`. */
  addSurveys(surveys: number, count: number, step: number, sum: number): void;
  /** Puts `n` keys and payloads from number `first` on side by side. */
  pack(job: number, first: number, n: number): void;
  /**
   * Counts a digit of `n` records: 2^width counters for each half of them, one table after the
   * other.
   */
  count(job: number, first: number, n: number, counts: number): void;
  /**
   * Turns all slices' counts into cursors of the first one and bounds of buckets; returns the
   * largest bucket.
   */
  scan(job: number): number;
  /** Moves the cursors past the records of slices `first` to `last` - 1. */
  skip(job: number, first: number, last: number): void;
  /** One above the highest bit in which records may differ that have this digit value. */
  rest(job: number, value: number): number;
  /** Moves `n` records, of which `count` has left `counts`, and the cursors past them. */
  scatter(job: number, first: number, n: number, counts: number): void;
  /** Sorts segments `first` to `last` - 1. */
  runs(job: number, first: number, last: number): void;
  /**
   * Sorts buckets `first` to `last` - 1 but long ones; returns how many records they hold.
   */
  buckets(job: number, first: number, last: number): number;
  /** How many passes `runs` makes over a run of `n` records whose bits are as good as random. */
  passes(variant: number, n: number, order: number): number;
  /** Counts the values of `n` keys, 2^width of them, in a table, and writes them over the keys. */
  countValues(job: number, first: number, n: number, table: number): void;
  /** Finds bounds of digits, and cursors of a slice, from the tables of all slices. */
  scanDigits(job: number, slice: number): void;
  /** Splits `n` rows from number `first` on by the top digit of their values. */
  splitRows(job: number, first: number, n: number): void;
  /** Places `n` split rows from number `first` on, which has that digit, by their values. */
  placeRows(job: number, digit: number, first: number, n: number): void;
  /** Takes `n` records from number `first` on apart. */
  unpack(job: number, first: number, n: number): void;
  /**
   * Looks at a word up to `times` times; returns its value once that is not `seen`, or `seen`.
   */
  spin(address: number, seen: number, times: number): number;
}

/** The exports of the module that moves rows. */
export interface GatherKernel {
  /** Whether one of `n` row numbers from number `first` on is beyond the source: 1 or 0. */
  isBeyond(block: number, first: number, n: number): number;
  /** Writes `n` rows from number `first` on, as the gather block says, none of them beyond. */
  gather(block: number, first: number, n: number): void;
}

/**
 * The exports of the module of a table's fields. Numbers and sums have 32 bits; addresses are
 * multiples of 16, and `n` is one of 4.
 */
export interface FieldLoops {
  /** Writes four of the least and four of the largest of `n` words: see wasm/fields.ts. */
  range(numbers: number, n: number, flip: number, found: number): void;
  /** Adds `n` numbers, each `factor` times, to sums. */
  add(numbers: number, n: number, factor: number, sums: number): void;
  /** Writes how often a divisor goes into `n` doubles, and returns whether it does into all. */
  multiples(
    doubles: number,
    n: number,
    divisor: number,
    flip: number,
    zero: number,
    words: number,
  ): number;
}

/** The exports of the module that finds keys between two words, on one thread. */
export interface SelectionKernel {
  /** Finds keys among `n`, as the block says; returns how many numbers it has written. */
  find(block: number, n: number): number;
}

/** The exports of the module that spells strings. Threads that share a memory link one each. */
export interface SpellingKernel {
  /** Spells `n` strings, as the block says; returns how many could be spelt. */
  spell(block: number, n: number): number;
}

/** The exports of the module that divides numbers of 4 and 8 bytes by splitters, on one thread. */
export interface SplitKernels {
  /** Finds the part of each of `n` numbers, and how many each part has, as the block says. */
  classify(block: number, n: number): void;
  /** Moves `n` numbers to the cursors of their parts, and the cursors past them. */
  scatter(block: number, n: number): void;
}
