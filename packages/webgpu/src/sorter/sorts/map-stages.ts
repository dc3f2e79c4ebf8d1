/**
 * The stages of a hybrid sort by a map, which precede another sort: that one does nothing if the
 * sample says that a map pays (kernels/wgsl/hybrid/sample.wgsl).
 *
 *   sample → count of buckets → split → count of bins → batches → split → batch sort
 */

import {
  type BatchShape,
  batchOf,
  CONSTANTS,
  hybridWordsOf,
  maxBatches,
  maxPassesOf,
  splitTileOf,
  statusTileOf,
  THREADS,
  type Widths,
} from '@keysweep/kernels/wgsl';
import type { GPUBindGroup, GPUComputePassEncoder } from '../../device/gpu-types.js';
import type { PingPong } from '../recording/device-sort.js';
import type { Pipelines } from '../recording/pipelines.js';
import { type CountBinding, offsetOf } from '../recording/uniforms.js';
import type { BatchTarget, Shape } from '../tuning/tuning.js';

const { RADIX, TILE_COUNTERS, HISTOGRAM_KEYS, SAMPLE_GROUPS, BATCH_WORDS } = CONSTANTS;

/**
 * Most workgroups of the batch sort. On an NVIDIA H200, half or twice as many were 1 % slower. Many
 * more would take long to start, also if a sort turns out not to be hybrid.
 */
const MAX_BATCH_GROUPS = 2112;

/** Most workgroups of the histogram: they keep a large GPU's memory busy, and are soon added up. */
const MAX_HISTOGRAM_GROUPS = 1056;

/**
 * With at most this many keys, adding up the counts takes longer than reading the keys, so fewer
 * workgroups share the work.
 */
const MAX_SHORT = 2 ** 22;
const SHORT_HISTOGRAM_GROUPS = 264;
const HISTOGRAM_CHUNK = THREADS * HISTOGRAM_KEYS;

/**
 * About how many keys are counted to give the buckets their rooms, in sorts by a map without
 * values. By arithmetic, random arrays then spill fewer than one key in a hundred: 0.4 times the
 * error of a bucket's count.
 */
const COUNTED_KEYS = 2 ** 19;
/** The same if every sort is hybrid, which only tests ask for: their arrays are short. */
const MIN_COUNTED = 2 ** 8;

/** Kernels of a sort by a map, before its batches. */
export const MAP_KERNELS = [
  'sample',
  'countBuckets',
  'splitBuckets',
  'countBins',
  'cutBatches',
  'splitBins',
] as const;

type MapKernel = (typeof MAP_KERNELS)[number];

/** How the keys are cut, and the pipelines that are compiled for that. */
export interface MapCut {
  readonly shape: Shape;
  /** Keys of a workgroup of a split. */
  readonly splitTile: number;
  readonly batch: BatchShape;
  readonly pipelines: Pipelines;
}

/** Bind groups of all stages. */
export interface MapGroups {
  /** Each is of the layout of its name. */
  readonly planning: GPUBindGroup;
  readonly pass: GPUBindGroup;
  readonly slot: GPUBindGroup;
}

/** Records a split into buckets, bins and batches, which is done if the sample says so. */
export function recordByMap(
  pass: GPUComputePassEncoder,
  own: MapGroups,
  groups: PingPong,
  count: CountBinding,
  most: number,
  { shape, splitTile, pipelines }: MapCut,
): void {
  const dispatch = (kernel: MapKernel, workgroups: number): void => {
    pass.setPipeline(pipelines.get(kernel));
    pass.dispatchWorkgroups(workgroups);
  };
  const tiles = Math.ceil(most / splitTile);
  const countGroups = histogramGroupsOf(most);
  pass.setBindGroup(0, own.planning);
  pass.setBindGroup(1, count.group, count.offsets);
  pass.setBindGroup(2, groups.toScratch);
  dispatch('sample', SAMPLE_GROUPS);
  dispatch('countBuckets', countGroups);
  pass.setBindGroup(0, own.pass);
  pass.setBindGroup(1, own.slot, [offsetOf(0)]);
  dispatch('splitBuckets', Math.min(shape.groups, tiles));
  pass.setBindGroup(1, own.slot, [offsetOf(1)]);
  pass.setBindGroup(2, groups.toCaller);
  dispatch('countBins', countGroups);
  pass.setBindGroup(0, own.planning);
  dispatch('cutBatches', RADIX);
  pass.setBindGroup(0, own.pass);
  // Each bucket begins with a tile of its own.
  dispatch('splitBins', Math.min(shape.groups, tiles + RADIX));
}

/** About how many batches a sort of `most` keys by a map has. */
export const mapBatchesOf = (most: number, batch: BatchShape): number =>
  Math.ceil((2 * most) / batchOf(batch));

/** Records the sort of about `batches` batches. */
export function recordBatches(
  pass: GPUComputePassEncoder,
  { exchange }: PingPong,
  pipelines: Pipelines,
  batches: number,
): void {
  pass.setBindGroup(2, exchange as GPUBindGroup);
  pass.setPipeline(pipelines.get('batchSort'));
  pass.dispatchWorkgroups(Math.min(MAX_BATCH_GROUPS, batches));
}

/** Workgroups that count the digits or the buckets of at most `most` keys. */
export function histogramGroupsOf(most: number): number {
  const groups = most > MAX_SHORT ? MAX_HISTOGRAM_GROUPS : SHORT_HISTOGRAM_GROUPS;
  return Math.min(groups, Math.ceil(most / HISTOGRAM_CHUNK));
}

/** Words of the scan state before the statuses, or before the keys that find no room. */
export const headWordsOf = ({ keyWords }: Widths, batch: BatchShape | undefined): number =>
  TILE_COUNTERS +
  2 * RADIX * maxPassesOf(keyWords) +
  (batch === undefined ? 0 : hybridWordsOf(batch));

/** Words of the scan state of sorts of `count` keys. */
export function stateWordsOf(
  shape: Shape,
  batch: BatchShape | undefined,
  count: number,
  widths: Widths,
): number {
  const tiles = Math.ceil(count / splitTileOf(widths, shape));
  const statuses = Math.ceil(count / statusTileOf(shape));
  const head = headWordsOf(widths, batch);
  if (!batch?.isMapped) return head + RADIX * statuses;
  // Each bucket begins with a tile of its own. Long batches are noted once more.
  const batches = maxBatches(count, batch, widths);
  const listed = RADIX * (statuses + RADIX) + 2 * (tiles + RADIX);
  return head + listed + (BATCH_WORDS + 1) * batches;
}

/**
 * For the uniform `Order`: the fewest keys of a hybrid sort, 0 if every sort is hybrid, and the
 * fewest that a count of buckets counts.
 */
export function mapLimits(targets: readonly BatchTarget[]): {
  readonly minHybrid: number;
  readonly countedKeys: number;
} {
  const minHybrid = targets.some(({ isForced }) => isForced) ? 0 : (targets[0]?.least ?? 0);
  return { minHybrid, countedKeys: minHybrid === 0 ? MIN_COUNTED : COUNTED_KEYS };
}
