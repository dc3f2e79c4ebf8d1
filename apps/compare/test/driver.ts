/** Drives the built page in a real browser, whose GPU is software. */

import { type Browser, chromium as engine, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { chromium } from '../../../tools/chromium.js';
import { toHash } from '../src/settings/permalink.js';
import { DEFAULTS, type Settings } from '../src/settings/settings.js';
import { ISOLATION, type Site, serveAt } from './site.js';

/** So few that software is done with them soon. */
export const SMALL: Settings = { ...DEFAULTS, lengths: [500, 2048], samples: 2, seed: 7 };
export const WITH_SOFTWARE: Settings = { ...SMALL, software: true };

export let browser: Browser;
export let site: Site;
export let page: Page;
/** What went wrong unseen: the page has to say it itself. */
export let problems: string[];

/** Declares that the tests of a file drive the page: one browser for all, and what a test has opened is closed after it. */
export function drivePage(): void {
  beforeAll(async () => {
    const args = [
      '--enable-unsafe-webgpu',
      '--enable-unsafe-swiftshader',
      // A page whose GPU process a test has crashed gets a new one.
      '--disable-domain-blocking-for-3d-apis',
      '--disable-gpu-process-crash-limit',
    ];
    browser = await engine.launch({ ...chromium(), args });
    site = await serveAt('/', ISOLATION);
  });

  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  afterEach(async () => {
    await page?.context().close();
  });
}

/** Opens the page with settings, and waits until it knows the device. */
export async function open(
  settings: Settings,
  { url = site.url, colorScheme = 'light' as 'light' | 'dark', width = 1280 } = {},
): Promise<void> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
  page = await context.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(`uncaught: ${error}`));
  page.on('requestfailed', (request) => problems.push(`not loaded: ${request.url()}`));
  await page.goto(`${url}${toHash(settings)}`);
  await page.locator('#run:enabled').waitFor();
}

export const startRun = (): Promise<void> => page.locator('#run').click();

export const runIsOver = (): Promise<unknown> =>
  page.waitForFunction(() => document.body.dataset.run === 'over');

/** Every cell of a table, row by row. */
export const rowsOf = (table: string): Promise<string[][]> =>
  page
    .locator(`${table} tbody tr`)
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText.trim())),
    );
