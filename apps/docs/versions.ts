/**
 * The menu of versions. The site shows one, the newest, and says of each what it has changed:
 * that needs no network, and no copy of the site for each version. All is in CHANGELOG.md.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, slugOf } from './pages.js';

interface Version {
  /** As the changelog's heading has it: "Unreleased", "0.1.0", "0.1.0, not published". */
  readonly title: string;
  /** Markdown. */
  readonly changes: string;
}

/** The newest first. */
export function readVersions(
  changelog: string = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'),
): Version[] {
  const sections = changelog.split(/^## /m).slice(1);
  return sections.map((section) => {
    const [title = '', ...lines] = section.split('\n');
    return { title, changes: lines.join('\n').trim() };
  });
}

/** The version that the packages of this checkout have. */
export const versionNow = (): string =>
  JSON.parse(readFileSync(join(ROOT, 'packages/keysweep/package.json'), 'utf8')).version;

/** For the navigation: called by the version that the site shows. */
export function versionMenu(versions: readonly Version[], now: string = versionNow()) {
  const items = versions.map(({ title }) => ({
    text: `${title}: changes`,
    link: `/changelog#${slugOf(title)}`,
  }));
  const feed = { text: 'Changes as a feed', link: '/changelog.xml', target: '_self' };
  return { text: now, items: [...items, feed] };
}
