/** What a sorter asks of an adapter, and says of a device that has less. */

import './software-gpu.js';
import type { SortWarning } from '@keysweep/core';
import { expect, it } from 'vitest';
import { RadixSorter } from '../src/sorter/radix-sorter.js';
import { tuningOf } from '../src/sorter/tuning/tuning.js';
import { foundAdapter } from './shared-devices.js';
import { sharedWatchedDevice } from './watched-device.js';

const LIMITS = {
  maxStorageBufferBindingSize: 2 ** 30,
  maxBufferSize: 2 ** 31,
  maxComputeWorkgroupStorageSize: 49_152,
  maxComputeInvocationsPerWorkgroup: 1024,
  maxComputeWorkgroupSizeX: 1024,
};

const adapterWith = (features: readonly string[], limits: object): GPUAdapter =>
  ({ features: new Set(features), limits, requestDevice: () => {} }) as unknown as GPUAdapter;

it('a descriptor asks for the features and limits that sorts use, and for no others', () => {
  const features = ['shader-f16', 'subgroups', 'subgroup-size-control', 'timestamp-query'];
  const adapter = adapterWith(features, { ...LIMITS, maxTextureDimension2D: 16_384 });
  const { requiredFeatures = [], requiredLimits } = RadixSorter.deviceDescriptor(adapter);
  expect([...requiredFeatures].sort()).toEqual(['subgroup-size-control', 'subgroups']);
  expect(requiredLimits).toEqual(LIMITS);
});

it('a descriptor asks for nothing that the adapter lacks', () => {
  const { maxBufferSize } = LIMITS;
  const descriptor = RadixSorter.deviceDescriptor(adapterWith(['shader-f16'], { maxBufferSize }));
  expect(descriptor).toEqual({ requiredFeatures: [], requiredLimits: { maxBufferSize } });
});

it("a descriptor keeps the caller's members, features, and higher limits", () => {
  const given = {
    label: 'renderer',
    defaultQueue: { label: 'queue' },
    requiredFeatures: ['subgroups', 'timestamp-query'] as GPUFeatureName[],
    requiredLimits: { maxTextureDimension2D: 16_384, maxBufferSize: 5, maxBindGroups: 4 },
  };
  const before = structuredClone(given);
  const merged = RadixSorter.deviceDescriptor(adapterWith(['subgroups'], LIMITS), given);
  expect(merged).toEqual({
    ...before,
    requiredFeatures: ['subgroups', 'timestamp-query'],
    requiredLimits: { ...LIMITS, maxTextureDimension2D: 16_384, maxBindGroups: 4 },
  });
  expect(given).toEqual(before);
  // More than the adapter has stays what the caller asked for: requestDevice() says so.
  const requiredLimits = { maxBufferSize: 2 ** 33 };
  const more = RadixSorter.deviceDescriptor(adapterWith([], LIMITS), { requiredLimits });
  expect(more.requiredLimits?.maxBufferSize).toBe(2 ** 33);
});

it('an adapter makes a device of its descriptor, which has what was asked for', async () => {
  const adapter = await foundAdapter();
  const { limits, features } = adapter;
  const descriptor = RadixSorter.deviceDescriptor(adapter);
  const device = await adapter.requestDevice(descriptor);
  for (const name of Object.keys(LIMITS) as (keyof typeof LIMITS)[]) {
    expect(device.limits[name], name).toBe(limits[name]);
  }
  expect(device.features.has('subgroups')).toBe(features.has('subgroups'));
  device.destroy();
});

it('an argument that is no adapter or no descriptor is named', () => {
  const adapter = adapterWith([], LIMITS);
  for (const wrong of [null, undefined, {}, { features: [] }]) {
    const descriptor = (): unknown => RadixSorter.deviceDescriptor(wrong as never);
    expect(descriptor).toThrow(/^adapter must be a GPUAdapter/);
  }
  const descriptor = (): unknown => RadixSorter.deviceDescriptor(adapter, 3 as never);
  expect(descriptor).toThrow(/^descriptor must be an object/);
});

const OPTIONS = { keyType: 'u32', maxCount: 100 } as const;

/** Warnings of two sorters on a device of no features, whose GPU has subgroups of these sizes. */
async function warningsOf(
  subgroupMinSize: number | undefined,
  subgroupMaxSize: number | undefined,
): Promise<readonly SortWarning[]> {
  const watched = await sharedWatchedDevice();
  const { device } = watched;
  const adapterInfo = { subgroupMinSize, subgroupMaxSize } as GPUAdapterInfo;
  Object.assign(device, { adapterInfo });
  const warnings: SortWarning[] = [];
  for (const _ of ['first', 'second']) {
    const onWarning = (warning: SortWarning): void => void warnings.push(warning);
    const sorter = await RadixSorter.create(device, { ...OPTIONS, onWarning });
    sorter.destroy();
  }
  await watched.assertClean();
  device.destroy();
  return warnings;
}

it('a device without the subgroups of its GPU gets one warning', async () => {
  for (const [least, most] of [
    [32, 32],
    [8, 32],
    [32, 64],
  ]) {
    const warnings = await warningsOf(least, most);
    expect(warnings.map(({ code }) => code)).toEqual(['gpu-features-unused']);
    expect(warnings[0]?.message).toContain('RadixSorter.deviceDescriptor(adapter)');
  }
});

it('a device that lacks nothing gets none: sizes not told, or subgroups too narrow', async () => {
  expect(await warningsOf(undefined, undefined)).toEqual([]);
  expect(await warningsOf(0, 0)).toEqual([]);
  expect(await warningsOf(4, 128)).toEqual([]);
  expect(await warningsOf(4, 4)).toEqual([]);
  expect(await warningsOf(8, 8)).toEqual([]);
});

it('a device without subgroups sorts by a map, unless its GPU has narrow ones', async () => {
  for (const [most, isMapped] of [
    [4, false],
    [8, false],
    [16, true],
    [32, true],
    // Engines that do not tell.
    [0, true],
    [undefined, true],
  ] as const) {
    const { device } = await sharedWatchedDevice();
    Object.assign(device, { adapterInfo: { subgroupMinSize: most, subgroupMaxSize: most } });
    expect(tuningOf(device).portableMap !== undefined, `${most}`).toBe(isMapped);
    device.destroy();
  }
});
