/** Every kernel: its file, its entry point, and the constants that it is specialised with. */

import { CONSTANTS, KEYS, MERGE_KEYS, maxPassesOf, THREADS, windowOf } from './constants.js';
import type { Constants } from './expand.js';
import { type FirstShape, firstConstants } from './first-kernels.js';
import { type SamplingShape, sampledTile, samplingConstants } from './sampling-kernels.js';
import { type SegmentShape, segmentConstants } from './segment-kernels.js';
import type { TileShape, Widths } from './shapes.js';

export type { TileShape, Widths } from './shapes.js';

/** File and entry point of each kernel. A file may serve two kernels, with other constants. */
export const KERNELS = {
  workgroupSort: { file: 'workgroup-sort', entryPoint: 'sortWorkgroup' },
  segmentSort: { file: 'workgroup-sort', entryPoint: 'sortWorkgroup' },
  survey: { file: 'reduce-then-scan/survey', entryPoint: 'survey' },
  plan: { file: 'reduce-then-scan/plan', entryPoint: 'makePlan' },
  upsweep: { file: 'reduce-then-scan/upsweep', entryPoint: 'upsweep' },
  spine: { file: 'reduce-then-scan/spine', entryPoint: 'scanSpine' },
  downsweep: { file: 'reduce-then-scan/downsweep', entryPoint: 'downsweep' },
  tileSort: { file: 'chained-scan/tile-sort', entryPoint: 'sortTile' },
  sortRuns: { file: 'regular-sampling/sort-runs', entryPoint: 'sortRun' },
  sortBuckets: { file: 'regular-sampling/sort-buckets', entryPoint: 'sortBucket' },
  histogram: { file: 'chained-scan/histogram', entryPoint: 'countDigits' },
  firstSweep: { file: 'chained-scan/sweep', entryPoint: 'sweep' },
  sweep: { file: 'chained-scan/sweep', entryPoint: 'sweep' },
  sample: { file: 'hybrid/sample', entryPoint: 'sampleKeys' },
  countBuckets: { file: 'chained-scan/histogram', entryPoint: 'countDigits' },
  splitBuckets: { file: 'chained-scan/sweep', entryPoint: 'sweep' },
  countBins: { file: 'hybrid/count-bins', entryPoint: 'countBins' },
  cutBatches: { file: 'hybrid/cut-batches', entryPoint: 'cutBatches' },
  splitBins: { file: 'chained-scan/sweep', entryPoint: 'sweep' },
  batchSort: { file: 'hybrid/batch-sort', entryPoint: 'sortBatch' },
  copyBack: { file: 'copy-back', entryPoint: 'copyBack' },
  gather: { file: 'gather', entryPoint: 'gather' },
  identity: { file: 'identity', entryPoint: 'makeIdentity' },
  dispatchSize: { file: 'dispatch-size', entryPoint: 'writeSize' },
  chunkCounts: { file: 'chunks/chunk-counts', entryPoint: 'countChunks' },
  mergeChunks: { file: 'chunks/merge-chunks', entryPoint: 'mergeChunks' },
  segmentBounds: { file: 'segments/bounds', entryPoint: 'boundSegments' },
  segmentGroups: { file: 'segments/groups', entryPoint: 'groupSegments' },
  segmentIndices: { file: 'segments/indices', entryPoint: 'makeIndices' },
  longOffsets: { file: 'segments/long-offsets', entryPoint: 'addLengths' },
  takeLong: { file: 'segments/long-keys', entryPoint: 'takeKeys' },
  numberLong: { file: 'segments/long-keys', entryPoint: 'numberSegments' },
  gatherLong: { file: 'segments/long-moves', entryPoint: 'gatherColumn' },
  putLong: { file: 'segments/long-moves', entryPoint: 'putColumn' },
  clearMarks: { file: 'segments/clear', entryPoint: 'clearMarks' },
  markSegments: { file: 'segments/marks', entryPoint: 'markSegments' },
  findWindows: { file: 'segments/windows', entryPoint: 'findWindows' },
  shortSort: { file: 'segments/short-sort', entryPoint: 'sortShort' },
  evenSort: { file: 'segments/even-sort', entryPoint: 'sortEven' },
  evenSingles: { file: 'segments/even-sort', entryPoint: 'sortEven' },
  shortSingles: { file: 'segments/short-sort', entryPoint: 'sortShort' },
  fewerSort: { file: 'segments/middle-sort', entryPoint: 'sortMiddle' },
  middleSort: { file: 'segments/middle-sort', entryPoint: 'sortMiddle' },
  cutLong: { file: 'segments/long-tiles', entryPoint: 'cutLong' },
  countLong: { file: 'segments/long-histogram', entryPoint: 'countLong' },
  startLong: { file: 'segments/long-starts', entryPoint: 'startLong' },
  longFirstSweep: { file: 'segments/long-sweep', entryPoint: 'sweepLong' },
  longSweep: { file: 'segments/long-sweep', entryPoint: 'sweepLong' },
  cutRows: { file: 'segments/cut-rows', entryPoint: 'cutRows' },
  firstOfShort: { file: 'segments/first-keys', entryPoint: 'takeFirst' },
  firstOfRows: { file: 'segments/first-keys', entryPoint: 'takeFirst' },
  firstOfLong: { file: 'segments/first-keys', entryPoint: 'takeFirst' },
} as const;

