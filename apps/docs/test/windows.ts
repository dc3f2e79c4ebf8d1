/** Windows of Chromium whose only site is the built one. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright';

export const DIST: string = fileURLToPath(new URL('../dist/', import.meta.url));
export const ORIGIN = 'http://site.test/';

/** A window of that width. */
export async function openWindow(
  browser: Browser,
  width: number,
  colours: 'light' | 'dark' | 'forced',
  javaScriptEnabled = true,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    javaScriptEnabled,
    viewport: { width, height: 900 },
    colorScheme: colours === 'forced' ? 'dark' : colours,
    forcedColors: colours === 'forced' ? 'active' : 'none',
  });
  // The test's own limit is enough: the machine may be busy.
  context.setDefaultTimeout(0);
  await context.route('**/*', (route) => {
    const { pathname } = new URL(route.request().url());
    const path = join(DIST, decodeURI(pathname.replace(/\/$/, '/index.html')));
    return existsSync(path) ? route.fulfill({ path }) : route.fulfill({ status: 404 });
  });
  return context;
}

/** Opens a page, and waits until it can be used. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${ORIGIN}${path}`);
  await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
}
