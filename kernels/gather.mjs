/** Shaders as text: what the builds write into TypeScript modules. */

import { readdir, readFile } from 'node:fs/promises';

/**
 * The files below `folder` with one of `endings`, by their path there, as strings without comments
 * and indentation; the directives of wgsl/expand.ts stay. Those below `leftOut` are left out.
 */
export async function gather(folder, endings, leftOut) {
  const files = {};
  const names = (await readdir(folder, { recursive: true }))
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .filter((name) => leftOut === undefined || !name.startsWith(`${leftOut}/`));
  for (const name of names.sort()) {
    const text = (await readFile(`${folder}/${name}`, 'utf8')).replace(/\/\*.*?\*\//gs, '');
    const lines = text.split('\n').map((line) => line.replace(/\/\/(?!#).*/, '').trim());
    files[name] = lines.filter((line) => line !== '').join('\n');
  }
  return files;
}
