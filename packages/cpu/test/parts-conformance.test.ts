/** The conformance suite, whose requests are sorted in parts. */

import { describeBackend } from '@keysweep/conformance';
import { cpu } from '@keysweep/cpu';
import { drawTests } from '../../../tools/test/draw-tests.js';

drawTests(1 / 2);

describeBackend({
  name: 'cpu, in parts',
  create: () => cpu({ threads: 2, maxPartLength: 700 }),
  slow: true,
});
