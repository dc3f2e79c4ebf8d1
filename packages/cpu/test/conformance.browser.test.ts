import { describeBackend } from '@keysweep/conformance';
import { isThorough } from '@keysweep/conformance/data';
import { cpu } from '@keysweep/cpu';

// Workers serve from 2^17 keys on. What does not differ in a page runs in Node.
describeBackend({
  name: 'cpu in a page',
  create: cpu,
  lengths: isThorough ? [131_073, 200_000] : [131_073],
});
describeBackend({
  name: 'cpu in a page, plain',
  create: () => cpu({ kernels: 'plain' }),
});
