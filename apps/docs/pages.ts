/** Which files of the repository are pages of the site, and where links between them lead. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

/** Where files that are no pages can be read. */
export const SOURCE = 'https://github.com/keysweep/keysweep';

/** Folders whose Markdown is a page under an address of its own: from the folder, to the site. */
const PLACES: readonly (readonly [RegExp, string])[] = [
  [/^README\.md$/, 'index.md'],
  [/^apps\/papers\/README\.md$/, 'papers.md'],
  [/^apps\/docs\/generated\/((reference|codes)\/.+)$/, '$1'],
  [/^docs\/README\.md$/, 'contents.md'],
  [/^docs\/(.+)$/, '$1'],
  [/^ARCHITECTURE\.md$/, 'architecture/index.md'],
  [/^CONTRIBUTING\.md$/, 'contributing.md'],
  [/^SECURITY\.md$/, 'security.md'],
  [/^CHANGELOG\.md$/, 'changelog.md'],
  [/^packages\/([^/]+)\/README\.md$/, 'packages/$1.md'],
  [/^examples\/README\.md$/, 'examples/index.md'],
  [/^examples\/([^/]+)\/README\.md$/, 'examples/$1.md'],
];

/** The comparison page: an app of its own, which the router of this site does not know. */
export const COMPARE = '/compare/';

/** Markdown that is no page. */
export const LEFT_OUT: readonly string[] = [
  '{.*,coverage,kernels,tools}/**',
  'apps/!(docs|papers)/**',
  'apps/papers/!(README).md',
  'apps/papers/*/**',
  'apps/docs/*.md',
  'apps/docs/test/**',
  'packages/*/!(README).md',
  'packages/*/*/**',
  'examples/*/*/**',
];

/** The page of a file, as a path on the site that ends in .md; undefined where it is none. */
export function pageOf(file: string): string | undefined {
  if (!file.endsWith('.md')) return undefined;
  const [from, to] = PLACES.find(([place]) => place.test(file)) ?? [];
  return from === undefined ? undefined : file.replace(from, to as string);
}

/** The file or folder that a relative link of a file of the repository names. */
export const linkedFrom = (file: string, target: string): string =>
  posix.join(posix.dirname(file), decodeURI(target.split('#', 1)[0] ?? '')).replace(/\/$/, '');

/**
 * Where a link of a file leads on the site: to a page, else to the file in the repository.
 * @param file of the repository, with the link
 * @param target of the link: `limits.md#memory`, `../LICENSE`, or an address, which stays
 */
export function linkFrom(file: string, target: string): string {
  if (/^([a-z]+:|\/|#)/.test(target)) return onSite(target);
  const linked = linkedFrom(file, target);
  const [, heading] = target.split('#');
  const hash = heading === undefined ? '' : `#${heading}`;
  if (linked === 'apps/compare') return COMPARE;
  const page = pageOf(linked);
  if (page !== undefined) return `/${page}${hash}`;
  const kind = isFolder(linked) ? 'tree' : 'blob';
  return `${SOURCE}/${kind}/main/${linked}${hash}`;
}

/** Addresses of documents in the repository, as READMEs of packages have them, are pages. */
function onSite(address: string): string {
  const [, file, hash = ''] = /^https:.*\/keysweep\/blob\/main\/([^#]+)(#.*)?$/.exec(address) ?? [];
  const page = file !== undefined && address.startsWith(SOURCE) ? pageOf(file) : undefined;
  return page === undefined ? address : `/${page}${hash}`;
}

/** Where an address of a document in the repository is on the site; another one stays. */
export const addressOn = (address: string): string =>
  address.startsWith(`${SOURCE}#`)
    ? address.replace(SOURCE, '/')
    : onSite(address).replace(/^(\/[^#]*)\.md/, '$1.html');

const isFolder = (path: string): boolean =>
  existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isDirectory();

/** A heading's name in an address, as GitHub makes it. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** The title of a page: its first heading. */
export function titleOf(file: string): string {
  const [, title] = /^# +(.*)$/m.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
  if (title === undefined) throw new Error(`${file} has no heading`);
  return title.replaceAll('`', '');
}

/** READMEs of the folders in a folder of the repository, those that there are. */
export const readmesIn = (folder: string): string[] =>
  (existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder)) : [])
    .map((name) => `${folder}/${name}/README.md`)
    .filter((file) => existsSync(join(ROOT, file)));
