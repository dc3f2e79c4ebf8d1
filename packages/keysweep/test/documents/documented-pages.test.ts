/** The pages that the documents show, as they stand there, beside the packages. */

import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium as engine, type Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chromium } from '../../../../tools/chromium.js';
import { install, serve } from '../pages/sites.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** What of keysweep has a file of its own, and needs no map. */
const WITHOUT_MAP = './bundle';

let browser: Browser;
let folder: string;

beforeAll(async () => {
  browser = await engine.launch(chromium());
  folder = await mkdtemp(join(tmpdir(), 'keysweep-documented-'));
  await install(folder, 'found');
  await copyFile(
    join(folder, 'node_modules/keysweep/dist/keysweep.min.js'),
    join(folder, 'keysweep.min.js'),
  );
});

afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true });
});

/** The block of a guide that begins with `start`. */
async function blockOf(guide: string, start: string): Promise<string> {
  const text = await readFile(join(ROOT, 'docs', guide), 'utf8');
  const block = text.split('```html\n').find((rest) => rest.startsWith(start));
  if (block === undefined) throw new Error(`${guide} has no block that begins with ${start}`);
  return block.slice(0, block.indexOf('```'));
}

/** Opens a page of this HTML in the folder; errors of the page's end the visit. */
async function visit<T>(html: string, work: (page: Page) => Promise<T>): Promise<T> {
  await writeFile(join(folder, 'documented.html'), html);
  const site = await serve(folder, {});
  const page = await browser.newPage();
  const failed = new Promise<never>((_, reject) => page.on('pageerror', reject));
  failed.catch(() => {});
  try {
    await page.goto(`${site.url}documented.html`);
    return await Promise.race([work(page), failed]);
  } finally {
    await page.close();
    await site.close();
  }
}

it('the first page of the guide sorts on a click', async () => {
  const html = await blockOf('start.md', '<!doctype html>');
  await visit(html, async (page) => {
    await page.locator('button').click();
    await page.locator('p', { hasText: /^\d+ ms, by \w+$/ }).waitFor();
  });
});

it('the import map of the guide leads to all that keysweep exports', async () => {
  const map = await blockOf('pages.md', '<script type="importmap">');
  const manifest = await readFile(join(ROOT, 'packages/keysweep/package.json'), 'utf8');
  const entries = Object.keys((JSON.parse(manifest) as { exports: object }).exports)
    .filter((entry) => entry !== WITHOUT_MAP)
    .map((entry) => `keysweep${entry.slice(1)}`);
  expect(entries.length).toBeGreaterThan(1);
  const script = `<script type="module">
    ${[...entries, '@keysweep/webgl2'].map((name) => `import '${name}';`).join('\n')}
    import { sort } from 'keysweep';
    import { sortSync } from 'keysweep/sync';
    const sorted = await sort(Float32Array.of(3, 1, 2), { backend: 'cpu' });
    globalThis.outcome = [...sorted, ...sortSync(Uint8Array.of(5, 4))];
  </script>`;
  const outcome = await visit(map + script, async (page) => {
    await page.waitForFunction('globalThis.outcome !== undefined', undefined, { timeout: 60_000 });
    return page.evaluate('outcome');
  });
  expect(outcome).toEqual([1, 2, 3, 4, 5]);
});
