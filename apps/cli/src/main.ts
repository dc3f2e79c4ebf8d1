#!/usr/bin/env node
/** The keysweep command. */

import { run } from './run.js';

// With standard error closed, the exit code still says that a command failed.
process.stderr.on('error', () => {});
process.exitCode = await run(process.argv.slice(2));
