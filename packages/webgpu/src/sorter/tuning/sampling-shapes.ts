/**
 * How sorts by regular sampling cut arrays. The measurements behind the shapes are in
 * packages/webgpu/tuning.md.
 */

import {
  maxShareOf,
  type SamplingShape,
  sampledStorage,
  type TileShape,
  type Widths,
} from '@keysweep/kernels/wgsl';

/** Shapes by kinds of records, each by rising numbers of keys. */
export interface SamplingShapes {
  /** Of 32-bit keys. */
  readonly keys: readonly SamplingShape[];
  /** Of 32-bit keys with values. */
  readonly pairs: readonly SamplingShape[];
  /** Of 64-bit keys. */
  readonly wide: readonly SamplingShape[];
  /** Of 64-bit keys with values. */
  readonly widePairs: readonly SamplingShape[];
}

/** What a device has for a shape: lanes of a subgroup, threads of a workgroup, bytes for them. */
interface Budget {
  readonly subgroup: number;
  readonly invocations: number;
  readonly storage: number;
}

type RecordWidths = Pick<Widths, 'keyWords' | 'valueWords'>;

/** Up to 2^16 keys without values: tiles that are merged have 8 keys a thread. */
const KEYS: SamplingShape = {
  run: { threads: 256, keys: 8 },
  bucket: { threads: 256, keys: 8 },
  stride: 32,
  maxRuns: 32,
};

/** The same with values. */
const PAIRS: SamplingShape = {
  run: { threads: 512, keys: 4 },
  bucket: { threads: 512, keys: 4 },
  stride: 16,
  maxRuns: 32,
};

/** The shapes that were fastest on an NVIDIA H200. */
const TARGETS: SamplingShapes = {
  keys: [KEYS],
  pairs: [PAIRS],
  wide: [KEYS],
  widePairs: [PAIRS],
};

/** The shapes for records of `widths`. */
export function samplingOf(
  { keys, pairs, wide, widePairs }: SamplingShapes,
  { keyWords, valueWords }: RecordWidths,
): readonly SamplingShape[] {
  if (keyWords === 1) return valueWords === 0 ? keys : pairs;
  return valueWords === 0 ? wide : widePairs;
}

/** As much of the targets as a device with subgroups has room for. */
export function fitSampling(budget: Budget): SamplingShapes {
  const fit = (targets: readonly SamplingShape[], widths: RecordWidths): SamplingShape[] =>
    targets.map((target) => fitShape(target, widths, budget)).filter((one) => one !== undefined);
  return {
    keys: fit(TARGETS.keys, { keyWords: 1, valueWords: 0 }),
    pairs: fit(TARGETS.pairs, { keyWords: 1, valueWords: 1 }),
    wide: fit(TARGETS.wide, { keyWords: 2, valueWords: 0 }),
    widePairs: fit(TARGETS.widePairs, { keyWords: 2, valueWords: 1 }),
  };
}

/** The shape nearest to `target` that a device has room for; undefined if there is none. */
function fitShape(
  target: SamplingShape,
  widths: RecordWidths,
  { subgroup, invocations, storage }: Budget,
): SamplingShape | undefined {
  const halved = (tile: TileShape, times: number): TileShape => ({
    ...tile,
    threads: tile.threads / 2 ** times,
  });
  for (let times = 0; ; times++) {
    const [run, bucket] = [halved(target.run, times), halved(target.bucket, times)];
    const shape = { ...target, run, bucket };
    const { maxRuns } = shape;
    // A thread for each end of a run, and a third of a tile for keys that follow samples.
    const isWhole = bucket.threads >= Math.max(subgroup, 2 * maxRuns);
    const isShared = 3 * shape.stride * maxShareOf(shape, maxRuns) >= bucket.threads * bucket.keys;
    if (!isWhole || !isShared) return undefined;
    const threads = Math.max(run.threads, bucket.threads);
    if (threads <= invocations && sampledStorage(shape, widths, subgroup) <= storage) return shape;
  }
}
