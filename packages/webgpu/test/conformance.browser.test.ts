import { describeBackend } from '@keysweep/conformance';
import { webgpu } from '@keysweep/webgpu';
import { SHORTEST_OF } from './lengths.js';

describeBackend({
  name: 'webgpu in a page',
  create: () => webgpu(),
  lengths: [SHORTEST_OF.wide],
  slow: true,
});
