import { describeBackend } from '@keysweep/conformance';
import { webgl2 } from '@keysweep/webgl2';

describeBackend({ name: 'webgl2 in a worker', create: () => webgl2() });
describeBackend({ name: 'webgl2 in a page', create: () => webgl2({ worker: false }) });
