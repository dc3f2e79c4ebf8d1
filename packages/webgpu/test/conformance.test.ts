import './software-gpu.js';
import { describeBackend } from '@keysweep/conformance';
import { webgpu } from '@keysweep/webgpu';
import { SHORTEST_OF } from './lengths.js';

describeBackend({
  name: 'webgpu',
  create: () => webgpu(),
  lengths: [SHORTEST_OF.narrow],
  thorough: false,
});
