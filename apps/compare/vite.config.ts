/** How the page is built and served: as static files that work from any path. */

import { createReadStream } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';
import { type Connect, defineConfig, type Plugin } from 'vite';

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

/** The gallery is another app, whose built page is served below this one. */
function gallery(): Plugin {
  const folder = fileURLToPath(new URL('../papers/dist/page', import.meta.url));
  const serve = ({ middlewares }: { middlewares: Connect.Server }): void => {
    const setHeaders = (response: ServerResponse): void => {
      for (const [name, value] of Object.entries(ISOLATION)) response.setHeader(name, value);
    };
    middlewares.use('/papers', sirv(folder, { dev: true, setHeaders }));
  };
  return { name: 'gallery', configureServer: serve, configurePreviewServer: serve };
}

export default defineConfig({
  base: './',
  plugins: [sampleFile(), gallery()],
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
