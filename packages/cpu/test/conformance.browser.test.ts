import { describeBackend } from '@keysweep/conformance';
import { cpu } from '@keysweep/cpu';

// Workers serve from 2^17 keys on.
describeBackend({ name: 'cpu in a page', create: cpu, lengths: [131_073, 200_000] });
describeBackend({ name: 'cpu in a page, plain', create: () => cpu({ kernels: 'plain' }) });
