/** Chained scans, and the suite by them. */

import './software-gpu.js';
import { CHECKS, describeBackend } from '@keysweep/conformance';
import { isThorough } from '@keysweep/conformance/data';
import { afterAll, expect } from 'vitest';
import { webgpu } from '../src/backend.js';
import { describeChained } from './chained-checks.js';
import { chain } from './chained-devices.js';
import { SHORTEST_OF } from './lengths.js';
import { watchedAdapters } from './watched-adapters.js';

describeChained('in Node');

/** Checks of keys of 32 bits: a sort of each width compiles for seconds. */
const OF_ONE_WIDTH = /progress|released|^probes|closed meanwhile|aborted/;

let sweeps = 0;

describeBackend({
  name: 'webgpu, by chained scans',
  create: () => {
    const { requestAdapter } = watchedAdapters(({ device }) => {
      chain(device);
      const create = device.createShaderModule.bind(device);
      device.createShaderModule = (descriptor) => {
        if (descriptor.label === 'keysweep sweep') sweeps++;
        return create(descriptor);
      };
    });
    return webgpu({ requestAdapter });
  },
  lengths: [SHORTEST_OF.narrow],
  slow: true,
  checks: CHECKS.filter(({ name }) => isThorough || OF_ONE_WIDTH.test(name)),
});

afterAll(() => expect(sweeps, 'sweeps that were compiled').toBeGreaterThan(0));
