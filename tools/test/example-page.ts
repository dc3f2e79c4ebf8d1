/** Serves an example of a page as `npm run example` does, and opens it in Chromium. */

import { fileURLToPath } from 'node:url';
import { type Browser, chromium as engine, type Page } from 'playwright';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { chromium, WEBGPU_ARGS } from '../chromium.js';
import { TEXTURE_CANVAS } from './example-canvas.js';
import { savePicture } from './example-picture.js';

const { KEYSWEEP_PICTURES: pictures } = process.env;

/** What Chromium says of WebGL in software, and of a context that three.js gives back. */
const EXPECTED = /GL Driver Message|loseContext/;

const SIZES = [
  ['desktop', 1200, 750],
  ['phone', 390, 844],
] as const;

interface OpenOptions {
  readonly isolated?: boolean;
  readonly moving?: boolean;
  readonly init?: string;
  readonly faults?: RegExp;
}

export interface Example {
  /**
   * Opens the page with `search` after its address; isolated and moving, unless told otherwise.
   * `init` is code that the page runs first. `faults` are errors of the page that a test is about.
   */
  open(search: string, options?: OpenOptions): Promise<Page>;
  /** With KEYSWEEP_PICTURES=1, writes screenshot.webp, and pictures to look at into dist. */
  picture(): Promise<void>;
}

/** Prepares a file of tests for the example `name`. A test fails on any error of its page. */
export function driveExample(name: string): Example {
  const root = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  const servers = new Map<boolean, Promise<ViteDevServer>>();
  let browser: Browser | undefined;
  let page: Page | undefined;
  let problems: string[] = [];

  const serve = async (isolated: boolean): Promise<ViteDevServer> => {
    const server = await createServer({
      root,
      logLevel: 'warn',
      server: { port: 0 },
      // Not the folder of a server that runs beside; what one bundles serves the other, too.
      cacheDir: 'node_modules/.vite-test',
      // The examples' configuration is their headers, and nothing else.
      ...(isolated ? {} : { configFile: false }),
    });
    return server.listen();
  };

  beforeEach(async () => {
    browser ??= await engine.launch({ ...chromium(), args: [...WEBGPU_ARGS] });
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
    async open(search, { isolated = true, moving = true, init = '', faults } = {}) {
      if (!servers.has(isolated)) servers.set(isolated, serve(isolated));
      const server = await servers.get(isolated);
      const context = await (browser as Browser).newContext({
        viewport: { width: 800, height: 500 },
        reducedMotion: moving ? 'no-preference' : 'reduce',
      });
      page = await context.newPage();
      problems = [];
      page.on('pageerror', (error) => {
        if (!faults?.test(error.message)) problems.push(`uncaught: ${error}`);
      });
      page.on('requestfailed', (request) => problems.push(`not loaded: ${request.url()}`));
      page.on('console', (message) => {
        if (!['error', 'warning'].includes(message.type())) return;
        if (!EXPECTED.test(message.text())) problems.push(message.text());
      });
      await page.addInitScript(TEXTURE_CANVAS);
      await page.addInitScript(init);
      await page.goto(`${server?.resolvedUrls?.local[0]}${search}`);
      return page;
    },
    async picture() {
      if (pictures !== '1') return;
      if (page === undefined) throw new Error('no page is open');
      for (const [name, width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        // Some frames: what is looked at may be drawn a little late.
        await page.waitForTimeout(1500);
        await page.evaluate('globalThis.present?.()');
        await page.screenshot({ path: `${root}/dist/${name}.png` });
        if (name === 'desktop') await savePicture(page, `${root}/screenshot.webp`);
      }
    },
  };
}