export type Kernel = keyof typeof KERNELS;

/** Keys a thread that are ranked at a time, of a long batch: few, as it is seldom needed. */
const LONG_KEYS = 8;

/** How the batches of a hybrid sort are cut: hybrid/batch-sort.wgsl. */
export interface BatchShape {
  /** Invocations of a workgroup. */
  readonly threads: number;
  /** Keys a thread: odd, so that threads find theirs in different banks; at least 3. */
  readonly keys: number;
  /** Whether a sample makes a map and decides; else the counts of the histogram decide. */
  readonly isMapped: boolean;
}

/** A tile that is longer than the workgroup storage. */
export interface StagedShape extends TileShape {
  /** Parts that go through workgroup storage one after the other: a divisor of `keys`. */
  readonly stages: number;
}

/** How the kernels of a chained scan are cut, and how long they wait. */
export interface SweepShape extends TileShape {
  /**
   * Most keys a thread of the splits of a hybrid sort by a map, of keys without values: there a
   * tile leaves room for tables of the keys that find no room. Absent: `keys`.
   */
  readonly splitKeys?: number | undefined;
  /** How sweeps by digits are cut, where that is not as splits are: of keys without values. */
  readonly sweeps?: StagedShape | undefined;
  /** Invocations of a workgroup of the sample: a power of two, THREADS or more; absent: THREADS. */
  readonly sampleThreads?: number | undefined;
  /** How splits by a map are cut, where that is not as sweeps are: of keys without values. */
  readonly splits?: StagedShape | undefined;
  /**
   * Invocations in every subgroup. 0: the kernels do without subgroups, which those of a hybrid
   * sort by a map can, of keys without values.
   */
  readonly subgroup: number;
  /** Whether the pipelines have to ask for that size. */
  readonly needsSizeControl: boolean;
  /** Whether shaders may read their subgroup's number. */
  readonly hasSubgroupId: boolean;
  /** Times that a workgroup reads an earlier tile's status before it counts that tile itself. */
  readonly lookLimit: number;
  /** For tests: a tile that never publishes its counts. */
  readonly stalledTile: number | undefined;
  /** Whether keys that differ may be ties that have to keep their order: floats with values. */
  readonly hasNanTies: boolean;
  /** Of a chained scan that may be hybrid. */
  readonly batch?: BatchShape | undefined;
  /** Of sorts of segments. */
  readonly segments?: SegmentShape | undefined;
  /** Of sorts by regular sampling. */
  readonly sampling?: SamplingShape | undefined;
}

/**
 * What the kernels are specialised in; `chained` for those of a chained scan, `first` for those
 * that find the first keys of segments.
 */
