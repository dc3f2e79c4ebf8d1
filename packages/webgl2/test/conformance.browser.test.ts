/** The suite in a worker and in a page: in a page in full in a thorough run. */

import { CHECKS, describeBackend } from '@keysweep/conformance';
import { isThorough, sample } from '@keysweep/conformance/data';
import { webgl2 } from '@keysweep/webgl2';

/** One more than the fewest that the network sorts; slow on a software GPU. */
const SLOWLY = { lengths: [257], slow: true };

/** How work waits, is interrupted and ends. */
const IN_PAGES = /detached|aborted|^serves|^probes|progress/;

/** Half of the checks of one key type: the others of the suite try several types. */
const ofOneType = CHECKS.filter(({ name }) => /keys of every/.test(name));
const drawn = sample(ofOneType, ofOneType.length / 2);

describeBackend({
  name: 'webgl2 in a worker',
  create: () => webgl2(),
  checks: CHECKS.filter((check) => !ofOneType.includes(check) || drawn.includes(check)),
  ...SLOWLY,
});
describeBackend({
  name: 'webgl2 in a page',
  create: () => webgl2({ worker: false }),
  checks: CHECKS.filter(({ name }) => isThorough || IN_PAGES.test(name)),
  ...SLOWLY,
});
