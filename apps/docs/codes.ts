/** A page for each error and warning, so that each has an address: sections of docs/errors.md. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './pages.js';

/** Where the pages are written, for the site alone. */
export const CODES = 'apps/docs/generated/codes';

/** Every code and error that a heading of docs/errors.md names, with the section below it. */
export function readCodes(): Map<string, string> {
  const sections = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8').split(/^###? /m);
  return new Map(
    sections.flatMap((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const text = lines.join('\n').trim();
      return Array.from(heading.matchAll(/`(.*?)`/g), ([, name = '']): [string, string] => [
        name,
        text,
      ]);
    }),
  );
}

/** Writes the pages anew. They are not searched: docs/errors.md has all that they say. */
export function writeCodes(): void {
  const folder = join(ROOT, CODES);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of readCodes()) {
    // Links of the section are seen from docs.
    const section = text
      .replace(/\]\(#/g, '](errors.md#')
      .replace(/\]\((?!https?:)/g, '](../../../../docs/');
    const page = `---
search: false
---
# \`${name}\`

${section}

[Errors and warnings](../../../../docs/errors.md) has all others.
`;
    writeFileSync(join(folder, `${name}.md`), page);
  }
}
