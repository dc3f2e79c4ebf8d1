/** What to ask of an adapter, so that its device sorts as fast as the GPU can. */

import { describe } from '@keysweep/core';
import type { GPUAdapter, GPUDeviceDescriptor, WantedDevice } from './gpu-types.js';

/** The features that sorts use where an adapter has them. */
const FEATURES = ['subgroups', 'subgroup-size-control'] as const;

/** The limits that sorts use as far as an adapter allows. */
const LIMITS = [
  'maxStorageBufferBindingSize',
  'maxBufferSize',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
] as const;

/** The members of `GPUDeviceDescriptor` that are merged. */
interface Requirements {
  readonly requiredFeatures?: Iterable<string>;
  readonly requiredLimits?: Readonly<Record<string, number | undefined>>;
}

/**
 * `descriptor` with the features and limits that sorts use, as far as `adapter` has them. Features
 * of both are required, and of each limit the higher value.
 * @throws TypeError unless these are an adapter and a descriptor.
 */
export function deviceDescriptor(
  adapter: GPUAdapter,
  descriptor: WantedDevice = {},
): GPUDeviceDescriptor {
  const { features, limits } = Object(adapter) as globalThis.GPUAdapter;
  if (typeof features?.has !== 'function' || typeof limits !== 'object') {
    throw new TypeError(
      'adapter must be a GPUAdapter, as navigator.gpu.requestAdapter() resolves to where there ' +
        `is a GPU, got ${describe(adapter)}`,
    );
  }
  if (typeof descriptor !== 'object' || descriptor === null) {
    throw new TypeError(
      `descriptor must be an object, as requestDevice() takes it, got ${describe(descriptor)}`,
    );
  }
  const { requiredFeatures = [], requiredLimits = {} } = descriptor as Requirements;
  const merged: Record<string, number | undefined> = { ...requiredLimits };
  for (const name of LIMITS) {
    const limit = limits[name];
    // A browser that does not know a limit refuses a device that asks for it.
    if (typeof limit === 'number') merged[name] = Math.max(limit, merged[name] ?? 0);
  }
  return {
    ...descriptor,
    requiredFeatures: [
      ...new Set([...requiredFeatures, ...FEATURES.filter((feature) => features.has(feature))]),
    ],
    requiredLimits: merged,
  } as GPUDeviceDescriptor;
}
