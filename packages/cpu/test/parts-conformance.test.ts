/** The conformance suite, whose requests are sorted in parts. */

import { describeBackend } from '@keysweep/conformance';
import { cpu } from '@keysweep/cpu';

describeBackend({
  name: 'cpu, in parts',
  create: () => cpu({ threads: 2, maxPartLength: 700 }),
  slow: true,
});
