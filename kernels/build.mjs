/**
 * Compiles the AssemblyScript kernels and gathers the shaders, and writes both as TypeScript
 * modules, so that neither a bundler plugin nor a fetch is needed to load them: generated/cpu.ts,
 * generated/text.ts, generated/wgsl.ts, generated/wgsl-segments.ts,
 * generated/webgl2.ts. Writes the layouts of the kernels' structs, too:
 * generated/cpu-blocks.ts, and generated/layouts.ts of the shaders'.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compile, gather } from './modules.mjs';
import { textOf } from './wasm-text.mjs';
import { layoutOf, SHARED_STRUCTS } from './wgsl/layouts.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Memory that several threads work on. */
const SHARED = ['--sharedMemory', '--maximumMemory=65536'];

/** The WebAssembly module of an entry in cpu/wasm. */
const wasmOf = (entry, memory = SHARED) =>
  compile(here, `cpu/wasm/${entry}`, [
    // Inlines less, where it makes no difference: a kilobyte less to load.
    '--shrinkLevel=1',
    // Instances of one function side by side, where gzip finds them alike.
    '--runPasses=reorder-functions-by-name',
    '--enable=threads,simd,bulk-memory',
    '--initialMemory=1',
    ...memory,
  ]);

await mkdir(`${here}generated`, { recursive: true });
await writeFile(
  `${here}generated/cpu.ts`,
  `/** The WebAssembly modules of cpu/wasm, as text: see cpu/wasm-bytes.ts. */
export const CPU_WASM = ${JSON.stringify(textOf(await wasmOf('index.ts')), null, 2)};

/** The module of threads that move rows: few programs load it. */
export const GATHER_WASM = ${JSON.stringify(textOf(await wasmOf('gather.ts')), null, 2)};

/** The module of a table's fields, for one thread. */
export const FIELDS_WASM = ${JSON.stringify(textOf(await wasmOf('fields.ts', [])), null, 2)};

/** The module that finds keys between two words, for one thread. */
export const SELECTION_WASM = ${JSON.stringify(textOf(await wasmOf('selection.ts', [])), null, 2)};

/** The module that spells strings in an alphabet. */
export const SPELLING_WASM = ${JSON.stringify(textOf(await wasmOf('spelling.ts')), null, 2)};

/** The module that divides numbers by splitters, for one thread. */
export const SPLIT_WASM = ${JSON.stringify(textOf(await wasmOf('split.ts', [])), null, 2)};
`,
);

// The page worker's text takes cpu.ts from the module that starts it, but brings this one along.
await writeFile(
  `${here}generated/text.ts`,
  `/** The WebAssembly module that reads the others, as text: see cpu/wasm-bytes.ts. */
export const TEXT_WASM = ${JSON.stringify(textOf(await wasmOf('text.ts', [])), null, 2)};
`,
);

/** The byte offsets of a struct's fields, and its size, as AssemblyScript lays it out. */
function layOut(fields) {
  let bytes = 0;
  const offsets = fields.map(([, name, bits]) => {
    const size = Number(bits) / 8;
    const at = Math.ceil(bytes / size) * size;
    bytes = at + size;
    return `  ${name}: ${at},\n`;
  });
  return `  bytes: ${Math.ceil(bytes / 8) * 8},\n${offsets.join('')}`;
}

const source = await readFile(`${here}cpu/wasm/blocks.ts`, 'utf8');
const blocks = Array.from(
  source.matchAll(/^export class (\w+) \{\n(.*?)^\}/gms),
  ([, name, body]) => {
    const fields = layOut([...body.matchAll(/^ {2}(\w+): u(32|64);$/gm)]);
    return `
/** Byte offsets in \`${name}\`. */
export const ${name.toUpperCase()} = {
${fields}} as const;
`;
  },
);
await writeFile(
  `${here}generated/cpu-blocks.ts`,
  `/** The structs of cpu/wasm/blocks.ts: their bytes, and the offset of each field. */
${blocks.join('')}`,
);

/** Writes the module `name` with the constant `constant`: texts by the names of their files. */
const writeFiles = (name, constant, what, files) =>
  writeFile(
    `${here}generated/${name}.ts`,
    `/** ${what}, by name. */
export const ${constant}: Readonly<Record<string, string>> =
  ${JSON.stringify(Object.fromEntries(files), null, 2)};
`,
  );

const webgl2 = Object.entries(await gather(`${here}webgl2`, ['.glsl', '.kernel.js']));
await writeFiles('webgl2', 'WEBGL2', 'The files of webgl2/', webgl2);

/** An `//#include` of wgsl/expand.ts. */
const INCLUDE = /^\/\/#include (\S+)$/gm;
const includesIn = (text) => Array.from(text.matchAll(INCLUDE), ([, name]) => name);

/**
 * `files` with every fragment that only one place of them includes at that place. So a page has no
 * more to download for a kernel that is cut into files. Kernels of segments stay as they are,
 * because gzip makes their module smaller that way.
 */
function inlined(files) {
  const includes = Object.values(files).flatMap(includesIn);
  const isSingle = (name) => includes.indexOf(name) === includes.lastIndexOf(name);
  for (const [file, text] of Object.entries(files)) {
    const single = file.startsWith('segments/') ? undefined : includesIn(text).find(isSingle);
    if (single === undefined) continue;
    const { [single]: fragment, ...others } = files;
    const line = `//#include ${single}`;
    return inlined({ ...others, [file]: text.replace(line, () => fragment) });
  }
  return files;
}

// The kernels for segments, and fragments that no other kernel has, are a module of their own:
// whoever sorts no segments does not load it.
const wgsl = inlined(await gather(`${here}wgsl`, ['.wgsl']));
const included = new Set();
const include = (name) => {
  if (included.has(name)) return;
  included.add(name);
  for (const other of includesIn(wgsl[name])) include(other);
};
for (const name of Object.keys(wgsl)) {
  if (!/^(segments|fragments)\//.test(name)) include(name);
}
const isSegments = ([name]) => !included.has(name);
const files = Object.entries(wgsl);
const others = files.filter((file) => !isSegments(file));
await writeFiles('wgsl', 'WGSL', 'The files of wgsl/, but for those of segments', others);
const ofSegments = files.filter(isSegments);
await writeFiles('wgsl-segments', 'WGSL_SEGMENTS', 'The files of wgsl/ for segments', ofSegments);

const layouts = {};
for (const [file, names] of Object.entries(SHARED_STRUCTS)) {
  const text = await readFile(`${here}wgsl/${file}`, 'utf8');
  for (const name of names) layouts[name] = layoutOf(text.replace(/\/\/.*/g, ''), name);
}
await writeFile(
  `${here}generated/layouts.ts`,
  `/** Byte offsets of the fields of structs in wgsl/, and their sizes. */
export const LAYOUTS = ${JSON.stringify(layouts, null, 2)} as const;
`,
);
