/** The suite in both realms. */

import { describeBackend } from '@keysweep/conformance';
import { webgl2 } from '@keysweep/webgl2';

/** One more than the fewest that the network sorts; slow on a software GPU. */
const SLOWLY = { lengths: [257], slow: true };

describeBackend({ name: 'webgl2 in a worker', create: () => webgl2(), ...SLOWLY });
describeBackend({ name: 'webgl2 in a page', create: () => webgl2({ worker: false }), ...SLOWLY });
