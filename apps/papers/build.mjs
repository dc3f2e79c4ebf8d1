/**
 * Writes the kernels as TypeScript modules, by what builds the product's: generated/wgsl.ts,
 * generated/cpu.ts; and as they are written, for readers of the page: generated/texts.ts.
 */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compile, gather } from '../../kernels/modules.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const json = (value) => JSON.stringify(value, null, 2);

/** Writes one constant into a module of its own. */
async function write(module, comment, declaration, value) {
  await mkdir(`${here}generated`, { recursive: true });
  const text = `/** ${comment} */\nexport const ${declaration} =\n  ${value};\n`;
  await writeFile(`${here}generated/${module}.ts`, text);
}

const wasm = await compile(here, 'kernels/cpu/index.ts', ['--enable=simd,bulk-memory']);
const base64 = `'${Buffer.from(wasm).toString('base64')}'`;
await write('cpu', 'The WebAssembly module of kernels/cpu, in base64.', 'WASM: string', base64);

const shaders = json(await gather(`${here}kernels/wgsl`, ['.wgsl']));
const byName = 'WGSL: Readonly<Record<string, string>>';
await write('wgsl', 'The files of kernels/wgsl by name.', byName, shaders);

const texts = {};
for (const folder of ['kernels/wgsl', 'kernels/cpu']) {
  for (const name of (await readdir(here + folder)).sort()) {
    if (!/\.(wgsl|ts)$/.test(name) || name === 'index.ts') continue;
    const file = `${folder}/${name}`;
    const text = await readFile(here + file, 'utf8');
    texts[name.replace(/\.\w+$/, '')] = { file: `apps/papers/${file}`, text };
  }
}
const texted = 'TEXTS: Readonly<Record<string, { readonly file: string; readonly text: string }>>';
await write('texts', 'The kernels as they are written, with their files.', texted, json(texts));
