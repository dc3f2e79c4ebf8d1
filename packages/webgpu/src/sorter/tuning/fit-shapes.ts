/** Fits shapes that were tuned on one device to the limits of another. */

import { BATCH_MARGIN, CONSTANTS, type StagedShape } from '@keysweep/kernels/wgsl';
import type { BatchTarget, Shape, TargetShape } from './shapes.js';

const { RADIX, MAP_CELLS, SUM_ROW } = CONSTANTS;

/** What a shape may use of a device; `subgroup` 0: no subgroups. */
export interface DeviceBudget
  extends Pick<Shape, 'subgroup' | 'needsSizeControl' | 'hasSubgroupId'> {
  /** Threads of a workgroup. */
  readonly invocations: number;
  /** Bytes of workgroup storage. */
  readonly storage: number;
}

/**
 * Narrower subgroups take long to compile, for tiles so short that statuses are as large as the
 * keys. GPUs in software have them, which take long to compile sorts by a map, too.
 */
export const NARROW = 16;
const NARROW_KEYS = 7;

/** The shape of batches nearest to the target that a device has room for. */
export function fitBatch(target: BatchTarget, keyWords: 1 | 2, budget: DeviceBudget): BatchTarget {
  const { invocations, storage, subgroup } = budget;
  // Long batches have a row of counters for each subgroup, and two more; without subgroups a row of
  // bits for 32 threads each, and three more.
  const rows = Math.floor(storage / 4 / RADIX) - 3;
  const fitting = Math.min(target.threads, invocations, rows * (subgroup || 32));
  const threads = Math.max(2 ** Math.floor(Math.log2(fitting)), subgroup);
  // Counters take no more than as many words and one a thread.
  const sums = subgroup === 0 ? sumWordsOf(threads) : threads / subgroup;
  const words = storage / 4 - sums - 14;
  const items = words / keyWords - 2 * BATCH_MARGIN;
  const most = Math.floor(Math.min(items, words - threads) / threads);
  const keys = Math.min(target.keys, most - ((most + 1) % 2));
  const sweeps = target.sweeps && fitStaged(target.sweeps, budget);
  const splits = target.splits && fitStaged(target.splits, budget, SPILL_WORDS);
  return { ...target, threads, keys, sweeps, splits };
}

/**
 * A tile in stages, if a device has room for it and for `others` words. Where it has not, sweeps
 * and splits are cut as others are: for counters of many narrow subgroups there is no room.
 */
function fitStaged(
  target: StagedShape,
  { invocations, storage, subgroup }: DeviceBudget,
  others = 0,
): StagedShape | undefined {
  const { threads, keys, stages } = target;
  const subgroups = threads / subgroup;
  const words = others + Math.max(subgroups * RADIX, (threads * keys) / stages + 1);
  const fits = 4 * words + otherStorage(subgroups) <= storage;
  return threads <= invocations && Number.isInteger(subgroups) && fits ? target : undefined;
}

/**
 * Workgroup storage besides `pool` of kernels/wgsl/chained-scan/sweep.wgsl, with the table of a
 * map, and some to spare.
 */
const otherStorage = (subgroups: number): number => 4 * (RADIX + subgroups + MAP_CELLS + 16);

/** Words of the tables of keys that find no room in their buckets. */
const SPILL_WORDS = 2 * RADIX + 1;

/** Words in which threads add up without subgroups: kernels/wgsl/fragments/lanes.wgsl. */
const sumWordsOf = (threads: number): number => 1 + threads + Math.ceil(threads / SUM_ROW);

/** Most threads of the sample, which is faster with more: tuning.md. */
const MAX_SAMPLE_THREADS = 1024;

/**
 * The shape nearest to `target` that a device has room for; undefined where not even one key fits.
 */
export function fitShape(target: TargetShape, budget: DeviceBudget): Shape | undefined {
  const { subgroup, needsSizeControl, hasSubgroupId, invocations, storage } = budget;
  const { groups } = target;
  const isNarrow = subgroup > 0 && subgroup < NARROW;
  const keys = isNarrow ? Math.min(target.keys, NARROW_KEYS) : target.keys;
  const sampleThreads = Math.min(MAX_SAMPLE_THREADS, 2 ** Math.floor(Math.log2(invocations)));
  // Halved, threads stay a multiple of the subgroup, and a divisor or a multiple of RADIX.
  for (let threads = target.threads; threads >= subgroup && threads >= 32; threads /= 2) {
    const subgroups = threads / (subgroup || threads);
    const sums = subgroup === 0 ? sumWordsOf(threads) : 0;
    const words = Math.floor((storage - otherStorage(subgroups)) / 4) - sums;
    if (threads > invocations || subgroups * RADIX > words) continue;
    const most = Math.floor(words / threads);
    if (most < 1) continue;
    const splitKeys = Math.max(1, Math.min(keys, Math.floor((words - SPILL_WORDS) / threads)));
    const cut = { threads, keys: Math.min(keys, most), splitKeys, groups, sampleThreads };
    return { subgroup, needsSizeControl, hasSubgroupId, ...cut };
  }
  return undefined;
}