export interface Specialization extends Widths {
  /** Of reduce-then-scan, that it serves after a hybrid sort by a map, if that is given up. */
  readonly isAfterMap?: boolean | undefined;
  readonly chained?: SweepShape | undefined;
  readonly first?: FirstShape | undefined;
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

/** Places around those of a thread of the batch sort, of items that it compares, too. */
export const BATCH_MARGIN: number = 2 * CONSTANTS.EXCHANGE_ROUNDS;

/** Counters of a batch sort: as many as keys, about, in a power of two. */
export const cellsOf = (shape: BatchShape): number => 2 ** Math.floor(Math.log2(batchOf(shape)));

/** Keys that a batch should have, so that by chance only one of millions has too many. */
export const batchAimOf = (shape: BatchShape): number => {
  const deviations = 5.5;
  const root = Math.sqrt(deviations ** 2 + 4 * batchOf(shape));
  return Math.floor(((root - deviations) / 2) ** 2);
};

/** Bits of a record's place in its batch; without values there is none. */
const placeBitsOf = (shape: BatchShape, { valueWords }: Widths): number =>
  valueWords > 0 ? Math.ceil(Math.log2(batchOf(shape))) : 0;

/**
 * Most batches of `count` keys by a map. Two neighbours in a bucket have more keys than a batch
 * holds, or leads that are further apart than an item has bits for.
 */
export const maxBatches = (count: number, shape: BatchShape, widths: Widths): number =>
  Math.ceil((2 * count) / batchOf(shape)) +
  2 * CONSTANTS.RADIX +
  2 ** (1 + placeBitsOf(shape, widths));

const notHybrid = (keyWords: 1 | 2): Constants => ({
  HYBRID_WORDS: 0,
  COUNTED: 0,
  MAPPED: 0,
  COUNTS_BUCKETS: 0,
  COUNTS_SOME: 0,
  // Digits that the histogram counts.
  COUNTER_DIGITS: maxPassesOf(keyWords),
});

/** The constants of `kernel` that depend on the specialization. */
export function constantsFor(specialization: Specialization, kernel: Kernel): Constants {
  const { keyWords, valueWords, approximate, chained, first, isAfterMap } = specialization;
  const records = {
    KEY_WORDS: keyWords,
    VALUE_WORDS: valueWords,
    MAX_PASSES: maxPassesOf(keyWords),
    HEAVY: 0,
  };
  if (chained !== undefined) {
    const batch = chained.batch && batchConstants(specialization, chained.batch);
    const { segments, subgroup, sampling } = chained;
    const tile = sampling && sampledTile(sampling, kernel);
    const cut = chainedConstants(specialization, { ...chained, ...tile }, kernel);
    const countsSome = valueWords === 0 ? 1 : 0;
    const ofBuckets =
      kernel === 'countBuckets'
        ? { COUNTS_BUCKETS: 1, COUNTS_SOME: countsSome, COUNTER_DIGITS: 1 }
        : {};
    const ofSegments = segments && segmentConstants(segments, subgroup, keyWords, kernel);
    const ofSampling = sampling && samplingConstants(sampling, keyWords);
    const all = { ...records, ...notHybrid(keyWords), ...batch, ...cut, ...ofBuckets };
    return { ...all, ...ofSegments, ...ofSampling };
  }
  if (first !== undefined) {
    return { ...records, APPROXIMATE: 0, ...firstConstants(first, keyWords, kernel) };
  }
  const isOneWorkgroup = kernel === 'workgroupSort' || kernel === 'segmentSort';
  // What one workgroup sorts is sorted exactly.
  const usesCodes = approximate && !isOneWorkgroup;
  const movesKeys = keyWords + valueWords === 1 && !usesCodes && kernel !== 'segmentSort';
  const keys = (kernel === 'mergeChunks' ? MERGE_KEYS : KEYS)[keyWords];
  return {
    ...records,
    APPROXIMATE: usesCodes ? 1 : 0,
    MOVES_KEYS: movesKeys ? 1 : 0,
    SEGMENTS: kernel === 'segmentSort' ? 1 : 0,
    MAPPED: isAfterMap ? 1 : 0,
    THREADS,
    KEYS: keys,
    TILE: THREADS * keys,
    WINDOW: windowOf(keyWords),
  };
}

/** Kernels whose threads share the keys of a tile evenly. */
const TILE_KERNELS: ReadonlySet<Kernel> = new Set([
  'sortRuns',
  'sortBuckets',
  'sweep',
  'splitBuckets',
  'splitBins',
  'fewerSort',
  'middleSort',
  'longSweep',
] as const);

/** Kernels that know of heavy values: fragments/heavy-values.wgsl. */
const HEAVY_KERNELS: ReadonlySet<Kernel> = new Set([
  'sample',
  'histogram',
  'firstSweep',
  'sweep',
  'batchSort',
] as const);

/** Kernels whose tiles tell later ones their counts. */
const PUBLISHING: ReadonlySet<Kernel> = new Set([
  'sweep',
  'splitBuckets',
  'splitBins',
  'longSweep',
] as const);

/** The splits of a hybrid sort, in their order. */
const SPLITS: readonly Kernel[] = ['splitBuckets', 'splitBins'];

/**
 * Most keys of a tile of the splits of a hybrid sort by a map, of 32-bit keys without values. So
 * two workgroups, tables included (SPILLS), share the 48 KiB of storage that a multiprocessor of an
 * NVIDIA GPU has for them: one works while the other waits.
 */
const MAX_SPLIT_TILE = 5120;

/** Whether records are 32-bit keys without values. */
const isBare = ({ keyWords, valueWords }: Widths): boolean => keyWords + valueWords === 1;

/**
 * Whether sweeps may leave out heavy values (fragments/heavy-values.wgsl): where a sample may find
 * them, of 32-bit keys without values.
 */
export const mayBeThinned = (widths: Widths, batch: BatchShape | undefined): boolean =>
  isBare(widths) && batch?.isMapped === true;

type SplitShape = TileShape & Pick<SweepShape, 'splitKeys' | 'splits'>;

/** How the splits of a hybrid sort by a map are cut. */
function splitOf(widths: Widths, shape: SplitShape): StagedShape {
  const { threads, keys, splitKeys = keys, splits } = shape;
  if (widths.valueWords > 0) return { threads, keys, stages: 1 };
  if (splits !== undefined) return splits;
  const most = isBare(widths) ? Math.floor(MAX_SPLIT_TILE / threads) : keys;
  return { threads, keys: Math.min(keys, splitKeys, most), stages: 1 };
}

/** Keys of a tile of such a split. */
export function splitTileOf(widths: Widths, shape: SplitShape): number {
  const { threads, keys } = splitOf(widths, shape);
  return threads * keys;
}

/** How sweeps by digits are cut. */
const sweepOf = (shape: TileShape & Pick<SweepShape, 'sweeps'>): StagedShape =>
  shape.sweeps ?? { ...shape, stages: 1 };

/** Keys of a tile of sweeps by digits. */
export const sweepTileOf = (shape: TileShape & Pick<SweepShape, 'sweeps'>): number =>
  sweepOf(shape).threads * sweepOf(shape).keys;

/** Keys for which there is room for RADIX words of spilled keys, where there are no sweeps. */
const SPILL_TILE = 9216;

/** Keys for which the scan state has RADIX words, of statuses or of spilled keys. */
export const statusTileOf = (shape: TileShape & Pick<SweepShape, 'sweeps' | 'subgroup'>): number =>
  shape.subgroup === 0 ? SPILL_TILE : sweepTileOf(shape);

function chainedConstants(widths: Widths, shape: SweepShape, kernel: Kernel): Constants {
  const { RADIX, SUM_ROW, HEAVY_SLOTS, SAMPLES } = CONSTANTS;
  const { valueWords } = widths;
  const { subgroup, needsSizeControl, hasSubgroupId, hasNanTies, stalledTile } = shape;
  const { sampleThreads = THREADS } = shape;
  const split = SPLITS.indexOf(kernel) + 1;
  // Equal keys without values are the same.
  const isOfKeys = split > 0 && valueWords === 0;
  const isUnstable = kernel === 'firstSweep' || kernel === 'longFirstSweep' || isOfKeys;
  const isTile = kernel === 'tileSort';
  const isSweep = isUnstable || isTile || TILE_KERNELS.has(kernel);
  const isSample = kernel === 'sample';
  // Histogram has a thread for each value of a digit, and the sample no fewer.
  const own =
    kernel === 'batchSort' && shape.batch
      ? shape.batch
      : { ...shape, threads: isSample ? sampleThreads : THREADS };
  const swept = split > 0 ? splitOf(widths, shape) : sweepOf(shape);
  const { threads, keys, stages } = isSweep ? swept : { ...own, stages: 1 };
  // Without subgroups the workgroup counts as one.
  const lanes = subgroup === 0 ? threads : subgroup;
  const subgroups = threads / lanes;
  const rankKeys = isSweep ? keys : Math.min(LONG_KEYS, keys);
  const isHeavy = subgroup > 0 && mayBeThinned(widths, shape.batch) && HEAVY_KERNELS.has(kernel);
  const stageTile = (threads * keys) / stages;
  return {
    APPROXIMATE: 0,
    THREADS: threads,
    KEYS: keys,
    TILE: isSweep ? threads * keys : sweepTileOf(shape),
    SPLIT_TILE: splitTileOf(widths, shape),
    // Of sweeps, and of splits that keep the order.
    STATUS_TILE: statusTileOf(shape),
    // Parts of a tile: their number, those after the first one, keys of a thread and of all.
    STAGES: stages,
    LATER_STAGES: stages - 1,
    STAGE_KEYS: keys / stages,
    STAGE_TILE: stageTile,
    // Words of workgroup storage for one; with one more, if some of the keys are not in it.
    POOL: stages > 1 ? stageTile + 1 : stageTile,
    DIGITS_TWICE: stages > 1 && !isUnstable && !hasNanTies ? 1 : 0,
    // Keys that are ranked at a time: of a thread, of a workgroup.
    RANK_KEYS: rankKeys,
    RANK_TILE: threads * rankKeys,
    HAS_SUBGROUPS: subgroup === 0 ? 0 : 1,
    SUBGROUP_SIZE: lanes,
    SUBGROUPS: subgroups,
    SIZE_CONTROL: needsSizeControl ? 1 : 0,
    SUBGROUP_ID: hasSubgroupId ? 1 : 0,
    HEAVY: isHeavy ? 1 : 0,
    HIGHER_DIGITS: maxPassesOf(widths.keyWords) - 1,
    HEAVY_PER_THREAD: isSample ? Math.max(1, HEAVY_SLOTS / threads) : HEAVY_SLOTS / THREADS,
    // Keys of a thread of the sample.
    SAMPLE_KEYS: SAMPLES / sampleThreads,
    // Whether a sweep leaves them out, and whether one leaves room for their copies.
    DROPS: isHeavy && kernel === 'firstSweep' ? 1 : 0,
    SHIFTS: isHeavy && kernel === 'sweep' ? 1 : 0,
    SPLIT: split,
    UNSTABLE: isUnstable ? 1 : 0,
    // Whether buckets may spill keys, and which splits need the map's table.
    SPILLS: split === 1 && isOfKeys ? 1 : 0,
    READS_CELLS: split === 1 || isOfKeys ? 1 : 0,
    // Whether a split waits for where its next tile is after it has counted this one's keys.
    AHEAD: split > 0 && !isBare(widths) ? 1 : 0,
    PUBLISHES: PUBLISHING.has(kernel) && !isUnstable ? 1 : 0,
    NAN_TIES: hasNanTies ? 1 : 0,
    // Rows of counters: one for all subgroups where the order of equal digits does not matter.
    COUNTER_ROWS: isUnstable ? 1 : subgroups,
    // Digits of a thread that has any, and subgroups of such threads.
    DIGITS_PER_THREAD: Math.max(1, RADIX / threads),
    DIGIT_SUBGROUPS: Math.min(subgroups, Math.ceil(RADIX / lanes)),
    // Without subgroups: sums of rows of threads, and words that have a bit for each thread.
    SUM_ROWS: Math.ceil(threads / SUM_ROW),
    BALLOT_WORDS: subgroup === 0 ? Math.ceil(threads / 32) : 0,
    LOOK_LIMIT: shape.lookLimit,
    // Counted from 1; 0 is no tile.
    STALLED_TILE: stalledTile === undefined ? 0 : stalledTile + 1,
  };
}

function batchConstants(widths: Widths, batch: BatchShape): Constants {
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
