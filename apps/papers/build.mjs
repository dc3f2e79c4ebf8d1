/** Writes the kernels as TypeScript modules, as the product's are: generated/wgsl.ts and cpu.ts. */

import { mkdir, writeFile } from 'node:fs/promises';
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
