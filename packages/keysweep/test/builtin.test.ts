/** The runtime's own sort as a backend. */

import { describeBackend } from '@keysweep/conformance';
import { isThorough } from '@keysweep/conformance/data';
import { builtin } from 'keysweep';

describeBackend({ name: 'builtin', create: builtin, thorough: isThorough });
