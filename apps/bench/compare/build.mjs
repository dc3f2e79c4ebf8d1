/** `npm run bundle:compare`, in the project's root: the comparison page and the program that records it, in apps/bench/dist/keysweep-compare. */

import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));
const outDir = `${here}../dist/keysweep-compare`;

await rm(outDir, { recursive: true, force: true });
await cp(`${here}../../compare/dist`, `${outDir}/site`, { recursive: true });
const program = await rolldown({ input: `${here}../dist/compare/main.js`, platform: 'node' });
await program.write({ file: `${outDir}/record.mjs`, codeSplitting: false });
await program.close();
