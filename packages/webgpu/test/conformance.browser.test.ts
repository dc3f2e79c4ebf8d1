import { describeBackend } from '@keysweep/conformance';
import { webgpu } from '@keysweep/webgpu';
import { LENGTHS } from './lengths.js';

describeBackend({
  name: 'webgpu in a page',
  create: () => webgpu(),
  lengths: LENGTHS,
  thorough: false,
});
