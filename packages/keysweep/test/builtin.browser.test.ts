/** The runtime's own sort in a page. The whole suite runs in Node. */

import { describeBackend } from '@keysweep/conformance';
import { sample } from '@keysweep/conformance/data';
import { CHECKS } from '@keysweep/conformance/suite';
import { builtin } from 'keysweep';

const names = CHECKS.filter(({ missing }) => missing === undefined).map(({ name }) => name);
const drawn = new Set(sample(names, 8));
const skip = Object.fromEntries(
  names.filter((name) => !drawn.has(name)).map((name) => [name, 'not drawn in this run']),
);

describeBackend({ name: 'builtin in a page', create: builtin, skip });
