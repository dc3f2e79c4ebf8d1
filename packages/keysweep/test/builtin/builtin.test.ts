/** The runtime's own sort as a backend. */

import { describeBackend } from '@keysweep/conformance';
import { builtin } from 'keysweep';

describeBackend({ name: 'builtin', create: builtin });
