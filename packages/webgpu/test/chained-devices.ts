/** Devices that sort by chained scans, software adapters included. */

import type { SortWarning } from '@keysweep/core';
import type { SamplingShape } from '@keysweep/kernels/wgsl';
import { RadixSorter } from '../src/sorter/radix-sorter.js';
import {
  type BatchTarget,
  type BatchTargets,
  chainedTuning,
  detectSubgroupId,
  MAX_CHAINED,
  type Shapes,
  setTuning,
  type Tuning,
  tuningOf,
} from '../src/sorter/tuning/tuning.js';
import { sharedWatchedDevice, type WatchedDevice } from './watched-device.js';

/** So that short arrays meet all shapes. */
const FEW_MOST = 5000;
const MIDDLE_MOST = 12_000;

/** Loops over a thread's keys are unrolled, and slow to compile: software adapters get few. */
const SOFTWARE_KEYS = { one: 3, few: 2, middle: 2, many: 3 };
const SOFTWARE_BATCH = { threads: 64, keys: 5 };
/** Sweeps of 32-bit keys in sorts that may be hybrid. */
const SOFTWARE_SWEEPS = { threads: 64, keys: 4, stages: 2 };

/** Regular sampling of some thousand keys. */
export const SOFTWARE_SAMPLING: SamplingShape = {
  run: { threads: 64, keys: 8 },
  bucket: { threads: 64, keys: 8 },
  stride: 8,
  maxRuns: 8,
};

/** Changes by which as many keys are sorted by regular sampling. */
export const BY_SAMPLING: Partial<Tuning> = {
  sampling: {
    keys: [SOFTWARE_SAMPLING],
    pairs: [SOFTWARE_SAMPLING],
    wide: [SOFTWARE_SAMPLING],
    widePairs: [SOFTWARE_SAMPLING],
  },
};

/**
 * Changes by which every sort over several workgroups may be hybrid, or is, where `isForced`; by a
 * map of the keys, or by counts of their digits.
 */
export function hybrid(isForced: boolean, isMapped = true): Partial<Tuning> {
  const shape = { ...SOFTWARE_BATCH, least: 2, most: MAX_CHAINED, isForced, isMapped };
  const keys = isForced ? shape : { ...shape, sweeps: SOFTWARE_SWEEPS };
  return {
    batches: { keys: [keys], pairs: [shape], wide: [shape], widePairs: [shape] },
  };
}

/**
 * A device of no features, on which every sort of keys without values over several workgroups may
 * be by a map, or is, where `isForced`.
 */
export async function mapped(isForced: boolean): Promise<WatchedDevice> {
  const watched = await sharedWatchedDevice();
  const { device } = watched;
  const tuning = { ...chainedTuning(device), chained: undefined };
  if (tuning.portableMap === undefined) throw new Error('no sort by a map fits this device');
  const splits = { ...tuning.portableMap.splits, keys: 3 };
  const [{ keys, wide }] = [hybrid(isForced).batches as BatchTargets];
  const batches = { keys: keys.map(({ sweeps: _, ...batch }) => batch), wide };
  setTuning(device, { ...tuning, portableMap: { splits, batches } });
  return watched;
}

/** Has sorters on `device`, which has subgroups, use chained scans. */
export function chain(device: GPUDevice, changes: Partial<Tuning> = {}): Tuning {
  const tuning = {
    ...shortened(chainedTuning(device)),
    maxFew: FEW_MOST,
    maxMiddle: MIDDLE_MOST,
    // Sweeps are what most tests are about.
    sampling: undefined,
    ...changes,
  };
  if (tuning.chained === undefined) throw new Error('no chained scan is right on this device');
  setTuning(device, tuning);
  return tuning;
}

function shortened(tuning: Tuning): Tuning {
  const { chained: shapes } = tuning;
  if (shapes === undefined || shapes[1].many.subgroup > 4) return tuning;
  const shorter = ({ one, few, middle, many }: Shapes): Shapes => ({
    one: { ...one, threads: 64, keys: SOFTWARE_KEYS.one },
    few: { ...few, keys: SOFTWARE_KEYS.few },
    middle: { ...middle, keys: SOFTWARE_KEYS.middle },
    many: { ...many, keys: SOFTWARE_KEYS.many },
  });
  const shortest = (all: readonly BatchTarget[]): BatchTarget[] =>
    all.map((batch) => ({ ...batch, ...SOFTWARE_BATCH }));
  const { batches } = tuning;
  return {
    ...tuning,
    chained: { 1: shorter(shapes[1]), 2: shorter(shapes[2]) },
    // Only the longest sorts have them, and their kernels would compile for minutes, in gigabytes.
    batches: batches && {
      keys: shortest(batches.keys),
      pairs: shortest(batches.pairs),
      wide: shortest(batches.wide),
      widePairs: shortest(batches.widePairs),
    },
  };
}

/** Has middle segments on `device` be of two kinds: such that few keys serve, and longer ones. */
export function withMiddle(device: GPUDevice): void {
  const { chained } = tuningOf(device);
  if (chained === undefined) return;
  const longer = ({ many, ...others }: Shapes): Shapes => ({
    ...others,
    many: { ...many, keys: Math.max(many.keys, 5) },
  });
  const shapes = { 1: longer(chained[1]), 2: longer(chained[2]) };
  setTuning(device, { ...tuningOf(device), chained: shapes });
}

/** As `RadixSorter.create`, but rejects where the device's kernels fail their trial. */
export const createTrusted: typeof RadixSorter.create = (device, options) => {
  const onWarning = ({ code, message }: SortWarning): void => {
    // A device without features is what some tests are about.
    if (code !== 'gpu-features-unused') throw new Error(message);
  };
  return RadixSorter.create(device, { onWarning, ...options });
};

/** A device with all that chained scans use. */
export async function chained(changes?: Partial<Tuning>): Promise<WatchedDevice> {
  const watched = await sharedWatchedDevice(({ features, limits }) => ({
    requiredFeatures: ['subgroups', 'subgroup-size-control'].filter((feature) =>
      features.has(feature),
    ) as GPUFeatureName[],
    requiredLimits: {
      maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
      maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
      maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
    },
  }));
  await detectSubgroupId(watched.device);
  chain(watched.device, changes);
  return watched;
}
