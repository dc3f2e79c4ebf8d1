/** `npm run bundle:regret`, in the project's root: page and program in one folder, apps/bench/dist/keysweep-regret. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildPage, buildProgram } from '../bundle.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const outDir = `${here}../dist/keysweep-regret`;
const { version } = JSON.parse(readFileSync(`${here}../package.json`, 'utf8'));

await buildPage(here, outDir);
await buildProgram(`${here}../dist/regret/browser-main.js`, `${outDir}/main.mjs`, {
  external: ['piscina', 'webgpu', 'gpu.js'],
  transform: { define: { KEYSWEEP_VERSION: JSON.stringify(version) } },
});
