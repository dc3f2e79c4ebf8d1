/** Runs a script in edge-runtime, or tells its version: `node in-edge.mjs FILE|--version`. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { EdgeVM } from '@edge-runtime/vm';

const [, , asked] = process.argv;
const { version } = createRequire(import.meta.url)('@edge-runtime/vm/package.json');
if (asked === '--version') console.log(version);
else new EdgeVM().evaluate(await readFile(asked, 'utf8'));
