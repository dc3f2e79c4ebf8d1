/**
 * How chained scans cut an array, and the constants of their kernels: chained-scan/, and most of
 * hybrid/, segments/ and regular-sampling/, which work on the same tiles.
 */

import { CONSTANTS, maxPassesOf, THREADS } from './constants.js';
import type { Constants } from './expand.js';
import type { BatchShape } from './hybrid-kernels.js';
import type { Kernel } from './kernels.js';
import type { SamplingShape } from './sampling-kernels.js';
import type { SegmentShape } from './segment-kernels.js';
import type { TileShape, Widths } from './shapes.js';

/** A tile that is longer than the workgroup storage. */
export interface StagedShape extends TileShape {
  /** Parts that go through workgroup storage one after the other: a divisor of `keys`. */
  readonly stages: number;
}

/** How the kernels of a chained scan are cut, and how long they wait. */
export interface SweepShape extends TileShape {
  /** How sweeps by digits are cut, of keys without values. Absent: as `threads` and `keys` say. */
  readonly sweeps?: StagedShape | undefined;
  /** The same for splits by a map. Absent: as `threads` and `splitKeys` say. */
  readonly splits?: StagedShape | undefined;
  /**
   * Most keys a thread of the splits of keys without values, whose tiles leave room for tables of
   * the keys that find no room in their buckets. Absent: `keys`.
   */
  readonly splitKeys?: number | undefined;
  /** Invocations of a workgroup of the sample: a power of two, THREADS or more. Default THREADS. */
  readonly sampleThreads?: number | undefined;
  /**
   * Invocations in every subgroup. 0: the kernels do without subgroups, which a hybrid sort by a
   * map of keys without values can.
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
  /** How batches are cut. Present if the sort may be hybrid. */
  readonly batch?: BatchShape | undefined;
  /** How segments are cut. Present in sorts of segments. */
  readonly segments?: SegmentShape | undefined;
  /** How runs and buckets are cut. Present in sorts by regular sampling. */
  readonly sampling?: SamplingShape | undefined;
}

/** Keys a thread that are ranked at a time in a long batch: few, because it is seldom needed. */
const LONG_KEYS = 8;

