import { describeBackend } from '@keysweep/conformance';
import { cpu } from '@keysweep/cpu';

describeBackend({ name: 'cpu in a page', create: cpu, lengths: [70_001, 200_000] });
describeBackend({ name: 'cpu in a page, plain', create: () => cpu({ kernels: 'plain' }) });
