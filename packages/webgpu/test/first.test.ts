/** The first keys of segments in GPU memory. */

import './software-gpu.js';
import { isThorough, Random, runSeed, sample } from '@keysweep/conformance/data';
import { GPU_FIRST_CHECKS, runCheck } from '@keysweep/conformance/gpu';
import { tileOf } from '@keysweep/kernels/wgsl';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createTrusted } from './chained-devices.js';
import { sharedWatchedDevice, type WatchedDevice } from './watched-device.js';

const seed = runSeed();

const byType = GPU_FIRST_CHECKS.filter(({ name }) => name.startsWith('first keys of segments, '));
const others = GPU_FIRST_CHECKS.filter((check) => !byType.includes(check));

/** More storage lets workgroups keep more keys; of the least, 64-bit keys fill it. */
describe.each([
  ['the least workgroup storage', () => sharedWatchedDevice(), others],
  [
    'all of its workgroup storage',
    () =>
      sharedWatchedDevice(({ limits: { maxComputeWorkgroupStorageSize } }) => ({
        requiredLimits: { maxComputeWorkgroupStorageSize },
      })),
    [],
  ],
] as const)('first keys, on a device with %s', (_, open, always) => {
  let watched: WatchedDevice;

  beforeAll(async () => {
    watched = await open();
  });

  afterAll(() => watched.device.destroy());

  const checks = [...always, ...(isThorough ? byType : sample(byType, 1, seed))];
  for (const check of checks) {
    it(check.name, async () => {
      const subject = {
        device: watched.device,
        create: createTrusted,
        random: new Random(seed + GPU_FIRST_CHECKS.indexOf(check)),
        tile: { 4: tileOf(1), 8: tileOf(2) },
        scratch: { share: 1.4, bytes: 160 * 1024 },
        maxLength: 50_000,
        thorough: isThorough,
      };
      await runCheck(check, subject, seed);
      await watched.assertClean();
    });
  }
});
