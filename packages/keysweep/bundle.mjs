/** Bundles everything into one file for a page, or for React Native: see src/bundle.ts. */

import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const inDist = (path) => fileURLToPath(new URL(`dist/${path}`, import.meta.url));

/** One file can't bring gpu.js along: its list of backends is a shorter one. */
const withoutWebgl2 = {
  name: 'keysweep-without-webgl2',
  resolveId: (id) => (id === './run/backends.js' ? inDist('run/bundled-backends.js') : undefined),
};

/**
 * Imports all modules at once: what is in the same file can't be loaded later, and a module that
 * waits to be begun takes more bytes. None of them does anything when it begins.
 */
const atOnce = {
  name: 'keysweep-at-once',
  transform(code) {
    const imports = [];
    const text = code.replace(/\bimport\(('[^']+')\)/g, (_, from) => {
      const name = `atOnce${imports.length}`;
      imports.push(`import * as ${name} from ${from};`);
      return `Promise.resolve(${name})`;
    });
    return imports.length === 0 ? undefined : { code: imports.join('') + text };
  },
};

await build({
  input: inDist('bundle.js'),
  platform: 'browser',
  plugins: [withoutWebgl2, atOnce],
  // No worker's file lies beside it. Besides, React Native does not parse the expression.
  transform: { define: { 'import.meta.url': 'undefined' } },
  logLevel: 'warn',
  output: { file: inDist('keysweep.min.js'), codeSplitting: false, minify: true },
});
