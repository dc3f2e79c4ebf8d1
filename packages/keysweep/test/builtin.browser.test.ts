import { describeBackend } from '@keysweep/conformance';
import { builtin } from 'keysweep';

describeBackend({ name: 'builtin in a page', create: builtin });
