/**
 * The recipes of docs/grids.md for AG Grid and MUI X, as they stand there, with the packed
 * packages in Chromium: the rows that a grid shows are those of the same grid's own sort.
 */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSeed } from '@keysweep/conformance/data';
import { build } from 'esbuild';
import { type Browser, chromium as engine, type Page } from 'playwright';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { chromium } from '../../../tools/chromium.js';
import { readRecipe } from '../../../tools/test/recipes.js';
import { ISOLATED, type Site, serve } from './pages.js';
import { npm, PACKAGES, pack } from './project.js';

const GRIDS = fileURLToPath(new URL('../consumers/grids/', import.meta.url));
const SEED = runSeed();
const ROWS = 5000;

/** Milliseconds until what is waited for counts as missing. */
const TIMEOUT = 300_000;

const PAGE = `<!doctype html>
<link rel="icon" href="data:,">
<main><div style="height: 300px"></div><div style="height: 300px"></div></main>`;

let base: string;
let site: Site;
let browser: Browser;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'keysweep-grids-'));
  const folder = join(base, 'project');
  await cp(GRIDS, folder, { recursive: true });
  const tarballs = await pack(PACKAGES, join(base, 'tarballs'));
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const dependencies = { ...manifest.dependencies, ...tarballs };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, dependencies }));
  await npm(folder, 'install', '--prefer-offline');
  await writeFile(join(folder, 'sort-model.js'), await readRecipe('sort-model.js'));
  await writeFile(join(folder, 'ag-grid-recipe.js'), await readRecipe('ag-grid'));
  await writeFile(join(folder, 'mui-x-recipe.js'), await readRecipe('mui-x'));
  const outdir = join(folder, 'dist');
  const entryPoints = ['ag-grid.js', 'mui-x.jsx'].map((name) => join(folder, name));
  await build({ entryPoints, outdir, bundle: true, format: 'esm', jsx: 'automatic' });
  for (const name of ['ag-grid', 'mui-x']) {
    const script = `<script type="module" src="${name}.js"></script>`;
    await writeFile(join(outdir, `${name}.html`), PAGE + script);
  }
  site = await serve(outdir, ISOLATED);
  browser = await engine.launch(chromium());
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await rm(base, { recursive: true });
});

/** Opens the page of a grid; `problems` are what it throws, or says to be wrong. */
async function open(name: string): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1000, height: 1000 } });
  page.setDefaultTimeout(TIMEOUT);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`${error}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  await page.goto(`${site.url}/${name}.html?seed=${SEED}`);
  return { page, problems };
}

const eventually = (check: () => Promise<void>) =>
  vi.waitFor(check, { timeout: TIMEOUT, interval: 100 });

interface AgGrid {
  ensureIndexVisible(place: number, where: 'top'): void;
  getDisplayedRowAtIndex(place: number): { data?: { id: number } } | undefined;
  getColumnState(): object[];
  applyColumnState(state: { state: object[] }): void;
}

declare global {
  var ours: AgGrid;
  var own: AgGrid;
}

/** The rows that AG Grid shows from a place on: what is seen, and what its own sort has there. */
async function agRowsAt(page: Page, place: number) {
  await page.evaluate((place) => ours.ensureIndexVisible(place, 'top'), place);
  return page.evaluate(() => {
    const rows = document.querySelectorAll('main > div:first-child .ag-row[row-index]');
    return [...rows].map((row) => {
      const index = Number(row.getAttribute('row-index'));
      const wanted = own.getDisplayedRowAtIndex(index)?.data?.id;
      return { index, seen: row.querySelector('[col-id=id]')?.textContent, wanted: `${wanted}` };
    });
  });
}

it(`AG Grid shows rows in the order of its own sort (KEYSWEEP_SEED=${SEED})`, async () => {
  const { page, problems } = await open('ag-grid');
  const header = (name: string) =>
    page.locator(`main > div:first-child .ag-header-cell[col-id=${name}] .ag-header-cell-label`);
  const clicks: [name: string, ...modifiers: 'Shift'[]][][] = [
    [],
    [['name']],
    [['city']],
    [['city']],
    [['age'], ['city', 'Shift'], ['name', 'Shift'], ['name', 'Shift']],
  ];
  const orders = new Set<string>();
  for (const several of clicks) {
    for (const [name, ...modifiers] of several) await header(name).click({ modifiers });
    await page.evaluate(() => own.applyColumnState({ state: ours.getColumnState() }));
    for (const place of [0, 123, 2500, ROWS - 1]) {
      await eventually(async () => {
        const rows = await agRowsAt(page, place);
        expect(rows.map(({ index }) => index)).toContain(place);
        expect(rows.map(({ seen }) => seen)).toEqual(rows.map(({ wanted }) => wanted));
        orders.add(`${place} ${rows.map(({ seen }) => seen)}`);
      });
    }
  }
  expect(orders.size).toBe(4 * clicks.length);
  expect(problems).toEqual([]);
  await page.close();
});

/** The rows of a MUI grid: what its cells of the column `id` show. */
const muiRows = (page: Page, grid: string) =>
  page.locator(`${grid} .MuiDataGrid-row [data-field=id]`).allTextContents();

it(`MUI X shows rows in the order of its own sort (KEYSWEEP_SEED=${SEED})`, async () => {
  const { page, problems } = await open('mui-x');
  const button = (name: string) => page.locator('#ours').getByLabel(name, { exact: true });
  const orders = new Set<string>();
  const expectSame = () =>
    eventually(async () => {
      const [seen, wanted] = [await muiRows(page, '#ours'), await muiRows(page, '#own')];
      expect(wanted).toHaveLength(10);
      expect(seen).toEqual(wanted);
      // Not those from before the click.
      expect(orders).not.toContain(`${seen}`);
      orders.add(`${seen}`);
    });
  await expectSame();
  for (const name of ['name', 'city', 'city', 'age']) {
    await page.locator(`#ours .MuiDataGrid-columnHeader[data-field=${name}]`).click();
    await expectSame();
    await button('Go to next page').click();
    await expectSame();
  }
  expect(problems).toEqual([]);
  await page.close();
});
