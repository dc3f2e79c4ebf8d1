/** `npm run bundle:regret`, in the project's root: page and program in one folder, apps/bench/dist/keysweep-regret. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { build } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));
const { version } = JSON.parse(readFileSync(`${here}../package.json`, 'utf8'));

/** Builds the page alone, as for production, into `outDir`. */
export const buildPage = (outDir) =>
  build({
    root: here,
    base: './',
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 700 },
  });

/** Builds page and program. */
export async function bundle(outDir) {
  await buildPage(outDir);
  const program = await rolldown({
    input: `${here}../dist/regret/browser-main.js`,
    platform: 'node',
    external: ['piscina', 'webgpu', 'gpu.js'],
    transform: { define: { KEYSWEEP_VERSION: JSON.stringify(version) } },
  });
  await program.write({ file: `${outDir}/main.mjs`, codeSplitting: false });
  await program.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundle(`${here}../dist/keysweep-regret`);
}
