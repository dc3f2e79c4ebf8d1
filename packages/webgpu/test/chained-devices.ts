/** Devices that sort by chained scans, even where the portable variant would serve: on software adapters, too. */

import { findGpu } from '#gpu';
import { chainedTuning, setTuning, type Tuning } from '../src/tuning.js';
import { type WatchedDevice, watchedDevice } from './watched-device.js';

/** So that short arrays meet both shapes. */
const FEW_MOST = 5000;

/** Has sorters on `device`, which has subgroups, use chained scans. */
export function chain(device: GPUDevice, changes: Partial<Tuning> = {}): Tuning {
  const tuning = { ...chainedTuning(device), fewMost: FEW_MOST, ...changes };
  if (tuning.chained === undefined) throw new Error('no chained scan is right on this device');
  setTuning(device, tuning);
  return tuning;
}

/** A device with all that chained scans use. */
export async function chained(changes?: Partial<Tuning>): Promise<WatchedDevice> {
  const gpu = await findGpu();
  if (typeof gpu === 'string') throw new Error(gpu);
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error('no adapter');
  const { features, limits } = adapter;
  const watched = await watchedDevice(
    {},
    {
      requiredFeatures: ['subgroups', 'subgroup-size-control'].filter((feature) =>
        features.has(feature),
      ) as GPUFeatureName[],
      requiredLimits: {
        maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
        maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
        maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
      },
    },
  );
  chain(watched.device, changes);
  return watched;
}
