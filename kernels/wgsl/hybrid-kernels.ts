/** How hybrid sorts cut keys into batches, and the constants that follow: hybrid/. */

import { CONSTANTS, maxPassesOf } from './constants.js';
import type { Constants } from './expand.js';
import type { Widths } from './shapes.js';

/** How the batches of a hybrid sort are cut: hybrid/batch-sort.wgsl. */
export interface BatchShape {
  /** Invocations of a workgroup. */
  readonly threads: number;
  /** Keys a thread: odd, so that threads find theirs in different banks; at least 3. */
  readonly keys: number;
  /** Whether a sample makes a map and decides; else the counts of the histogram decide. */
  readonly isMapped: boolean;
}

/** Words of the scan state before the statuses, of a hybrid sort: fragments/scan-state.wgsl. */
export const hybridWordsOf = ({ isMapped }: BatchShape): number =>
  isMapped
    ? CONSTANTS.MAP_CELLS +
      6 * CONSTANTS.RADIX +
      4 * CONSTANTS.SAMPLE_GROUPS +
      CONSTANTS.RADIX ** 2 +
      2 * CONSTANTS.HEAVY_SLOTS
    : CONSTANTS.RADIX;

/** Keys that a batch may have. */
export const batchOf = ({ threads, keys }: BatchShape): number => threads * keys;

/** A thread of the batch sort also compares the items in this many places around its own. */
export const BATCH_MARGIN: number = 2 * CONSTANTS.EXCHANGE_ROUNDS;

/** Counters of a batch sort: about as many as a batch has keys, and a power of two. */
export const cellsOf = (shape: BatchShape): number => 2 ** Math.floor(Math.log2(batchOf(shape)));

/** Keys to aim for in a batch: so few that by chance only one batch of millions has too many. */
export const batchAimOf = (shape: BatchShape): number => {
  const deviations = 5.5;
  const root = Math.sqrt(deviations ** 2 + 4 * batchOf(shape));
  return Math.floor(((root - deviations) / 2) ** 2);
};

/** Bits of a record's place in its batch; without values there is none. */
const placeBitsOf = (shape: BatchShape, { valueWords }: Widths): number =>
  valueWords > 0 ? Math.ceil(Math.log2(batchOf(shape))) : 0;

/**
 * Most batches of `count` keys by a map. The bound holds because two neighbours in a bucket always
 * have more keys than a batch holds, or leads that are further apart than an item has bits for.
 */
export const maxBatches = (count: number, shape: BatchShape, widths: Widths): number =>
  Math.ceil((2 * count) / batchOf(shape)) +
  2 * CONSTANTS.RADIX +
  2 ** (1 + placeBitsOf(shape, widths));

/** The constants of sorts that are not hybrid. */
export const notHybrid = (keyWords: 1 | 2): Constants => ({
  HYBRID_WORDS: 0,
  COUNTED: 0,
  MAPPED: 0,
  COUNTS_BUCKETS: 0,
  COUNTS_SOME: 0,
  // Digits that the histogram counts.
  COUNTER_DIGITS: maxPassesOf(keyWords),
});

/** The constants of a sort that may be hybrid. */
export function batchConstants(widths: Widths, batch: BatchShape): Constants {
  const cells = cellsOf(batch);
  const half = (batch.keys - 1) / 2;
  const margin = BATCH_MARGIN;
  return {
    HYBRID_WORDS: hybridWordsOf(batch),
    // Who decides whether a sort is hybrid: a sample, or the histogram, which then counts cells.
    MAPPED: batch.isMapped ? 1 : 0,
    COUNTED: batch.isMapped ? 0 : 1,
    COUNTER_DIGITS: maxPassesOf(widths.keyWords) + (batch.isMapped ? 0 : 1),
    BATCH: batchOf(batch),
    PLACE_BITS: placeBitsOf(batch, widths),
    BATCH_AIM: batchAimOf(batch),
    CELLS: cells,
    CELL_BITS: Math.log2(cells),
    THREAD_CELLS: cells / batch.threads,
    HALF_KEYS: half,
    MARGIN: margin,
    // Items that a thread compares, two by two: its own, and those around them.
    WINDOW_PAIRS: half + margin,
    ODD_PAIRS: half + margin - 1,
    // As many comparisons bring as many items into order.
    EXCHANGED: margin,
  };
}
