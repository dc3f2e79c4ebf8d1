/** The documents of the project, with their parts made anew from records. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Context, Make, Source } from './markdown.js';
import { fillParts } from './markers.js';
import { SECTIONS } from './sections.js';

/** A file as it has to be. */
export interface WantedFile {
  /** Below the project's root. */
  readonly path: string;
  readonly text: string;
}

/** Documents whose parts are made from records. All paths are below the project's root. */
export interface Book {
  readonly documents: readonly string[];
  /** Folders of records and of charts. */
  readonly records: string;
  readonly charts: string;
  /** What makes each part, by its name. */
  readonly sections: Readonly<Record<string, Make>>;
}

/** The documents of the project at `root`, but those that another app has made. */
export function bookAt(root: string): Book {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const documents = docs.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`);
  return {
    documents: ['README.md', 'ARCHITECTURE.md', ...documents],
    records: 'apps/bench/records',
    charts: 'docs/charts',
    sections: SECTIONS,
  };
}

/** The documents of a book and their charts. @throws Error naming the document. */
export function wantedFiles(root: string, book: Book): WantedFile[] {
  const { documents, records, sections } = book;
  return documents.flatMap((path) => {
    const charts: WantedFile[] = [];
    const link = (target: string): string =>
      relative(dirname(join(root, path)), join(root, target))
        .split(sep)
        .join('/');
    const context: Context = {
      link,
      records,
      chart(name, description, text) {
        const path = `${book.charts}/${name}.svg`;
        charts.push({ path, text });
        return `![${description}](${link(path)})`;
      },
    };
    try {
      const text = fillParts(readFileSync(join(root, path), 'utf8'), (section, names) => {
        const sources = names.flatMap((name) => readSources(join(root, records), name));
        return makeSection(sections, section, sources, context);
      });
      return [{ path, text }, ...charts];
    } catch (error) {
      throw new Error(`${path}: ${(error as Error).message}`);
    }
  });
}

/**
 * The text of a section, with links to its records.
 * @throws Error for a section that there is not, or that the records do not suit.
 */
export function makeSection(
  sections: Book['sections'],
  section: string,
  sources: readonly Source[],
  context: Context,
): string {
  const make = sections[section];
  if (make === undefined) throw new Error(`there is no section '${section}'`);
  return make(sources as readonly Source<never>[], context);
}

/** The record `name`; where that ends with `*`, all records whose names begin so. */
function readSources(folder: string, name: string): Source[] {
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
