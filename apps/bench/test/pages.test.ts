/**
 * The page of webgl2, `regret --page` and `soak --page`, as it is built for production: minified
 * kernels still sort.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isThorough, runSeed, THOROUGH_ONLY } from '@keysweep/conformance/data';
import { type Browser, chromium as engine, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../../../tools/chromium.js';
import { buildPage } from '../bundle.mjs';
import type { PageTasks } from '../src/pages/page.js';
import { type FolderSite, serveFolder } from '../src/pages/serve-folder.js';
import { type PageWord, watchListeners } from '../src/soak/in-page.js';
import type { EraEnd } from '../src/soak/watch.js';

/** Called in the page. */
declare const keysweepTasks: PageTasks;

let folder: string;
let site: FolderSite;
let browser: Browser;
let page: Page;
const lines: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keysweep-page-'));
  await buildPage(folder);
  site = await serveFolder(join(folder, 'page'));
  browser = await engine.launch({ ...chromium(), args: ['--enable-unsafe-swiftshader'] });
  page = await browser.newPage();
  page.on('console', (message) => lines.push(message.text()));
  await page.goto(site.url);
  await page.waitForFunction(() => document.title === 'ready');
});

afterAll(async () => {
  await browser.close();
  site.close();
  await rm(folder, { recursive: true });
});

describe('the page of webgl2', () => {
  const check = (variants: string, only: string): Promise<string[]> =>
    page.evaluate(
      ([variants, only]) => keysweepTasks.checkWebgl2({ variants, only, effort: 'sample' }),
      [variants, only] as const,
    );

  it('checks with as many textures as the GPU can write', async () => {
    const only = isThorough ? 'sorts Float64Array keys of every distribution' : 'key bits';
    expect(await check('as many', only), lines.join('\n')).toEqual([]);
    expect(lines.some((line) => line.startsWith('as many') && line.endsWith('passed'))).toBe(true);
  });

  it('checks with four textures', async ({ skip }) => {
    skip(!isThorough, THOROUGH_ONLY);
    const before = lines.length;
    expect(await check('four', 'key bits'), lines.join('\n')).toEqual([]);
    expect(lines.slice(before).filter((line) => line.endsWith('passed'))).toHaveLength(1);
  });
});

describe('the page of regret', () => {
  it('measures the backends there', async () => {
    const options = {
      shortest: 300,
      longest: 1000,
      keyTypes: ['u32'],
      operations: ['sortPairs'],
      samples: 1,
      seed: 1,
      allowSoftware: false,
    } as const;
    const { results } = await page.evaluate((options) => keysweepTasks.regret(options), options);
    expect(results.map(({ length, verified }) => ({ length, verified }))).toEqual([
      { length: 316, verified: true },
      { length: 1000, verified: true },
    ]);
  });
});

describe(`a soak in a page (KEYSWEEP_SEED=${runSeed()})`, () => {
  it('tells of an era, and of what is left after it', async () => {
    const words: PageWord[] = [];
    const answer = async (text: string): Promise<string> => {
      words.push(JSON.parse(text));
      return 'over';
    };
    const soaked = await serveFolder(join(folder, 'page'), { answer });
    const soak = { seed: runSeed(), backends: ['auto', 'cpu', 'builtin'], maxOnGpu: 2, first: 0 };
    const visitor = await browser.newPage();
    await visitor.goto(`${soaked.url}#${new URLSearchParams({ soak: JSON.stringify(soak) })}`);
    await soaked.result;
    await visitor.close();
    soaked.close();
    expect(words).toMatchObject([{ end: { era: 0, threads: 0, buffers: 0 } }]);
    const [first] = words as readonly { readonly end: EraEnd }[];
    const counts = Object.values(first?.end.counts ?? {});
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(100);
  });

  it('counts the listeners that are left on a signal', () => {
    const controller = new AbortController();
    const listeners = watchListeners(controller.signal);
    const [kept, removed, once] = [() => {}, () => {}, () => {}];
    controller.signal.addEventListener('abort', kept);
    controller.signal.addEventListener('abort', removed);
    controller.signal.addEventListener('abort', once, { once: true });
    expect(listeners()).toBe(3);
    controller.signal.removeEventListener('abort', removed);
    expect(listeners()).toBe(2);
    controller.abort();
    expect(listeners()).toBe(1);
  });
});
