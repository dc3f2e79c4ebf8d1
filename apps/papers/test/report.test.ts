/** The document, as `npm run report` writes it. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wantedFiles } from '@keysweep/bench/report/documents.js';
import { expect, it } from 'vitest';
import book from '../src/report/book.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

it('has what its records say, and cites each: else run npm run report', () => {
  const files = wantedFiles(ROOT, book);
  const isAsWanted = ({ path, text }: (typeof files)[number]): boolean =>
    existsSync(join(ROOT, path)) && readFileSync(join(ROOT, path), 'utf8') === text;
  expect(files.filter((file) => !isAsWanted(file)).map(({ path }) => path)).toEqual([]);
  expect(files.map(({ path }) => path)).toEqual([
    'apps/papers/README.md',
    'apps/papers/charts/papers-gpu.svg',
    'apps/papers/charts/papers-cpu.svg',
  ]);
  const [{ text } = { text: '' }] = files;
  const records = readdirSync(join(ROOT, book.records), { recursive: true, encoding: 'utf8' });
  const missing = records.filter((path) => path.endsWith('.json') && !text.includes(path));
  expect(missing).toEqual([]);
});
