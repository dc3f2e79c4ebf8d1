/** Fewer bits of floats, with their indices, as depths are sorted: the order, and its passes. */

import './software-gpu.js';
import { Random, runSeed, sample } from '@keysweep/conformance/data';
import { checkOf, GPU_CHECKS, runCheck, SPECIAL } from '@keysweep/conformance/gpu';
import { tileOf } from '@keysweep/kernels/wgsl';
import { expect, it } from 'vitest';
import { BufferUsage, MapMode } from '../src/device/usage.js';
import type { RadixSorterOptions } from '../src/sorter/arguments/options.js';
import { PASSES_RUN_AT } from '../src/sorter/tuning/tuning.js';
import { chained, createTrusted, hybrid } from './chained-devices.js';
import { sharedWatchedDevice } from './watched-device.js';

const seed = runSeed();

const TYPE = { keyType: 'f32', valueType: 'index' } as const;
const HALF = { begin: 16, end: 32 };

const VARIANTS = [
  ['on a device of no features', () => sharedWatchedDevice()],
  ['by chained scans', () => chained()],
] as const;

/** A quick run draws a device for each: the kernels of either compile for seconds. */
it.each(sample(VARIANTS, 1, seed))(
  '16 bits of f32 keys decide in two passes, %s',
  async (_, open) => {
    const watched = await open();
    const random = new Random(seed);
    const count = tileOf(1) + 1 + random.below(2000);
    const subject = {
      device: watched.device,
      create: createTrusted,
      random,
      tile: { 4: tileOf(1), 8: tileOf(2) },
      scratch: { share: 1.4, bytes: 160 * 1024 },
      maxLength: count,
      thorough: false,
    };
    for (const order of ['ascending', 'descending'] as const) {
      // What one workgroup sorts, and more.
      for (const length of [2 + random.below(tileOf(1) - 2), count]) {
        const sort = { ...TYPE, order, keyBits: HALF, count: length, distribution: SPECIAL };
        await runCheck(checkOf({ ...sort, offset: 70, behind: 3 }), subject, seed);
      }
      // Of keys alone, too, NaNs are ties whatever their bits.
      const alone = { keyType: 'f32', order, keyBits: HALF, count, distribution: SPECIAL } as const;
      await runCheck(checkOf(alone), subject, seed);
    }
    expect(
      await passesOf(watched.device, random, { ...TYPE, keyBits: HALF, maxCount: count }),
    ).toBe(2);
    expect(await passesOf(watched.device, random, { ...TYPE, maxCount: count })).toBe(4);
    await watched.assertClean();
    watched.device.destroy();
  },
);

const APPROXIMATE = [
  ['three passes on a device of no features', () => sharedWatchedDevice(), 3],
  ['two passes where chained scans are hybrid', () => chained(hybrid(true)), 2],
] as const;

it.each(sample(APPROXIMATE, 1, seed + 1))(
  'an approximate order takes %s',
  async (_, open, passes) => {
    const watched = await open();
    const { device } = watched;
    const random = new Random(seed);
    const maxCount = tileOf(1) + 1 + random.below(2000);
    expect(await passesOf(device, random, { ...TYPE, approximate: true, maxCount })).toBe(passes);
    const checks = GPU_CHECKS.filter(({ name }) =>
      /^approximate order: (?:special values|subnormal numbers and)/.test(name),
    );
    expect(checks.length).toBe(2);
    const subject = {
      device,
      create: createTrusted,
      random,
      tile: { 4: tileOf(1), 8: tileOf(2) },
      scratch: { share: 1.4, bytes: 160 * 1024 },
      maxLength: maxCount,
      thorough: false,
    };
    for (const check of checks) await runCheck(check, subject, seed);
    await watched.assertClean();
    device.destroy();
  },
);

/** Passes of a sort of random depths from 0 to 1000. */
async function passesOf(
  device: GPUDevice,
  random: Random,
  options: RadixSorterOptions,
): Promise<number | undefined> {
  const { STORAGE, COPY_DST, MAP_READ } = BufferUsage;
  const { maxCount: count } = options;
  const depths = Float32Array.from({ length: count }, () => 1000 * random.unit());
  const sorter = await createTrusted(device, options);
  const [keys, values] = [0, 1].map(() =>
    device.createBuffer({ size: depths.byteLength, usage: STORAGE | COPY_DST }),
  ) as [GPUBuffer, GPUBuffer];
  const read = device.createBuffer({ size: 4, usage: COPY_DST | MAP_READ });
  device.queue.writeBuffer(keys, 0, depths);
  const encoder = device.createCommandEncoder();
  sorter.encode(encoder, { keys, values, count });
  encoder.copyBufferToBuffer(sorter.plan as GPUBuffer, PASSES_RUN_AT, read, 0, 4);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(MapMode.READ);
  const [passes] = new Uint32Array(read.getMappedRange());
  for (const made of [sorter, keys, values, read]) made.destroy();
  return passes;
}
