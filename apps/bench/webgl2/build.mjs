/** `npm run bundle:webgl2`, in the project's root: page and program in one folder, apps/bench/dist/keysweep-webgl2. */

import { fileURLToPath } from 'node:url';
import { buildPage, buildProgram } from '../bundle.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const outDir = `${here}../dist/keysweep-webgl2`;

await buildPage(here, outDir);
await buildProgram(`${here}../dist/commands/webgl2.js`, `${outDir}/main.mjs`);
