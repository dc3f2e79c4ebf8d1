/**
 * The recipes of docs/gpu-buffers.md, as they stand there, with the packed packages and the engines
 * in Chromium: an engine writes keys on the GPU, and reads back the order that RadixSorter made.
 */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSeed } from '@keysweep/conformance/data';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TEXTURE_CANVAS } from '../../../tools/test/example-canvas.js';
import { readBlockBelow } from '../../../tools/test/recipes.js';
import { closeBrowser, ISOLATED, type Site, serve, visit } from './pages.js';
import { npm, PACKAGES, pack } from './project.js';

const SOURCES = fileURLToPath(new URL('../consumers/gpu-buffers/', import.meta.url));
const SEED = runSeed();

/** The files of `consumers/gpu-buffers`, and where their recipes stand. */
const HEADINGS = {
  babylon: 'Babylon.js',
  playcanvas: 'PlayCanvas',
  typegpu: 'TypeGPU',
  luma: 'luma.gl',
  onnx: 'ONNX Runtime Web',
  tfjs: 'TensorFlow.js',
} as const;
const NAMES = Object.keys(HEADINGS) as (keyof typeof HEADINGS)[];

interface Outcome {
  /** Frames whose order is not that of JavaScript's own sort. */
  readonly wrong: readonly string[];
  /** By how many buffers later frames have more than the second one. */
  readonly grown: number;
  /** Labels of keysweep's buffers once the recipe is disposed of. */
  readonly left: readonly string[];
}

let base: string;
let site: Site;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'keysweep-gpu-buffers-'));
  const folder = join(base, 'project');
  await cp(SOURCES, folder, { recursive: true });
  const tarballs = await pack(PACKAGES, join(base, 'tarballs'));
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const dependencies = { ...manifest.dependencies, ...tarballs };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, dependencies }));
  await npm(folder, 'install', '--prefer-offline');
  for (const name of NAMES) {
    const recipe = await readBlockBelow('gpu-buffers.md', HEADINGS[name]);
    await writeFile(join(folder, `${name}-recipe.js`), recipe);
  }
  const outdir = join(folder, 'dist');
  const entryPoints = NAMES.map((name) => join(folder, `${name}.js`));
  await build({ entryPoints, outdir, bundle: true, splitting: true, format: 'esm' });
  for (const name of NAMES) {
    const page = '<!doctype html><link rel="icon" href="data:,"><canvas></canvas>';
    const script = `<script type="module" src="${name}.js"></script>`;
    await writeFile(
      join(outdir, `${name}.html`),
      `${page}<script>${TEXTURE_CANVAS}</script>${script}`,
    );
  }
  // The runtime's WebAssembly.
  const runtime = join(folder, 'node_modules/onnxruntime-web/dist');
  await cp(runtime, join(outdir, 'onnxruntime-web'), { recursive: true });
  site = await serve(outdir, ISOLATED);
});

afterAll(async () => {
  await closeBrowser();
  await site?.close();
  await rm(base, { recursive: true });
});

it.each(NAMES)(`%s reads orders that RadixSorter made (KEYSWEEP_SEED=${SEED})`, async (name) => {
  const { outcome, warnings } = await visit<Outcome>(`${site.url}/${name}.html?seed=${SEED}`);
  expect(warnings).toEqual([]);
  expect(outcome.wrong).toEqual([]);
  expect(outcome.grown).toBe(0);
  // What all sorters of a device share.
  expect(outcome.left).toEqual(['keysweep numbers']);
});
