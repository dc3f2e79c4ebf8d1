/** The suite, by reduce-then-scan sorts. */

import './software-gpu.js';
import { CHECKS, describeBackend } from '@keysweep/conformance';
import { sample } from '@keysweep/conformance/data';
import { webgpu } from '@keysweep/webgpu';
import { fewer } from '../../../tools/test/draw-tests.js';
import { SHORTEST_OF } from './lengths.js';
import { watchedAdapters } from './watched-adapters.js';

/** Some checks of one key type: the others of the suite try several types. */
const ofOneType = CHECKS.filter(({ name }) => /keys of every/.test(name));
const drawn = fewer(sample(ofOneType, 3), 1);

describeBackend({
  name: 'webgpu',
  create: () => webgpu({ requestAdapter: watchedAdapters().requestAdapter }),
  lengths: [SHORTEST_OF.wide],
  slow: true,
  checks: CHECKS.filter((check) => !ofOneType.includes(check) || drawn.includes(check)),
});
