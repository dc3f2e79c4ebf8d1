/**
 * Every GPU stage alone, on random input, against its plain TypeScript twin of the same name in
 * twins: a wrong kernel is found by its stage. Threads have few keys here, for compiling is most of
 * a software GPU's time; a thorough run has as many as sorts have, and all widths.
 */

import './software-gpu.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drawTests, fewer } from '../../../tools/test/draw-tests.js';
import { chained } from './chained-devices.js';
import { describeChainedScan } from './stages/chained-scan.js';
import { describeHeavyValues } from './stages/heavy-values.js';
import { describeHybridBatches } from './stages/hybrid-batches.js';
import { describeHybridCounted } from './stages/hybrid-counted.js';
import { describeHybridSample } from './stages/hybrid-sample.js';
import { describeHybridSplits } from './stages/hybrid-splits.js';
import { randomInput, seed, WIDTHS } from './stages/inputs.js';
import { describeReduceThenScan } from './stages/reduce-then-scan.js';
import { describeRegularSampling } from './stages/regular-sampling.js';
import { describeSmallKernels } from './stages/small-kernels.js';
import { bitsOf, wordOf } from './twins/order.js';
import type { WatchedDevice } from './watched-device.js';

drawTests(1 / 2);

console.log(`seed ${seed} (KEYSWEEP_SEED repeats it)`);

let watched: WatchedDevice;

beforeAll(async () => {
  watched = await chained();
});

afterAll(async () => {
  await watched.assertClean();
  watched.device.destroy();
});

const device = (): GPUDevice => watched.device;

describeReduceThenScan(device);
describeChainedScan(device);
describeSmallKernels(device);
describeRegularSampling(device);

/** Of the longest sorts alone. */
const HYBRID = [
  describeHeavyValues,
  describeHybridSample,
  describeHybridSplits,
  describeHybridBatches,
  describeHybridCounted,
];
for (const describeStages of fewer(HYBRID, 1, seed)) describeStages(device);

it('the twins turn words into the keys they come from', () => {
  for (const widths of WIDTHS) {
    const { order, records, what } = randomInput(widths, 999);
    expect(
      records.keys.map((key) => bitsOf(wordOf(key, order), order)),
      what,
    ).toEqual(records.keys);
  }
});
