/** Sorters by every backend that there is in Node, through the suite. */

import '../../../webgpu/test/software-gpu.js';
import { cpu } from '@keysweep/cpu';
import { webgpu } from '@keysweep/webgpu';
import { builtin } from 'keysweep';
import { drawTests } from '../../../../tools/test/draw-tests.js';
import { describeSorter } from './sorter-checks.js';

drawTests(1 / 2);

/** Where the tests' threads begin to serve. */
const THREADS_FROM = 2 ** 14;

describeSorter(builtin);
describeSorter(() => cpu({ threads: 2, threadsFrom: THREADS_FROM }), { lengths: [THREADS_FROM] });
describeSorter(() => cpu({ kernels: 'plain' }), { variant: 'cpu, plain' });
describeSorter(webgpu, { slow: true });
