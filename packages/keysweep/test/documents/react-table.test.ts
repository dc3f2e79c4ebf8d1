/**
 * The table in React of the documents, as it stands there, in Chromium, with a million rows in a
 * thorough run.
 */

import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isThorough, runSeed } from '@keysweep/conformance/data';
import { type Browser, chromium as engine, type Page } from 'playwright';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { chromium } from '../../../../tools/chromium.js';
import { readRecipe } from '../../../../tools/test/recipes.js';
import { type Site, serve } from '../pages/sites.js';

const PAGE = fileURLToPath(new URL('react-table/', import.meta.url));
/** From here keysweep and React are found. */
const GENERATED = fileURLToPath(new URL('generated/', import.meta.url));
const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
const ROWS = isThorough ? 1_000_000 : 300_000;
const SEED = runSeed();

/** Milliseconds until what is waited for counts as missing. */
const TIMEOUT = 500_000;

interface Row {
  readonly id: number;
  readonly name: string;
  readonly city: string | null;
  readonly born: Date;
}

let folder: string;
let site: Pick<Site, 'url' | 'close'>;
let browser: Browser;
let rows: Row[];

beforeAll(async () => {
  await mkdir(GENERATED, { recursive: true });
  folder = await mkdtemp(join(GENERATED, 'table-'));
  await cp(PAGE, folder, { recursive: true });
  await writeFile(join(folder, 'table.jsx'), await readRecipe('react-table'));
  await build({ root: folder, logLevel: 'warn' });
  site = await serve(join(folder, 'dist'), ISOLATED);
  browser = await engine.launch(chromium());
  const { makeRows } = await import('./react-table/rows.js' as string);
  rows = makeRows(SEED, ROWS);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await rm(folder, { recursive: true });
});

/** Scrolls so far down, 0 to 1. Resolves to the rows that can then be seen: place, and cells. */
function rowsAt(page: Page, share: number): Promise<[number, string[]][]> {
  return page.evaluate(async (share) => {
    const scroller = document.querySelector('main > div') as HTMLElement;
    scroller.scrollTop = share * (scroller.scrollHeight - scroller.clientHeight);
    // Browsers tell of a scroll with the next frame.
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
    const frame = scroller.getBoundingClientRect();
    return [...scroller.querySelectorAll('tbody tr')].flatMap((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      if (top < frame.top || bottom > frame.bottom) return [];
      const cells = [...row.children].map((cell) => cell.textContent ?? '');
      return [[Number(row.ariaRowIndex) - 2, cells] as [number, string[]]];
    });
  }, share);
}

const textsOf = ({ id, name, city, born }: Row): string[] => [
  `${id}`,
  name,
  `${city}`,
  born.toISOString().slice(0, 10),
];

async function expectOrder(page: Page, sorted: readonly Row[]): Promise<void> {
  for (const share of [0, 0.013, 0.5, 0.99, 1]) {
    const seen = await rowsAt(page, share);
    expect(seen).toHaveLength(20);
    const first = Math.round(share * (ROWS - 20));
    // Scrolled by whole pixels: a pixel is less than a row's share of a percent.
    expect(Math.abs((seen[0]?.[0] as number) - first)).toBeLessThan(3);
    expect(seen).toEqual(seen.map(([place]) => [place, textsOf(sorted[place] as Row)]));
  }
}

/** A key's part of the order: whole numbers below 2^bits. */
interface Field {
  readonly bits: number;
  readonly of: (row: Row) => number;
}

/** The rows by these fields, by the engine's own sort of their numbers: the row's comes last. */
function inOrder(...fields: readonly Field[]): Row[] {
  const keys = Float64Array.from(rows, (row) => {
    const key = fields.reduce((key, { bits, of }) => key * 2 ** bits + of(row), 0);
    return key * 2 ** 20 + row.id;
  });
  return Array.from(keys.sort(), (key) => rows[key % 2 ** 20] as Row);
}

/** By the collator; names that it takes for equal have one rank. */
function byName(): Field {
  const { compare } = new Intl.Collator('en', { sensitivity: 'base', numeric: true });
  const names = [...new Set(rows.map(({ name }) => name))].sort(compare);
  const ranks = new Map<string, number>();
  names.forEach((name, i) => {
    const before = names[i - 1];
    const isTie = before !== undefined && compare(before, name) === 0;
    ranks.set(name, isTie ? (ranks.get(before) as number) : i);
  });
  return { bits: 13, of: ({ name }) => ranks.get(name) as number };
}

/** By 16-bit code units, with nulls last in either order. */
function byCity(order: 'ascending' | 'descending'): Field {
  const cities = [...new Set(rows.flatMap(({ city }) => city ?? []))].sort();
  if (order === 'descending') cities.reverse();
  const ranks = new Map(cities.map((city, i) => [city, i]));
  return { bits: 4, of: ({ city }) => (city === null ? 15 : (ranks.get(city) as number)) };
}

/** The youngest first. */
const byBirth: Field = { bits: 15, of: ({ born }) => 2 ** 15 - 1 - born.getTime() / 864e5 };

it(`sorts by clicks, by several columns with Shift (KEYSWEEP_SEED=${SEED})`, async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`${error}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  await page.goto(`${site.url}?seed=${SEED}&rows=${ROWS}`);
  const header = (name: string) => page.locator('th', { hasText: name });
  const click = (name: string, ...modifiers: 'Shift'[]) =>
    header(name).getByRole('button').click({ modifiers });
  const shows = (sorted: readonly Row[]) =>
    vi.waitFor(() => expectOrder(page, sorted), { timeout: TIMEOUT, interval: 100 });
  await shows(rows);

  await click('Name');
  expect(await header('Name').getAttribute('aria-sort')).toBe('ascending');
  const name = byName();
  await shows(inOrder(name));

  await click('City');
  await click('City');
  await click('Name', 'Shift');
  await click('Born', 'Shift');
  await click('Born', 'Shift');
  await shows(inOrder(byCity('descending'), name, byBirth));

  // A column that is turned round stays the major one.
  await click('City', 'Shift');
  expect(await header('City').getAttribute('aria-sort')).toBe('ascending');
  await shows(inOrder(byCity('ascending'), name, byBirth));
  expect(await header('Row').getAttribute('aria-sort')).toBe('none');
  expect(problems).toEqual([]);
});
