/** docs/errors.md has a section for every code and every error that the packages can give. */

import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BACKEND_NAMES } from '@keysweep/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CODES, readCodes, writeCodes } from '../codes.js';
import { linkedFrom, ROOT } from '../pages.js';

const PACKAGES = join(ROOT, 'packages');

/** A package that finds mistakes in others. */
const NOT_FOR_USERS = /^conformance\//;

/** The sources of all packages, by their path below `packages`. */
async function readSources(): Promise<Map<string, string>> {
  const all = await readdir(PACKAGES, { recursive: true });
  const files = all
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /^[^/]+\/src\/.*\.ts$/.test(file) && !NOT_FOR_USERS.test(file));
  const texts = files.map((file) => readFile(join(PACKAGES, file), 'utf8'));
  return new Map((await Promise.all(texts)).map((text, i) => [files[i] as string, text]));
}

const BACKEND = /\$\{BackendName\}/;

/** The members of a union of strings; `${BackendName}-x` stands for one of each backend. */
function unionOf(text: string, name: string): string[] {
  const [, body = ''] = new RegExp(`type ${name} =([^;]*);`).exec(text) ?? [];
  const members = Array.from(body.matchAll(/['`](.*?)['`]/g), ([, member = '']) => member);
  return members.flatMap((member) =>
    BACKEND.test(member) ? BACKEND_NAMES.map((name) => member.replace(BACKEND, name)) : [member],
  );
}

const sources = await readSources();
const contract = sources.get('core/src/contract.ts') ?? '';
const codes = unionOf(contract, 'WarningCode');
/** The errors that packages export. */
const errors: string[] = [];
for (const [file, text] of sources) {
  const [folder] = file.split('/', 1);
  for (const [, name = ''] of text.matchAll(/^export class (\w+) extends \w*Error\b/gm)) {
    const entry = await import(`../../../packages/${folder}/dist/index.js`);
    if (name in entry) errors.push(name);
  }
}
/** All of the packages, where a message that is written in two parts is one. */
const joined = [...sources.values()].join('\n').replace(/['"] \+\s*['"]/g, '');

/** What the headings of the page name in backticks, each with the section below. */
const sections = readCodes();

describe('a code of a warning has its section, with what is lost and the remedy', () => {
  it.each(codes)('%s', (code) => {
    expect(sections.get(code)).toMatch(/\*\*Lost\*\*.*\*\*Remedy/s);
  });

  it('and the page has no other', () => {
    const lost = [...sections].filter(([, text]) => text.includes('**Lost**'));
    expect(lost.map(([name]) => name).sort()).toEqual([...codes].sort());
  });
});

describe('an error that a package exports has its section, with when and the remedy', () => {
  it.each(errors)('%s', (name) => {
    expect(sections.get(name)).toMatch(/\*\*When\*\*.*\*\*Remedy/s);
  });

  it('and the page has no other but codes of the language', () => {
    const described = [...sections].filter(([, text]) => text.includes('**When**'));
    const known = [...errors, 'TypeError', 'RangeError'];
    expect(described.map(([name]) => name).sort()).toEqual(known.sort());
  });
});

it('a reason in the table is one that the packages give', () => {
  const page = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');
  const [, table = ''] = page.split('## Reasons');
  const reasons = Array.from(table.matchAll(/^\| `(.*?)` \|/gm), ([, reason = '']) => reason);
  expect(reasons.length).toBeGreaterThan(20);
  // "…" stands for what differs.
  for (const part of reasons.flatMap((reason) => reason.split('…'))) {
    expect(joined.includes(part.trim()), part).toBe(true);
  }
});

describe('a code or an error has a page of its own on the site', () => {
  beforeAll(writeCodes);

  it.each([...sections.keys()])('%s', (name) => {
    const file = join(CODES, `${name}.md`);
    const text = readFileSync(join(ROOT, file), 'utf8');
    expect(text).toContain(`# \`${name}\`\n\n**`);
    const links = Array.from(text.matchAll(/\]\((.*?)\)/g), ([, link = '']) => link);
    const documents = links.map((link) => linkedFrom(file, link));
    expect(documents).toContain('docs/errors.md');
    expect(documents.filter((document) => !existsSync(join(ROOT, document)))).toEqual([]);
  });
});
