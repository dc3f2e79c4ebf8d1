/** Each way to sort goes through the suite in one runtime, the portable one in a page: the adapter is the same, and slow. */

import './software-gpu.js';
import { describeBackend } from '@keysweep/conformance';
import { webgpu } from '@keysweep/webgpu';
import { describeChained } from './chained-checks.js';
import { chain } from './chained-devices.js';
import { SHORTEST_OF } from './lengths.js';
import { watchedAdapters } from './watched-adapters.js';

describeChained('in Node');

describeBackend({
  name: 'webgpu, by chained scans',
  create: () => {
    const { requestAdapter } = watchedAdapters(({ device }) => chain(device));
    return webgpu({ requestAdapter });
  },
  lengths: [SHORTEST_OF.narrow],
  slow: true,
});
