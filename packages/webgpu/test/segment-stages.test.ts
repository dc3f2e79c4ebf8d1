/**
 * Every stage of a sort of segments alone, on random input, against its plain TypeScript twin in
 * twins/segments: as stages.test.ts does for whole arrays.
 */

import './software-gpu.js';
import { addShaders } from '@keysweep/kernels/wgsl';
import { WGSL_SEGMENTS } from '@keysweep/kernels/wgsl-segments';
import { afterAll, beforeAll } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { chained } from './chained-devices.js';
import { seed } from './stages/inputs.js';
import { describeSegments } from './stages/segments.js';
import { describePortableSegments } from './stages/segments-portable.js';
import type { WatchedDevice } from './watched-device.js';

drawTests(1 / 2);

console.log(`seed ${seed} (KEYSWEEP_SEED repeats it)`);

let watched: WatchedDevice;

beforeAll(async () => {
  addShaders(WGSL_SEGMENTS);
  watched = await chained();
});

afterAll(async () => {
  await watched.assertClean();
  watched.device.destroy();
});

const device = (): GPUDevice => watched.device;

describeSegments(device);
describePortableSegments(device);
