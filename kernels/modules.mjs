/**
 * Kernels as values that a build writes into TypeScript modules. kernels/build.mjs calls these for
 * the product's kernels; an app with kernels of its own calls them for its own.
 */

import { readdir, readFile } from 'node:fs/promises';
import asc from 'assemblyscript/asc';

/**
 * The WebAssembly of an AssemblyScript file, `entry` below `folder`, optimised for speed, without
 * assertions, on a memory that its host hands to it. `flags` are further options of the compiler.
 * @throws Error as the compiler gives it, after printing what the compiler said.
 */
export async function compile(folder, entry, flags) {
  const files = new Map();
  const { error, stderr } = await asc.main(
    [
      entry,
      '--outFile=module.wasm',
      '-O3',
      '--noAssert',
      '--runtime=stub',
      '--importMemory',
      '--noExportMemory',
      ...flags,
      `--baseDir=${folder}`,
    ],
    { writeFile: (name, contents) => files.set(name, contents) },
  );
  if (error) {
    process.stderr.write(stderr.toString());
    throw error;
  }
  return files.get('module.wasm');
}

/**
 * The files below `folder` with one of `endings`, by their path there, as strings without comments
 * and indentation; the directives of wgsl/expand.ts stay.
 */
export async function gather(folder, endings) {
  const files = {};
  const names = (await readdir(folder, { recursive: true }))
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => endings.some((ending) => name.endsWith(ending)));
  for (const name of names.sort()) {
    const text = (await readFile(`${folder}/${name}`, 'utf8')).replace(/\/\*.*?\*\//gs, '');
    const lines = text.split('\n').map((line) => line.replace(/\/\/(?!#).*/, '').trim());
    files[name] = lines.filter((line) => line !== '').join('\n');
  }
  return files;
}
