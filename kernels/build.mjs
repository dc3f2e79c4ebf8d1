/**
 * Compiles the AssemblyScript kernels and gathers the shaders, and writes both as TypeScript modules, so that neither a
 * bundler plugin nor a fetch is needed to load them: generated/cpu.ts, generated/wgsl.ts.
 */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const here = fileURLToPath(new URL('.', import.meta.url));

const files = new Map();
const { error, stderr } = await asc.main(
  [
    'cpu/wasm/index.ts',
    '--outFile=cpu.wasm',
    '-O3',
    '--noAssert',
    '--runtime=stub',
    '--enable=threads,simd,bulk-memory',
    '--importMemory',
    '--noExportMemory',
    '--sharedMemory',
    '--initialMemory=1',
    '--maximumMemory=65536',
    `--baseDir=${here}`,
  ],
  { writeFile: (name, contents) => files.set(name, contents) },
);
if (error) {
  process.stderr.write(stderr.toString());
  throw error;
}

const wasm = files.get('cpu.wasm');
const base64 = Buffer.from(wasm).toString('base64');
await mkdir(`${here}generated`, { recursive: true });
await writeFile(
  `${here}generated/cpu.ts`,
  `/** The WebAssembly module of cpu/wasm, ${wasm.length} bytes, in base64. */\nexport const CPU_WASM: string =\n  '${base64}';\n`,
);

/** The .wgsl files as strings, without comments and indentation; the directives of expand.ts stay. */
const wgsl = {};
for (const name of (await readdir(`${here}wgsl`)).filter((name) => name.endsWith('.wgsl')).sort()) {
  const text = await readFile(`${here}wgsl/${name}`, 'utf8');
  const lines = text.split('\n').map((line) => line.replace(/\/\/(?!#).*/, '').trim());
  wgsl[name] = lines.filter((line) => line !== '').join('\n');
}
await writeFile(
  `${here}generated/wgsl.ts`,
  `/** The files of wgsl/ by name. */\nexport const WGSL: Readonly<Record<string, string>> = ${JSON.stringify(wgsl, null, 2)};\n`,
);
