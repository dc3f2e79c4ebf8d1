/** Makes one folder of a page and of the program that drives it, for machines with a browser and Node. */

import { rolldown } from 'rolldown';
import { build } from 'vite';

/** Builds the page in folder `root` alone, as for production, into `outDir`. */
export const buildPage = (root, outDir) =>
  build({
    root,
    base: './',
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 700 },
  });

/** Builds the program of which `input` is the first file, into the file `file`; `options` are rolldown's. */
export async function buildProgram(input, file, options = {}) {
  const program = await rolldown({ input, platform: 'node', ...options });
  await program.write({ file, codeSplitting: false });
  await program.close();
}
