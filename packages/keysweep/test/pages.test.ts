/** keysweep in pages as users make them, in a real browser, with nothing of Vitest inside the page. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSeed } from '@keysweep/conformance/data';
import { type Browser, chromium as engine } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../../../vitest.chromium.js';
import {
  builtByVite,
  inOneFile,
  install,
  onViteServer,
  type Site,
  withImportMap,
} from './pages/sites.js';

/** The backends that pages sort by: a GPU is the same thing whoever makes workers, isolated or not. */
const backendsOf = (isolated: boolean, way: string): string[] =>
  isolated || way === OWN_WORKERS ? ['cpu'] : ['webgpu', 'cpu'];

const SEED = `${runSeed()}`;

const OWN_WORKERS = 'built by Vite, workers of its own';

/**
 * Import maps do not hold in workers: without a bundler only the page itself can import keysweep. A
 * bundler that leaves the worker's file behind needs a page that makes the workers itself; with any it may.
 */
const WAYS = [
  { name: 'built by Vite', make: builtByVite, realms: ['page', 'worker'], worker: 'found' },
  { name: OWN_WORKERS, make: builtByVite, realms: ['page'], worker: 'own' },
  { name: "on Vite's dev server", make: onViteServer, realms: ['page', 'worker'], worker: 'found' },
  { name: 'bundled into one file', make: inOneFile, realms: ['page', 'worker'], worker: 'own' },
  { name: 'with an import map', make: withImportMap, realms: ['page'], worker: 'found' },
];

/** A page has shared memory only if it is isolated; without, it has to sort as well. */
const ISOLATIONS = [
  {
    isolated: true,
    headers: {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    },
  },
  { isolated: false, headers: {} },
];

let browser: Browser;

beforeAll(async () => {
  const args = ['--enable-unsafe-webgpu', '--enable-unsafe-swiftshader'];
  browser = await engine.launch({ ...chromium(), args });
  return () => browser.close();
});

for (const { name, make, realms, worker } of WAYS) {
  for (const { isolated, headers } of ISOLATIONS) {
    describe(`a page ${name}, ${isolated ? 'isolated' : 'not isolated'}`, () => {
      let root: string;
      let site: Site;

      beforeAll(async () => {
        root = await mkdtemp(join(tmpdir(), 'keysweep-page-'));
        await install(root);
        site = await make(root, headers);
      });

      afterAll(async () => {
        await site?.close();
        await rm(root, { recursive: true });
      });

      for (const backend of backendsOf(isolated, name)) {
        it.each(realms)(`sorts by ${backend} in a %s`, async (realm) => {
          const task = new URLSearchParams({ backend, realm, worker, seed: SEED });
          const address = `${site.url}?${task}`;
          const { outcome, problems } = await visit(address);
          expect({ outcome, problems, warnings: site.warnings }, address).toEqual({
            outcome: { misplaced: 0, backend, fallbacks: [], isolated },
            problems: [],
            warnings: [],
          });
        });
      }
    });
  }
}

/** Opens a page and waits until its title tells the outcome, or something is wrong. */
async function visit(address: string): Promise<{ outcome: unknown; problems: string[] }> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error}`));
  page.on('requestfailed', (request) => {
    problems.push(`${request.url()}: ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    if (!response.ok()) problems.push(`${response.url()}: status ${response.status()}`);
  });
  try {
    await page.goto(address);
    const isOver = async () => problems.length > 0 || (await page.title()) !== '';
    await expect.poll(isOver, { timeout: 30_000, message: `${address} shows nothing` }).toBe(true);
    return { outcome: JSON.parse((await page.title()) || 'null'), problems };
  } finally {
    await page.close();
  }
}
