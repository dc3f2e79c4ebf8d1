/** The constants of the kernels that sort by regular sampling: regular-sampling/. */

import { CONSTANTS } from './constants.js';
import type { Constants } from './expand.js';
import type { TileShape, Widths } from './shapes.js';

/** How a sort by regular sampling cuts an array. */
export interface SamplingShape {
  /** The tile of a workgroup in the first stage. */
  readonly run: TileShape;
  /** The same in the second stage: two threads a run at least, and without values 8 keys each. */
  readonly bucket: TileShape;
  /** One key in this many is a sample: a divisor of a run's keys, at most 127. */
  readonly stride: number;
  /** Most runs: a power of two. */
  readonly maxRuns: number;
}

const keysOf = ({ threads, keys }: TileShape): number => threads * keys;

/** The tile of a stage. */
export const sampledTile = ({ run, bucket }: SamplingShape, kernel: string): TileShape =>
  kernel === 'sortRuns' ? run : bucket;

/** Most keys that are sorted by regular sampling. */
export const maxSampled = ({ run, maxRuns }: SamplingShape): number => maxRuns * keysOf(run);

/**
 * Samples of a bucket of `runs` runs, at most. There may be other keys of a run before the first
 * one, and free places after the last one.
 */
export const maxShareOf = ({ bucket, stride }: SamplingShape, runs: number): number =>
  Math.floor((keysOf(bucket) - runs * (stride - 1 + bucket.keys - 1)) / stride);

/** Runs and buckets of a sort of `count` keys. */
export function sampledGroups(
  shape: SamplingShape,
  count: number,
): { readonly runs: number; readonly buckets: number } {
  const runs = Math.ceil(count / keysOf(shape.run));
  return { runs, buckets: Math.ceil(Math.ceil(count / shape.stride) / maxShareOf(shape, runs)) };
}

/** Bytes of workgroup storage that both stages do with. */
export function sampledStorage(
  { run, bucket, maxRuns }: SamplingShape,
  { keyWords, valueWords }: Pick<Widths, 'keyWords' | 'valueWords'>,
  subgroup: number,
): number {
  const { RADIX } = CONSTANTS;
  const [merged, subgroups] = [keysOf(bucket) + bucket.threads, bucket.threads / subgroup];
  const rows = (Math.max(run.threads, bucket.threads) / subgroup) * RADIX;
  const sorted = Math.max(keysOf(run), keysOf(bucket), rows);
  const pool = valueWords === 0 ? Math.max(keyWords * merged, sorted) : sorted;
  // The words of each run, of each subgroup, and others.
  const [ofRun, ofSubgroup, others] = [12, 3, 32];
  return 4 * (pool + 2 * RADIX + ofRun * maxRuns + ofSubgroup * subgroups + others);
}

/** The constants that depend on the shape, besides those of a chained scan. */
export function samplingConstants(
  { run, bucket, stride, maxRuns }: SamplingShape,
  keyWords: 1 | 2,
): Constants {
  return {
    RUN: keysOf(run),
    STRIDE: stride,
    MAX_RUNS: maxRuns,
    RUN_BITS: Math.log2(maxRuns),
    // Of a thread: samples, keys that it compares with splitters, and digits of these.
    SAMPLE_LOADS: Math.ceil((maxRuns * keysOf(run)) / stride / bucket.threads),
    LOOK_LOADS: Math.ceil((2 * maxRuns * stride) / bucket.threads),
    SEARCH_DIGITS: Math.max(1, (2 * CONSTANTS.RADIX) / bucket.threads),
    // Whether a word is compared by minimum and maximum.
    NARROW: keyWords === 1 ? 1 : 0,
  };
}
