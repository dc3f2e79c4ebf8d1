/**
 * Gathers the shaders of kernels/wgsl/papers, compiles the AssemblyScript of kernels/cpu/papers,
 * and writes both as TypeScript modules: generated/wgsl.ts, generated/cpu.ts. The kernels as they
 * are written are in generated/texts.ts, for readers. The package is private: nothing of them is
 * published.
 */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { gather } from '../../kernels/gather.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const kernels = fileURLToPath(new URL('../../kernels/', import.meta.url));

const files = new Map();
const { error, stderr } = await asc.main(
  [
    'cpu/papers/index.ts',
    '--outFile=papers.wasm',
    '-O3',
    '--noAssert',
    '--runtime=stub',
    '--enable=simd,bulk-memory',
    '--importMemory',
    '--noExportMemory',
    `--baseDir=${kernels}`,
  ],
  { writeFile: (name, contents) => files.set(name, contents) },
);
if (error) {
  process.stderr.write(stderr.toString());
  throw error;
}

await mkdir(`${here}generated`, { recursive: true });
await writeFile(
  `${here}generated/cpu.ts`,
  `/** The WebAssembly module of kernels/cpu/papers, in base64. */
export const PAPERS_WASM: string =
  '${Buffer.from(files.get('papers.wasm')).toString('base64')}';
`,
);

const shaders = await gather(`${kernels}wgsl/papers`, ['.wgsl']);
const named = Object.entries(shaders).map(([name, text]) => [`papers/${name}`, text]);
await writeFile(
  `${here}generated/wgsl.ts`,
  `/** The files of kernels/wgsl/papers by name. */
export const PAPERS_WGSL: Readonly<Record<string, string>> =
  ${JSON.stringify(Object.fromEntries(named), null, 2)};
`,
);

const texts = {};
for (const folder of ['wgsl/papers', 'cpu/papers']) {
  for (const name of (await readdir(kernels + folder)).sort()) {
    if (!/\.(wgsl|ts)$/.test(name) || name === 'index.ts') continue;
    const file = `${folder}/${name}`;
    const text = await readFile(kernels + file, 'utf8');
    texts[name.replace(/\.\w+$/, '')] = { file: `kernels/${file}`, text };
  }
}
await writeFile(
  `${here}generated/texts.ts`,
  `/** The kernels of the papers as they are written, by name: their files in the repository. */
export const TEXTS: Readonly<Record<string, { readonly file: string; readonly text: string }>> =
  ${JSON.stringify(texts, null, 2)};
`,
);
