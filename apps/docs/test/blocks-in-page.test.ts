/** Every block of code that has a button on the site runs in Chromium, by the site's own code. */

import { fileURLToPath } from 'node:url';
import { type Browser, chromium as engine, type Page } from 'playwright';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../../../tools/chromium.js';
import { readBlocks } from '../blocks/code-blocks.js';
import { runnable, runsInPage } from '../blocks/in-page.js';
import { ROOT } from '../pages.js';
import { ISOLATION } from '../preview.config.js';

const HTML = runnable('<div><pre><code></code></pre></div>');

const blocks = (await readBlocks()).filter(
  ({ file, code, notRun }) => /js$/.test(file) && notRun === undefined && runsInPage(code),
);

let server: ViteDevServer;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  server = await createServer({
    root: fileURLToPath(new URL('..', import.meta.url)),
    configFile: false,
    logLevel: 'warn',
    appType: 'mpa',
    // Not that of a server that somebody runs beside.
    cacheDir: 'node_modules/.vite-test-blocks',
    optimizeDeps: { noDiscovery: true },
    server: { port: 0, headers: ISOLATION, fs: { allow: [ROOT] } },
  });
  await server.listen();
  browser = await engine.launch(chromium());
  page = await browser.newPage();
  // The test's own limit is enough: this machine may be busy.
  page.setDefaultTimeout(0);
  await page.goto(`${server.resolvedUrls?.local[0]}test/in-page/blocks.html`);
  await page.waitForFunction('globalThis.run');
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

describe('a block of code runs in a page', () => {
  it.each(blocks)('$place', async ({ code }) => {
    const call = `run(${JSON.stringify(HTML)}, ${JSON.stringify(code)})`;
    expect(await page.evaluate(call)).toMatch(/^Ran in|medians of five\. (Both|keysweep)/);
  });
});

it('pages that show what keysweep is for have such blocks', () => {
  const pages = new Set(blocks.map(({ place }) => place.split(':')[0]));
  expect([...pages]).toEqual(
    expect.arrayContaining([
      'README.md',
      'docs/api.md',
      'docs/every-frame.md',
      'docs/rows.md',
      'docs/start.md',
      'docs/tables.md',
    ]),
  );
});
