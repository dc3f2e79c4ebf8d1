/** What holds of RadixSorter in Node and in a page. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { GPU_CHECKS, type GpuCheck, runCheck } from '@keysweep/conformance/gpu';
import { tileOf } from '@keysweep/kernels/wgsl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findGpu } from '#gpu';
import { RadixSorter } from '../src/sorter/radix-sorter.js';
import { chained as openChained } from './chained-devices.js';
import { type WatchedDevice, watchedDevice } from './watched-device.js';

const MAX_LENGTH = 110_000;

const seed = runSeed();

/** Devices as callers may have them. */
interface Variant {
  readonly name: string;
  readonly checks: readonly GpuCheck[];
  readonly open: () => Promise<WatchedDevice>;
  /** What scratch may take besides the records once more. */
  readonly scratch: { readonly share: number; readonly bytes: number };
}

/** A check that compiles for one width of records: a software adapter takes seconds for each. */
const FEW = /^u32 keys, u32 values/;

const CHAINED = 'that sorts by chained scans, whatever its subgroups';

const VARIANTS: readonly Variant[] = [
  {
    name: 'of no features and default limits',
    checks: GPU_CHECKS,
    open: () => watchedDevice(),
    scratch: { share: 0.03, bytes: 4096 },
  },
  {
    name: CHAINED,
    // By codes it sorts as the other.
    checks: GPU_CHECKS.filter(({ name }) => !name.startsWith('approximate')),
    open: () => openChained(),
    // A software adapter's tiles are short.
    scratch: { share: 1.4, bytes: 160 * 1024 },
  },
  {
    name: "of all its adapter's features and limits",
    checks: GPU_CHECKS.filter(({ name }) => FEW.test(name)),
    open: async () => watchedDevice({}, await everything()),
    scratch: { share: 0.03, bytes: 160 * 1024 },
  },
];

async function everything(): Promise<GPUDeviceDescriptor> {
  const adapter = await ((await findGpu()) as GPU).requestAdapter();
  const { features, limits } = adapter as GPUAdapter;
  const requiredLimits: Record<string, number> = {};
  for (const name in limits) {
    const limit = limits[name as keyof GPUSupportedLimits];
    if (typeof limit === 'number') requiredLimits[name] = limit;
  }
  return { requiredFeatures: [...features] as GPUFeatureName[], requiredLimits };
}

/**
 * Declares the checks, all of them for one way to sort, and those of few types for the other, which is checked in full in
 * the other runtime: the adapter is the same, and slow.
 */
export function describeSorter(where: string, full: 'chained' | 'portable'): void {
  for (const { name, checks: all, open, scratch } of VARIANTS) {
    const isFull = (name === CHAINED) === (full === 'chained');
    const checks = isFull ? all : all.filter((check) => FEW.test(check.name));
    describe(`RadixSorter ${where}, on a device ${name}`, () => {
      let watched: WatchedDevice;

      beforeAll(async () => {
        watched = await open();
      });

      afterAll(() => watched.device.destroy());

      for (const [i, check] of checks.entries()) {
        it(check.name, async () => {
          const subject = {
            device: watched.device,
            create: RadixSorter.create,
            random: new Random(seed + i),
            tile: { 4: tileOf(1), 8: tileOf(2) },
            scratch,
            maxLength: MAX_LENGTH,
            thorough: false,
          };
          await runCheck(check, subject, seed);
          await watched.assertClean();
        });
      }
    });
  }

  it(`create ${where} rejects and frees what it made when memory is wanting`, async () => {
    const watched = await watchedDevice();
    // So few that one workgroup sorts them: one pipeline is enough.
    const options = { keyType: 'u32', maxCount: 1000 } as const;
    const first = await RadixSorter.create(watched.device, options);
    const before = watched.liveBuffers();
    watched.failNextBuffer();
    const failing = RadixSorter.create(watched.device, options);
    await expect(failing).rejects.toThrow(/^no RadixSorter for 1000 keys: /);
    expect(watched.liveBuffers()).toEqual(before);
    first.destroy();
    await watched.assertClean();
    watched.device.destroy();
  });
}
