/** The runtime's own sort in a page. The whole suite runs in Node. */

import { describeBackend } from '@keysweep/conformance';
import { sample } from '@keysweep/conformance/data';
import { CHECKS } from '@keysweep/conformance/suite';
import { builtin } from 'keysweep';

const checks = sample(
  CHECKS.filter(({ missing }) => missing === undefined),
  8,
);

describeBackend({ name: 'builtin in a page', create: builtin, checks });
