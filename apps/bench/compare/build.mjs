/** `npm run bundle:compare`, in the project's root: the comparison page and the program that records it, in apps/bench/dist/keysweep-compare. */

import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildProgram } from '../bundle.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const outDir = `${here}../dist/keysweep-compare`;

await rm(outDir, { recursive: true, force: true });
await cp(`${here}../../compare/dist`, `${outDir}/site`, { recursive: true });
await buildProgram(`${here}../dist/commands/compare-page.js`, `${outDir}/record.mjs`);
