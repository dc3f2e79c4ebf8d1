/** A table of a page is one: a blank line within it makes text of the rows below. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pageOf, ROOT } from '../pages.js';

const listed = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' });
const files = listed.split('\n').filter((file) => pageOf(file) !== undefined);

it.each(files)('%s: rows stand below the heading of a table', (file) => {
  const text = readFileSync(join(ROOT, file), 'utf8').replace(/^ *```.*?^ *```$/gms, '');
  const tables = text.match(/(^\|.*\n)+/gm) ?? [];
  const torn = tables.filter((table) => !/^\|[\s:|-]+\|$/.test(table.split('\n')[1] ?? ''));
  expect(torn).toEqual([]);
});
