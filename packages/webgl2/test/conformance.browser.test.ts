/** The suite. */

import { CHECKS, describeBackend } from '@keysweep/conformance';
import { sample } from '@keysweep/conformance/data';
import { webgl2 } from '@keysweep/webgl2';
import { load } from './load.js';

/** Half of the checks of one key type: the others of the suite try several types. */
const ofOneType = CHECKS.filter(({ name }) => /keys of every/.test(name));
const drawn = sample(ofOneType, ofOneType.length / 2);

describeBackend({
  name: 'webgl2',
  create: () => webgl2({ load }),
  checks: CHECKS.filter((check) => !ofOneType.includes(check) || drawn.includes(check)),
  // One more than the fewest that the network sorts; slow on a software GPU.
  lengths: [257],
  slow: true,
});
