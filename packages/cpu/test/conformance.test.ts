import { describeBackend } from '@keysweep/conformance';
import { cpu } from '@keysweep/cpu';

// Where the backend changes its ways: partitions by several threads from 2^16 keys on, threads from
// 2^17, one thread's partition from 2^20. Beyond 2^21 the calling thread does not lead.
const around = (length: number): number[] => [length - 1, length, length + 1];

describeBackend({
  name: 'cpu, 2 threads',
  create: () => cpu({ threads: 2 }),
  lengths: [...around(2 ** 17), 200_003],
});
describeBackend({ name: 'cpu, 5 threads', create: () => cpu({ threads: 5 }), lengths: [140_001] });
describeBackend({
  name: 'cpu, 1 thread',
  create: () => cpu({ threads: 1 }),
  lengths: around(2 ** 16),
});
describeBackend({ name: 'cpu, plain', create: () => cpu({ kernels: 'plain' }), lengths: [70_001] });
