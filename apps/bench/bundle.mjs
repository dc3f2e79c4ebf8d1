/**
 * `npm run bundle`, in the project's root: the benchmarks' program in one folder,
 * apps/bench/dist/keysweep-bench, for machines that have Node and perhaps a browser, but no
 * packages.
 *
 *   main.mjs               dist/main.js without `demo` and `report`; `gpu…` need webgpu
 *   sort-process.js        the child processes of `chaos`
 *   divide-thread.js       the threads that divide files
 *   key-thread.js          the threads of `gpu-keys`
 *   worker/, node_modules/ the worker of the CPU backend, and piscina, which needs files of its own
 *   page/                  the page of `webgl2` and `regret --page`
 *   first/                 the pages of `first-sorts`
 *   compare/               the comparison page
 */

import { cpSync, readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { build } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(readFileSync(`${here}package.json`, 'utf8'));

/**
 * Left out: packages that load their own parts, and the subcommands that need a checkout of the
 * project (they fail where it is missing).
 */
const EXTERNAL = ['webgpu', 'piscina', /(suites\/demo|report\/command)\.js$/];

async function buildProgram(input, file) {
  const program = await rolldown({
    input,
    platform: 'node',
    external: EXTERNAL,
    transform: { define: { KEYSWEEP_VERSION: JSON.stringify(version) } },
  });
  await program.write({ file, codeSplitting: false });
  await program.close();
}

/** Builds a program of benchmarks and what it needs beside it, without the pages. */
export async function bundleProgram(folder, main = `${here}dist/main.js`) {
  await buildProgram(main, `${folder}/main.mjs`);
  for (const part of [
    `${root}packages/external/dist/run/processes/sort-process.js`,
    `${root}packages/external/dist/run/threads/divide-thread.js`,
    `${here}dist/gpu/inputs/key-thread.js`,
  ]) {
    await buildProgram(part, `${folder}/${basename(part)}`);
  }
  const worker = `${root}packages/cpu/dist/pool/worker/node-worker.js`;
  await buildProgram(worker, `${folder}/worker/node-worker.js`);
  for (const part of ['package.json', 'dist']) {
    const piscina = `node_modules/piscina/${part}`;
    cpSync(`${root}${piscina}`, `${folder}/${piscina}`, { recursive: true });
  }
}

/** No warnings about the time that the build itself takes. */
const QUIET = { checks: { pluginTimings: false } };

const buildSite = (root, outDir) =>
  build({
    root,
    base: './',
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 700, rolldownOptions: QUIET },
    worker: { rolldownOptions: QUIET },
  });

/** Builds the page of `webgl2` and `regret --page`, minified. */
export const buildPage = (folder) => buildSite(`${here}page`, `${folder}/page`);

/** Builds the page of `first-sorts`, minified, and puts keysweep in one file beside it. */
export async function buildFirst(folder) {
  await buildSite(`${here}first`, `${folder}/first`);
  const file = `${root}packages/keysweep/dist/keysweep.min.js`;
  cpSync(file, `${folder}/first/${basename(file)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = `${here}dist/keysweep-bench`;
  rmSync(folder, { recursive: true, force: true });
  await bundleProgram(folder);
  await buildPage(folder);
  await buildFirst(folder);
  cpSync(`${root}apps/compare/dist`, `${folder}/compare`, { recursive: true });
}
