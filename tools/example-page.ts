/** Serves an example of a page as `npm run example` does, and opens it in Chromium. */

import { fileURLToPath } from 'node:url';
import { type Browser, chromium as engine, type Page } from 'playwright';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { chromium, WEBGPU_ARGS } from './chromium.js';
import { savePicture } from './example-picture.js';

const { KEYSWEEP_PICTURES: pictures } = process.env;

export interface Example {
  /** Opens the page, with `search` behind its address; with or without the headers of isolation. */
  open(search: string, options?: { isolated?: boolean }): Promise<Page>;
  /** With KEYSWEEP_PICTURES=1, writes screenshot.webp, and pictures to look at into dist. */
  picture(): Promise<void>;
}

/** Prepares a file of tests for the example `name`. A test fails on any error of its page. */
export function driveExample(name: string): Example {
  const root = fileURLToPath(new URL(`../examples/${name}`, import.meta.url));
  const servers = new Map<boolean, Promise<ViteDevServer>>();
  let browser: Browser;
  let page: Page;
  let problems: string[] = [];

  const serve = async (isolated: boolean): Promise<ViteDevServer> => {
    const server = await createServer({
      root,
      logLevel: 'warn',
      server: { port: 0 },
      // The examples' configuration is their headers, and nothing else.
      ...(isolated ? {} : { configFile: false }),
    });
    return server.listen();
  };

  beforeAll(async () => {
    browser = await engine.launch({ ...chromium(), args: [...WEBGPU_ARGS] });
  });

  afterAll(async () => {
    await browser?.close();
    for (const server of servers.values()) await (await server).close();
  });

  afterEach(async () => {
    await page?.context().close();
    expect(problems).toEqual([]);
  });

  return {
    async open(search, { isolated = true } = {}) {
      if (!servers.has(isolated)) servers.set(isolated, serve(isolated));
      const server = await servers.get(isolated);
      const context = await browser.newContext({ viewport: { width: 1200, height: 750 } });
      page = await context.newPage();
      problems = [];
      page.on('pageerror', (error) => problems.push(`uncaught: ${error}`));
      page.on('requestfailed', (request) => problems.push(`not loaded: ${request.url()}`));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) problems.push(message.text());
      });
      await page.goto(`${server?.resolvedUrls?.local[0]}${search}`);
      return page;
    },
    async picture() {
      if (pictures !== '1') return;
      await savePicture(page, `${root}/screenshot.webp`);
      await page.screenshot({ path: `${root}/dist/desktop.png` });
      await page.setViewportSize({ width: 390, height: 844 });
      await page.screenshot({ path: `${root}/dist/phone.png` });
    },
  };
}
