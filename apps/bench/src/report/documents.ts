/** The documents of the project, with their parts made anew from records. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Context, Source } from './markdown.js';
import { fillParts } from './markers.js';
import { makeSection } from './sections.js';

/** A file as it has to be. */
export interface WantedFile {
  /** Below the project's root. */
  readonly path: string;
  readonly text: string;
}

/** The documents of the project at `root` and their charts. @throws Error naming the document. */
export function wantedFiles(root: string): WantedFile[] {
  return documentsOf(root).flatMap((path) => {
    const charts: WantedFile[] = [];
    const link = (target: string): string =>
      relative(dirname(join(root, path)), join(root, target))
        .split(sep)
        .join('/');
    const context: Context = {
      link,
      chart(name, description, text) {
        const path = `docs/charts/${name}.svg`;
        charts.push({ path, text });
        return `![${description}](${link(path)})`;
      },
    };
    try {
      const text = fillParts(readFileSync(join(root, path), 'utf8'), (section, names) => {
        const sources = names.flatMap((name) => readSources(root, name));
        return makeSection(section, sources, context);
      });
      return [{ path, text }, ...charts];
    } catch (error) {
      throw new Error(`${path}: ${(error as Error).message}`);
    }
  });
}

function documentsOf(root: string): string[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return [
    'README.md',
    'ARCHITECTURE.md',
    ...docs.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`),
  ];
}

/** The record `name`; where that ends with `*`, all records whose names begin so. */
function readSources(root: string, name: string): Source[] {
  const folder = join(root, 'apps/bench/records');
  const read = (one: string): Source => ({
    name: one,
    record: JSON.parse(readFileSync(join(folder, `${one}.json`), 'utf8')),
  });
  if (!name.endsWith('*')) return [read(name)];
  const machine = dirname(name);
  const found = readdirSync(join(folder, machine))
    .map((file) => `${machine}/${file.replace(/\.json$/, '')}`)
    .filter((one) => one.startsWith(name.slice(0, -1)));
  if (found.length === 0) throw new Error(`no record '${name}'`);
  return found.sort().map(read);
}
