/** How the page is built: as static files that work from any path. */

import { defineConfig } from 'vite';

export default defineConfig({
  root: 'page',
  base: './',
  // The page and its worker load the same modules on demand, which the bundler would warn about.
  worker: { format: 'es', rolldownOptions: { checks: { ineffectiveDynamicImport: false } } },
  build: { outDir: '../dist/page', emptyOutDir: true, target: 'es2022' },
});
