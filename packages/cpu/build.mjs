/**
 * Bundles the workers: page-worker into a file of its own, pool/worker-web.js, and into a module
 * that holds its text; node-text-worker into a module that holds its text.
 */

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const pool = fileURLToPath(new URL('dist/pool/', import.meta.url));

/** The module of the kernels' bytes, as text. */
const KERNELS = /kernels\/dist\/generated\/cpu\.js$/;

/** Bundles a module; returns the code. */
async function bundle(input, platform, output, external = []) {
  const {
    output: [{ code }],
  } = await build({
    input: `${pool}worker/${input}`,
    platform,
    external,
    logLevel: 'warn',
    output,
    write: output.file !== undefined,
  });
  return code;
}

const write = (file, code) => writeFile(`${pool}worker/${file}`, code);

await bundle('page-worker.js', 'browser', { file: `${pool}worker-web.js` });
// A plain script, because a sandboxed frame of Chromium starts no module from a Blob. The module
// that starts it has the kernels, too, so the text takes them from there.
const globals = () => 'kernels';
const page = await bundle(
  'page-worker.js',
  'browser',
  { format: 'iife', globals, minify: true },
  KERNELS,
);
await write(
  'worker-source.js',
  `import { KERNELS_TEXT } from '@keysweep/kernels/cpu';
export const WORKER_SOURCE =
  '"use strict";const kernels = { CPU_WASM: ' + JSON.stringify(KERNELS_TEXT) + ' };' +
  ${JSON.stringify(page)};
`,
);
const node = await bundle('node-text-worker.js', 'node', { format: 'cjs', minify: true });
await write(
  'node-worker-source.js',
  `export const NODE_WORKER_SOURCE = ${JSON.stringify(node)};
`,
);
