/** A sorter by WebGL2, through the suite. The other backends are in sorter.test.ts. */

import { webgl2 } from '@keysweep/webgl2';
import { describeSorter } from './sorter-checks.js';

// One more than the fewest that the network sorts.
describeSorter(() => webgl2({ load: () => import('gpu.js') }), { slow: true, lengths: [257] });
