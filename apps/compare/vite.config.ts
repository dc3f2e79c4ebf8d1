/** How the page is built and served: as static files that work from any path. */

import { createReadStream } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

/** What a page needs to share memory with its workers. */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const SAMPLE = 'flights-3m.parquet';

/** The sample of "Your data", copied from its package: it is too large for this repository. */
function sampleFile(): Plugin {
  const source = fileURLToPath(new URL(`../data/${SAMPLE}`, import.meta.resolve('vega-datasets')));
  let outDir = '';
  return {
    name: 'sample-file',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    configureServer(server) {
      server.middlewares.use(`/data/${SAMPLE}`, (_request, response) => {
        createReadStream(source).pipe(response);
      });
    },
    async writeBundle() {
      await mkdir(join(outDir, 'data'), { recursive: true });
      await copyFile(source, join(outDir, 'data', SAMPLE));
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [sampleFile()],
  // The page and its worker load the same modules on demand, which the bundler would warn about.
  worker: { format: 'es', rolldownOptions: { checks: { ineffectiveDynamicImport: false } } },
  // gpu.js is larger than Vite's default limit.
  build: {
    chunkSizeWarningLimit: 700,
    target: 'es2022',
  },
  server: { headers: ISOLATION },
  preview: { headers: ISOLATION },
});
