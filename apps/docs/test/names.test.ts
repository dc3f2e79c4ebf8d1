/** A page has one name everywhere: links call it by its title, not by the name of its file. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linkedFrom, pageOf, ROOT, titleOf } from '../pages.js';

/** The labels of a text's links to pages, each with the file that it leads to. */
const labelsIn = (file: string, text: string): (readonly [label: string, linked: string])[] =>
  [...text.matchAll(/\[([^\]]+)\]\(([^)#\s]+\.md)(?:#[^)]*)?\)/g)]
    .map(([, label = '', target = '']) => [label, linkedFrom(file, target)] as const)
    .filter(([, linked]) => pageOf(linked) !== undefined);

it.each(['README.md', 'docs/README.md', 'docs/start.md'])(
  '%s calls pages by their titles in tables',
  (file) => {
    const rows = readFileSync(join(ROOT, file), 'utf8').match(/^\|.*$/gm) ?? [];
    const whole = rows.join('\n').replace(/\[[^\]]*\]\([^)]*#[^)]*\)/g, '');
    // Examples go by the name of the folder, which is what the command takes.
    const links = labelsIn(file, whole).filter(([, linked]) => !linked.startsWith('examples/'));
    expect(links.length).toBeGreaterThan(3);
    expect(links.map(([label]) => label)).toEqual(links.map(([, linked]) => titleOf(linked)));
  },
);

it('no document calls a page by the name of its file', () => {
  const documents = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file.replaceAll('\\', '/')}`);
  const named = documents.flatMap((file) =>
    labelsIn(file, readFileSync(join(ROOT, file), 'utf8')).filter(([label]) => /\.md$/.test(label)),
  );
  expect(documents.length).toBeGreaterThan(20);
  expect(named).toEqual([]);
});
