/** `report`: writes tables and charts that are made from records into documents. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Command } from '../program/command.js';
import { type Book, bookAt, wantedFiles } from './documents.js';

const help = `Makes what stands between markers in README.md, ARCHITECTURE.md and docs anew,
from records:

  <!-- report: SECTION RECORD … -->
  <!-- end -->

SECTION is a name in apps/bench/src/report/sections.ts, RECORD a path in apps/bench/records without
.json.

  --check      writes nothing, and fails where a file is not as it would be written
  --book FILE  also the documents of another app: FILE is a module whose default export is a Book
               (apps/bench/src/report/documents.ts)`;

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      check: { type: 'boolean', default: false },
      book: { type: 'string', multiple: true, default: [] },
    },
  });
  const books = [bookAt(ROOT), ...(await Promise.all(values.book.map(readBook)))];
  const wanted = books.flatMap((book) => wantedFiles(ROOT, book));
  const changed = wanted.filter(({ path, text }) => {
    const file = join(ROOT, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  for (const { path, text } of changed) {
    console.log(`${values.check ? 'not as its records: ' : ''}${path}`);
    if (values.check) continue;
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
  return !values.check || changed.length === 0;
}

async function readBook(file: string): Promise<Book> {
  const { default: book } = await import(pathToFileURL(resolve(file)).href);
  return book;
}

export const command: Command = { help, run };
