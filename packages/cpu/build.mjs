/**
 * Bundles the workers: page-worker into a file of its own, pool/worker-web.js, and into a module
 * that holds its text; node-text-worker into a module that holds its text.
 */

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const pool = fileURLToPath(new URL('dist/pool/', import.meta.url));

/** Bundles a module; returns the code. */
async function bundle(input, platform, output) {
  const {
    output: [{ code }],
  } = await build({
    input: `${pool}worker/${input}`,
    platform,
    logLevel: 'warn',
    output,
    write: output.file !== undefined,
  });
  return code;
}

const asModule = (name, text) =>
  writeFile(
    `${pool}worker/${name.file}`,
    `export const ${name.constant} = ${JSON.stringify(text)};\n`,
  );

await bundle('page-worker.js', 'browser', { file: `${pool}worker-web.js` });
const page = await bundle('page-worker.js', 'browser', { minify: true });
await asModule({ file: 'worker-source.js', constant: 'WORKER_SOURCE' }, page);
const node = await bundle('node-text-worker.js', 'node', { format: 'cjs', minify: true });
await asModule({ file: 'node-worker-source.js', constant: 'NODE_WORKER_SOURCE' }, node);
