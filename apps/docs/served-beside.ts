/**
 * Besides its pages, the site has the comparison page, examples, the pages as text, and the types
 * of names in their code.
 */

import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sirv from 'sirv';
import type { SiteConfig } from 'vitepress';
import { readBlocks } from './blocks/code-blocks.js';
import { contents, type Part } from './contents.js';
import { addressOn, linkFrom, pageOf, ROOT, SOURCE, slugOf } from './pages.js';
import { readTypes } from './types.js';
import { readVersions } from './versions.js';

/** From an address to a folder: apps that are built already, and the charts of documents. */
const FOLDERS = [
  ['charts', 'docs/charts'],
  ['compare', 'apps/compare/dist'],
  ['live', 'apps/docs/generated/live'],
] as const;

/** Serves the comparison page while documents are written. */
export const comparePage = () => ({
  name: 'compare-page',
  configureServer({ middlewares }: { middlewares: { use(path: string, serve: unknown): void } }) {
    for (const [path, folder] of FOLDERS)
      middlewares.use(`/${path}`, sirv(join(ROOT, folder), { dev: true }));
  },
});

/** Copies and writes what belongs beside the built pages. */
export async function writeBeside({ outDir, pages, site }: SiteConfig): Promise<void> {
  for (const [path, folder] of FOLDERS) {
    await cp(join(ROOT, folder), join(outDir, path), { recursive: true });
    await keepOnSite(join(outDir, path));
  }
  for (const file of pages) {
    const twin = join(outDir, pageOf(file) ?? file);
    await mkdir(dirname(twin), { recursive: true });
    await writeFile(twin, twinOf(file, await readFile(join(ROOT, file), 'utf8')));
  }
  for (const [page, types] of readTypes(await readBlocks())) {
    const file = join(outDir, 'types', page.replace(/md$/, 'json'));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(types));
  }
  await inlineStyles(outDir, 'index.html');
  await writeFile(join(outDir, 'llms.txt'), listOf(`# keysweep\n\n> ${site.description}.\n`));
  await writeFile(join(outDir, 'changelog.xml'), feedOf(readVersions()));
}

/**
 * Writes the styles of a page into it, so that it is painted after a single request, and its
 * scripts fit into the six requests that a browser sends at once: a seventh would wait for the
 * answer to one of them. They stand last, because links to scripts have to be found first.
 */
async function inlineStyles(outDir: string, page: string): Promise<void> {
  const html = await readFile(join(outDir, page), 'utf8');
  const links = [...html.matchAll(/ *<link rel="preload stylesheet" href="([^"]+)"[^>]*>\n/g)];
  const styles = await Promise.all(
    links.map(([, href = '']) => readFile(join(outDir, href), 'utf8')),
  );
  const bare = links.reduce((text, [link]) => text.replace(link, ''), html);
  // A function, because styles may hold what `replace` reads as a pattern.
  const whole = bare.replace('</head>', () => `<style>${styles.join('')}</style>\n  </head>`);
  await writeFile(join(outDir, page), whole);
}

/** Links of an app's pages to documents lead to the site's own pages. */
async function keepOnSite(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.html'))) {
    const html = await readFile(join(folder, file), 'utf8');
    const onSite = html.replace(
      / href="(https:[^"]+)"/g,
      (_, href) => ` href="${addressOn(href)}"`,
    );
    await writeFile(join(folder, file), onSite);
  }
}

/** A page's Markdown, with links that lead to other pages' Markdown. */
const twinOf = (file: string, text: string): string =>
  text.replace(/\]\(([^()\s]+)\)/g, (_, target) => `](${linkFrom(file, target)})`);

/** All pages in their parts, as https://llmstxt.org has it. */
const listOf = (head: string): string =>
  contents().reduce((list, { text, items }) => `${list}\n## ${text}\n\n${linesOf(items)}`, head);

const linesOf = (items: Part['items']): string =>
  items.map(({ text, link }) => `- [${text}](${link.replace(/\/$/, '/index')}.md)\n`).join('');

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The releases of the changelog, the newest first. */
function feedOf(versions: ReturnType<typeof readVersions>): string {
  const page = `${SOURCE}/blob/main/CHANGELOG.md`;
  const items = versions.map(({ title, changes }) => {
    const link = `${page}#${slugOf(title)}`;
    const head = `<title>${escaped(title)}</title><guid>${link}</guid><link>${link}</link>`;
    return `<item>${head}<description>${escaped(changes)}</description></item>`;
  });
  const head = `<title>keysweep</title><link>${page}</link><description>Changes</description>`;
  return `<rss version="2.0"><channel>${head}${items.join('\n')}</channel></rss>\n`;
}
