/** The pages of first-sorts, as they are built for production, in the tests' Chromium. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSeed } from '@keysweep/conformance/data';
import { chromium as engine } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../../../tools/chromium.js';
import { buildFirst } from '../bundle.mjs';
import { SORTERS } from '../src/first/first-sort.js';
import type { FirstTold } from '../src/first/page.js';
import { type FreshPages, openFreshPages } from '../src/pages/fresh-pages.js';

let folder: string;
let pages: FreshPages;
const hosts: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keysweep-first-'));
  await buildFirst(folder);
  const start = async (url: string) => {
    const browser = await engine.launch(chromium());
    const page = await browser.newPage();
    page.on('framenavigated', (frame) => hosts.push(new URL(frame.url()).hostname));
    await page.goto(url);
    const ended = new Promise<never>(() => {});
    return { ended, close: () => browser.close() };
  };
  pages = await openFreshPages(join(folder, 'first'), start, { isIsolated: true });
});

afterAll(async () => {
  await pages.close();
  await rm(folder, { recursive: true });
});

describe(`pages of first-sorts (KEYSWEEP_SEED=${runSeed()})`, () => {
  it.each([
    [undefined, 0],
    ['/keysweep.min.js', 20],
  ])('sort with %s, after %i ms of other sorts', async (file, before) => {
    hosts.length = 0;
    for (const who of SORTERS) {
      const one = { keyType: 'f64', length: 1000, before } as const;
      const told: FirstTold = { sort: [who, one, runSeed()], file };
      expect(await pages.visit(told)).toEqual({
        milliseconds: expect.any(Number),
        verified: true,
      });
    }
    expect(new Set(hosts).size).toBe(2);
  });

  it('tell what went wrong', async () => {
    const told: FirstTold = {
      sort: ['ours', { keyType: 'f64', length: 10, before: 0 }, runSeed()],
      file: '/missing.js',
    };
    expect(await pages.visit(told)).toEqual({ error: expect.stringMatching(/missing\.js/) });
  });
});
