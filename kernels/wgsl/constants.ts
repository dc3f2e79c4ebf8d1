/**
 * The numbers that shaders and host share, each written once: here. `shader` puts all of them in
 * front of every shader as `const NAME = …u;`. Offsets of structs are read from the shaders: see
 * layouts.mjs.
 */

/** Numbers that are the same in every shader. */
export const CONSTANTS = {
  /** Bits of a digit. */
  RADIX_BITS: 8,
  /** Values of a digit: 2^RADIX_BITS. */
  RADIX: 256,
  /** Most workgroups that copy a result back. */
  COPY_BACK_GROUPS: 2048,
  /**
   * The highest byte of a count that is in a buffer of the GPU's: fragments/command-numbers.wgsl.
   */
  COUNT_IN_BUFFER: 255,
  /** Most chunks of keys that one binding cannot hold: chunks/chunk-counts.wgsl. */
  MAX_CHUNKS: 63,
  /** Keys that a thread of the survey loads at a time. */
  SURVEY_KEYS: 8,
  /** Keys that a thread of the histogram loads at a time. */
  HISTOGRAM_KEYS: 8,
  /** Counts that a thread of the spine scan loads at a time, and most threads that scan a row. */
  SPINE_COUNTS: 16,
  SPINE_LANES: 64,
  /** Words of the scan state in front of the digit counts: fragments/scan-state.wgsl. */
  TILE_COUNTERS: 16,
  /** Bits of COUNTED_AT for all workgroups of the histogram: fragments/scan-state.wgsl. */
  GROUP_BITS: 16,
  /** Bits of a tile's status below the count. */
  STATUS_BITS: 3,
  /**
   * Statuses that a lookback loads at a time. On an NVIDIA H200 more brought nothing, and fewer
   * cost 1 % to 10 %.
   */
  LOOK_AHEAD: 4,
  /**
   * Bits of an approximate sort's fixed point below the mantissa: fixedOf of fragments/order.wgsl.
   */
  FIXED_POINT_BITS: 6,
  /** Words in front of the statuses of long segments: fragments/segment-state.wgsl. */
  STATE_WORDS: 32,
  /** Where those have the lengths of two lists of windows. */
  EVEN_AT: 7,
  SINGLES_AT: 9,
  /** Passes of a hybrid sort. */
  HYBRID_PASSES: 2,
  /** Bits of a bucket's number, two digits, and buckets: fragments/batches.wgsl. */
  BUCKET_BITS: 16,
  BUCKETS: 65_536,
  /** How a sort that may be hybrid sorts: `mode` of `Plan`. */
  BY_SWEEPS: 0,
  HYBRID_MODE: 1,
  IN_ORDER: 2,
  /** Cells of the map of a hybrid sort: fragments/map.wgsl. As many as there are banks. */
  MAP_CELLS: 32,
  /** Bits of a position that its fraction is made from. */
  FRACTION_BITS: 20,
  /** Keys that a thread of the count of bins loads at a time; and of spilled ones. */
  BIN_KEYS: 8,
  SPILLED_KEYS: 4,
  /**
   * Threads whose values are added up by each of them, where there are no subgroups:
   * fragments/lanes.wgsl.
   */
  SUM_ROW: 16,
  /** Words of a batch: fragments/scan-state.wgsl. */
  BATCH_WORDS: 5,
  /** Keys of the sample that every cell gets beside its own. */
  CELL_SHARE: 4,
  /** Keys that a workgroup of the sample loads, and its workgroups: at most THREADS. */
  SAMPLES: 4096,
  SAMPLE_GROUPS: 16,
  /**
   * A sort is hybrid if at most SAMPLES / DIVISOR keys of the sample meet others in their bin, are
   * in one bin, or are in one bucket: hybrid/sample.wgsl.
   */
  MEETINGS_DIVISOR: 16,
  IN_BIN_DIVISOR: 50,
  IN_BUCKET_DIVISOR: 20,
  /**
   * Slots of the table of heavy values, two for each thread of the sample, and the exponent of
   * their number, a power of two: fragments/heavy-values.wgsl. Heavy values are looked for if at
   * least SAMPLES / REPETITIVE_DIVISOR keys of the sample meet an equal one, and their keys are
   * left out of the sweeps if at least SAMPLES / HEAVY_DIVISOR keys have such a value.
   */
  HEAVY_SLOTS: 512,
  HEAVY_BITS: 9,
  REPETITIVE_DIVISOR: 3,
  HEAVY_DIVISOR: 4,
  /** Sorts by a map pay where more digits than these may differ. */
  SHORT_DIGITS: 2,
  /**
   * For records: if at least MIN_REPEATS keys of the sample met an equal one, and their number
   * times the number of all records is above MAX_REPEATS, a map does not pay. A value has some hundred
   * copies then.
   */
  MIN_REPEATS: 3,
  MAX_REPEATS: 201_326_592,
  /** One chunk in this many, of the histogram's, shows how full buckets are. */
  CELL_CHUNKS: 4,
  /** Comparisons of each pair of neighbours in a batch: hybrid/batch-sort.wgsl. */
  EXCHANGE_ROUNDS: 4,
  /** How often a batch repeats them at most, because a cell is too full for once to be enough. */
  MAX_TRIES: 16,
  /** Most items of a cell for which that is tried. */
  MAX_IN_CELL: 48,
} as const;

/** Invocations of a workgroup that every device allows. One for each value of a digit. */
export const THREADS = 256;

/**
 * Keys a thread in reduce-then-scan and in the workgroup sort, by words of a key. At most 15, so
 * that no counter of four bits overflows; odd, so that threads read their keys from different
 * banks. Of 7, 9, 11, 13 and 15 these were the fastest on an NVIDIA H200.
 */
export const KEYS = { 1: 13, 2: 9 } as const;

/**
 * Keys a thread of the merge of chunks, by words of a key: as many as 16 KiB of workgroup storage
 * hold beside a place for each; odd, as above.
 */
export const MERGE_KEYS = { 1: 7, 2: 5 } as const;

/** Keys that a workgroup of reduce-then-scan, or a workgroup sort, holds. */
export const tileOf = (keyWords: 1 | 2): number => THREADS * KEYS[keyWords];

/** Digits of a whole key. */
export const maxPassesOf = (keyWords: 1 | 2): number => (32 / CONSTANTS.RADIX_BITS) * keyWords;

/**
 * Keys of a window, by words of a key: the segments that begin in one are sorted by one workgroup,
 * if they end within a tile. Shorter than a tile, so that most of them do.
 */
export const windowOf = (keyWords: 1 | 2): number => tileOf(keyWords) - tileOf(keyWords) / 4;
