/**
 * `npm run bundle --workspace @keysweep/papers`: the benchmark's program in one folder,
 * dist/keysweep-papers, for machines that have Node and the package webgpu alone.
 */

import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from '../bench/bundle.mjs';

const here = fileURLToPath(new URL('dist/', import.meta.url));
rmSync(`${here}keysweep-papers`, { recursive: true, force: true });
await bundleProgram(`${here}keysweep-papers`, `${here}src/main.js`);
