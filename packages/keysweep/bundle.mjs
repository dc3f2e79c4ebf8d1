/** Bundles everything into one file for a page, or for React Native: see src/bundle.ts. */

import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const inDist = (path) => fileURLToPath(new URL(`dist/${path}`, import.meta.url));

/** One file can't bring gpu.js along: its list of backends is a shorter one. */
const withoutWebgl2 = {
  name: 'keysweep-without-webgl2',
  resolveId: (id) => (id === './run/backends.js' ? inDist('run/bundled-backends.js') : undefined),
};

await build({
  input: inDist('bundle.js'),
  platform: 'browser',
  plugins: [withoutWebgl2],
  // No worker's file lies beside it. Besides, React Native does not parse the expression.
  transform: { define: { 'import.meta.url': 'undefined' } },
  logLevel: 'warn',
  output: { file: inDist('keysweep.min.js'), codeSplitting: false, minify: true },
});