/** Kernels whose threads share the keys of a tile evenly. */
const TILE_KERNELS: ReadonlySet<Kernel> = new Set([
  'tileSort',
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
 * Whether sweeps may leave out heavy values (fragments/heavy-values.wgsl): of 32-bit keys without
 * values, if there is a sample to find them.
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

/** The constants of `kernel` that follow from the shape of its tiles. */
export function chainedConstants(widths: Widths, shape: SweepShape, kernel: Kernel): Constants {
  const split = SPLITS.indexOf(kernel) + 1;
  // Equal keys without values are the same, so their order does not matter.
  const isOfKeys = split > 0 && widths.valueWords === 0;
  const isUnstable = kernel === 'firstSweep' || kernel === 'longFirstSweep' || isOfKeys;
  const isSweep = isUnstable || TILE_KERNELS.has(kernel);
  const swept = split > 0 ? splitOf(widths, shape) : sweepOf(shape);
  const cut = isSweep ? swept : { ...workgroupOf(shape, kernel), stages: 1 };
  const { threads, keys, stages } = cut;
  return {
    APPROXIMATE: 0,
    TILE: isSweep ? threads * keys : sweepTileOf(shape),
    SPLIT_TILE: splitTileOf(widths, shape),
    // Of sweeps, and of splits that keep the order.
    STATUS_TILE: statusTileOf(shape),
    ...tileConstants(cut, isSweep ? keys : Math.min(LONG_KEYS, keys)),
    DIGITS_TWICE: stages > 1 && !isUnstable && !shape.hasNanTies ? 1 : 0,
    ...laneConstants(shape, threads, isUnstable),
    ...heavyConstants(widths, shape, kernel, threads),
    SPLIT: split,
    UNSTABLE: isUnstable ? 1 : 0,
    // Whether buckets may spill keys, and which splits need the map's table.
    SPILLS: split === 1 && isOfKeys ? 1 : 0,
    READS_CELLS: split === 1 || isOfKeys ? 1 : 0,
    // Whether a split waits for where its next tile is after it has counted this one's keys.
    AHEAD: split > 0 && !isBare(widths) ? 1 : 0,
    PUBLISHES: PUBLISHING.has(kernel) && !isUnstable ? 1 : 0,
    NAN_TIES: shape.hasNanTies ? 1 : 0,
    LOOK_LIMIT: shape.lookLimit,
    // Counted from 1; 0 is no tile.
    STALLED_TILE: shape.stalledTile === undefined ? 0 : shape.stalledTile + 1,
  };
}

/**
 * Threads and keys a thread of a kernel that does not share a tile evenly. The histogram has a
 * thread for each value of a digit, and the sample no fewer.
 */
function workgroupOf(shape: SweepShape, kernel: Kernel): TileShape {
  if (kernel === 'batchSort' && shape.batch) return shape.batch;
  return { keys: shape.keys, threads: kernel === 'sample' ? sampleThreadsOf(shape) : THREADS };
}

const sampleThreadsOf = ({ sampleThreads = THREADS }: SweepShape): number => sampleThreads;

/** How a tile goes through workgroup storage; `rankKeys` of a thread are ranked at a time. */
function tileConstants({ threads, keys, stages }: StagedShape, rankKeys: number): Constants {
  const stageTile = (threads * keys) / stages;
  return {
    THREADS: threads,
    KEYS: keys,
    // Parts of a tile: their number, those after the first one, keys of a thread and of all.
    STAGES: stages,
    LATER_STAGES: stages - 1,
    STAGE_KEYS: keys / stages,
    STAGE_TILE: stageTile,
    // Words of workgroup storage for one; with one more, if some of the keys are not in it.
    POOL: stages > 1 ? stageTile + 1 : stageTile,
    RANK_KEYS: rankKeys,
    RANK_TILE: threads * rankKeys,
  };
}

/** The subgroups of a workgroup of `threads`, and what they count in: fragments/lanes.wgsl. */
function laneConstants(
  { subgroup, needsSizeControl, hasSubgroupId }: SweepShape,
  threads: number,
  isUnstable: boolean,
): Constants {
  const { RADIX, SUM_ROW } = CONSTANTS;
  // Without subgroups the workgroup counts as one.
  const lanes = subgroup === 0 ? threads : subgroup;
  const subgroups = threads / lanes;
  return {
    HAS_SUBGROUPS: subgroup === 0 ? 0 : 1,
    SUBGROUP_SIZE: lanes,
    SUBGROUPS: subgroups,
    SIZE_CONTROL: needsSizeControl ? 1 : 0,
    SUBGROUP_ID: hasSubgroupId ? 1 : 0,
    // Rows of counters: one for all subgroups if the order of equal digits does not matter.
    COUNTER_ROWS: isUnstable ? 1 : subgroups,
    // Digits of a thread that has any, and subgroups of such threads.
    DIGITS_PER_THREAD: Math.max(1, RADIX / threads),
    DIGIT_SUBGROUPS: Math.min(subgroups, Math.ceil(RADIX / lanes)),
    // Without subgroups: sums of rows of threads, and words that have a bit for each thread.
    SUM_ROWS: Math.ceil(threads / SUM_ROW),
    BALLOT_WORDS: subgroup === 0 ? Math.ceil(threads / 32) : 0,
  };
}

/** What a kernel of `threads` does about heavy values, and the keys that a sample looks at. */
function heavyConstants(
  widths: Widths,
  shape: SweepShape,
  kernel: Kernel,
  threads: number,
): Constants {
  const { HEAVY_SLOTS, SAMPLES } = CONSTANTS;
  const isHeavy =
    shape.subgroup > 0 && mayBeThinned(widths, shape.batch) && HEAVY_KERNELS.has(kernel);
  const slots = HEAVY_SLOTS / (kernel === 'sample' ? threads : THREADS);
  return {
    HEAVY: isHeavy ? 1 : 0,
    HEAVY_PER_THREAD: Math.max(1, slots),
    HIGHER_DIGITS: maxPassesOf(widths.keyWords) - 1,
    // Keys of a thread of the sample.
    SAMPLE_KEYS: SAMPLES / sampleThreadsOf(shape),
    // Whether a sweep leaves them out, and whether one leaves room for their copies.
    DROPS: isHeavy && kernel === 'firstSweep' ? 1 : 0,
    SHIFTS: isHeavy && kernel === 'sweep' ? 1 : 0,
  };
}
