import { describeBackend } from '@keysweep/conformance';
import { cpu } from '@keysweep/cpu';

// Where the backend changes its ways: partitions by several threads from 2^16 keys on, where
// threads are to serve so few; one thread's partition from 2^20.
const around = (length: number): number[] => [length - 1, length, length + 1];

describeBackend({
  name: 'cpu, 2 threads',
  create: () => cpu({ threads: 2, threadsFrom: 2 ** 15 }),
  lengths: [...around(2 ** 15), ...around(2 ** 16), 140_003],
});
describeBackend({
  name: 'cpu, 5 threads',
  create: () => cpu({ threads: 5, threadsFrom: 2 ** 15 }),
  lengths: [140_001],
});
describeBackend({
  name: 'cpu, 1 thread',
  create: () => cpu({ threads: 1 }),
  lengths: around(2 ** 16),
});
describeBackend({ name: 'cpu, plain', create: () => cpu({ kernels: 'plain' }), lengths: [70_001] });
