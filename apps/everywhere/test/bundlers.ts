/** Programs and pages with keysweep inside, made by a script of consumers/build or by a command. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Headers, serve } from './pages.js';
import { run, serveBy } from './process.js';
import { commandOf, NODE, type Project, warningsOf } from './project.js';
import { inPages, inProcess, linesOf, resultOf, type Trial } from './trial.js';

type Run = (project: Project) => Promise<Trial[]>;

const PAGE = join('page', 'page.js');

/** A strict policy: scripts of the page's own origin, and no WebAssembly. */
export const STRICT: Headers = {
  'Content-Security-Policy': "default-src 'none'; script-src 'self'; img-src data:",
};

/** Builds by a script. Resolves to what the tool warned of. */
async function build({ folder }: Project, script: string, ...args: readonly string[]) {
  const ended = await run(NODE, [join('build', script), ...args], { cwd: folder });
  const { result, warnings } = resultOf<string[]>(ended);
  return [...result, ...warnings];
}

/** Serves a folder, and visits it. */
const pagesIn = (folder: string, warnings: readonly string[], policy: Headers = {}) =>
  inPages((headers) => serve(folder, { ...headers, ...policy }), warnings);

/** Puts a page around the script of a bundle in `folder`. */
async function writePage(folder: string, tag: string): Promise<void> {
  const head = '<meta charset="utf-8"><link rel="icon" href="data:,">';
  const html = `<!doctype html>${head}${tag}</script>`;
  await writeFile(join(folder, 'index.html'), html);
}

/** A program in one file, by esbuild. It runs where no `node_modules` is found. */
export const esbuildForNode =
  (entry: string, format: 'esm' | 'cjs'): Run =>
  async (project) => {
    const file = `esbuild-${entry}.${format === 'esm' ? 'mjs' : 'cjs'}`;
    const path = join(project.out, file);
    const warnings = await build(project, 'esbuild.mjs', entry, 'node', format, path);
    return inProcess(NODE, [file], { cwd: project.out }, warnings);
  };

/** A page with one script, by esbuild. */
export const esbuildForPages =
  (format: 'esm' | 'iife', policy?: Headers): Run =>
  async (project) => {
    const folder = join(project.out, `esbuild-${format}`);
    const path = join(folder, 'page.js');
    const warnings = await build(project, 'esbuild.mjs', PAGE, 'browser', format, path);
    const type = format === 'esm' ? 'type="module"' : 'defer';
    await writePage(folder, `<script ${type} src="page.js">`);
    return pagesIn(folder, warnings, policy);
  };

/** A program in chunks, by rollup. It runs where no `node_modules` is found. */
export const rollupForNode =
  (format: 'es' | 'cjs'): Run =>
  async (project) => {
    const folder = join(project.out, `rollup-${format}`);
    const entry = 'process-without-await.mjs';
    const warnings = await build(project, 'rollup.mjs', entry, 'node', format, folder);
    const file = entry.replace('mjs', format === 'es' ? 'mjs' : 'cjs');
    return inProcess(NODE, [file], { cwd: folder }, warnings);
  };

export const rollupForPages: Run = async (project) => {
  const folder = join(project.out, 'rollup-page');
  const warnings = await build(project, 'rollup.mjs', PAGE, 'browser', 'es', folder);
  await writePage(folder, '<script type="module" src="page.mjs">');
  return pagesIn(folder, warnings);
};

export const webpackForPages: Run = async (project) => {
  const folder = join(project.out, 'webpack');
  const warnings = await build(project, 'webpack.mjs', `./${PAGE}`, folder);
  await writePage(folder, '<script defer src="main.js">');
  return pagesIn(folder, warnings);
};

export const viteBuild =
  (name: 'vite' | 'vite7', policy?: Headers): Run =>
  async (project) => {
    const folder = join(project.out, name);
    const warnings = await build(project, 'vite.mjs', name, 'build', folder);
    return pagesIn(folder, warnings, policy);
  };

/** The dev server of Vite. What it warns of goes to its standard error. */
export const viteDev =
  (name: 'vite' | 'vite7'): Run =>
  async ({ folder }) => {
    const logged: string[] = [];
    const trials = await inPages(async (headers) => {
      const args = [join('build', 'vite.mjs'), name, 'dev', JSON.stringify(headers)];
      const { url, stop } = await serveBy(NODE, args, { cwd: folder });
      return { url, close: async () => logged.push(...linesOf((await stop()).stderr)) };
    });
    return trials.map((trial) => ({ ...trial, warnings: [...trial.warnings, ...logged] }));
  };

export const parcelBuild: Run = async (project) => {
  const dist = (control: boolean) => join(project.out, control ? 'parcel-control' : 'parcel');
  const warnings = await warningsOf(project, 'page', (cwd, control) => {
    const options = ['--no-cache', '--log-level', 'warn', '--dist-dir', dist(control)];
    return run(commandOf(project, 'parcel'), ['build', 'page/index.html', ...options], { cwd });
  });
  return pagesIn(dist(false), warnings);
};
