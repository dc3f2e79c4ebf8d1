/** Drives the built page in a real browser, whose GPU is software. */

import { type Browser, chromium as engine, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { chromium, WEBGPU_ARGS } from '../../../tools/chromium.js';
import { toHash } from '../src/settings/permalink.js';
import { DEFAULTS, type Settings } from '../src/settings/settings.js';
import { ISOLATION, type Site, serveAt } from './site.js';

/** Few keys, because the GPU is software. */
export const SMALL: Settings = { ...DEFAULTS, lengths: [500, 2048], samples: 2, seed: 7 };
export const WITH_SOFTWARE: Settings = { ...SMALL, software: true };

export let browser: Browser;
export let site: Site;
export let page: Page;
/** Uncaught errors and failed requests of the page. */
export let problems: string[];

/**
 * Starts a browser for the tests of a file. Each test opens the page itself, and it is closed after
 * the test; with `shared` settings, all tests share one page, opened with them.
 */
export function drivePage(shared?: Settings): void {
  beforeAll(async () => {
    const args = [
      ...WEBGPU_ARGS,
      // A page whose GPU process a test has crashed gets a new one.
      '--disable-domain-blocking-for-3d-apis',
      '--disable-gpu-process-crash-limit',
    ];
    browser = await engine.launch({ ...chromium(), args });
    site = await serveAt('/', ISOLATION);
    if (shared !== undefined) await open(shared);
  });

  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  afterEach(async () => {
    if (shared === undefined) await page?.context().close();
  });
}

/**
 * Opens the page with settings, and waits until it knows the device. `worker` is code that its
 * worker runs first.
 */
export async function open(
  settings: Settings,
  { url = site.url, worker = '' } = {},
): Promise<void> {
  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  page = await context.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(`uncaught: ${error}`));
  page.on('requestfailed', (request) => {
    // A page that is left gives up what it still loads.
    const reason = request.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') problems.push(`not loaded: ${request.url()}: ${reason}`);
  });
  if (worker !== '') {
    await page.route(/\/worker-[^/]*\.js$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${worker}${await response.text()}` });
    });
  }
  await page.goto(`${url}${toHash(settings)}`);
  await page.locator('#run:enabled').waitFor();
}

export const startRun = (): Promise<void> => page.locator('#run').click();

export const runIsOver = (): Promise<unknown> =>
  page.waitForFunction(() => document.body.dataset.run === 'over');

/** What sorted each row of a table: its second cell, without the note under the name. */
export const namesIn = (rows: readonly string[][]): (string | undefined)[][] =>
  rows.map(([keys, name]) => [keys, name?.split('\n')[0]]);

/** Every cell of a table, row by row. */
export const rowsOf = (table: string): Promise<string[][]> =>
  page
    .locator(`${table} tbody tr`)
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText.trim())),
    );
