/** A page has one name everywhere: tables that lead to pages call each by its title. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linkedFrom, pageOf, ROOT, titleOf } from '../pages.js';

it.each(['README.md', 'docs/README.md', 'docs/start.md'])(
  '%s calls pages by their titles',
  (file) => {
    const rows = readFileSync(join(ROOT, file), 'utf8').match(/^\|.*$/gm) ?? [];
    const links = [...rows.join('\n').matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)]
      .map(([, label = '', target = '']) => [label, linkedFrom(file, target)] as const)
      // Examples go by the name of the folder, which is what the command takes.
      .filter(([, linked]) => pageOf(linked) !== undefined && !linked.startsWith('examples/'));
    expect(links.length).toBeGreaterThan(3);
    expect(links.map(([label]) => label)).toEqual(links.map(([, linked]) => titleOf(linked)));
  },
);
