/** The page of the WebGL2 checks, as it is built for production: what minifiers leave of kernels still sorts. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium as engine } from 'playwright';
import { expect, it } from 'vitest';
import { chromium } from '../../../tools/chromium.js';
import { buildPage } from '../bundle.mjs';
import { serveFolder } from '../dist/webgl2/serve-folder.js';

/** Called in the page. */
type Tasks = typeof import('../src/webgl2/tasks.js');
declare const keysweepTasks: Tasks;

it('checks and measures, minified, in a worker and in the page', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keysweep-webgl2-'));
  await buildPage(fileURLToPath(new URL('../webgl2/', import.meta.url)), folder);
  const site = await serveFolder(folder);
  const args = ['--enable-unsafe-swiftshader'];
  const browser = await engine.launch({ ...chromium(), args });
  const page = await browser.newPage();
  const lines: string[] = [];
  page.on('console', (message) => lines.push(message.text()));
  await page.goto(site.url);
  await page.waitForFunction(() => document.title === 'ready');

  const check = (ways: string, only: string): Promise<string[]> =>
    page.evaluate(([ways, only]) => keysweepTasks.check({ ways, only, effort: 'sample' }), [
      ways,
      only,
    ] as const);
  expect(
    await check('in a worker', 'sorts Float64Array keys of every distribution'),
    lines.join('\n'),
  ).toEqual([]);
  expect(await check('in the page', 'key bits'), lines.join('\n')).toEqual([]);
  expect(lines.filter((line) => line.endsWith('passed')).length).toBe(3);

  const options = { sizes: [10], samples: 2, backend: {} };
  const measured = await page.evaluate((options) => keysweepTasks.measure(options), options);
  expect(measured).toMatchObject([
    { length: 1024, samples: [expect.any(Array), expect.any(Array)] },
  ]);
  expect(measured[0]?.phases).toMatchObject({ sort: expect.any(Number) });

  await browser.close();
  site.close();
  await rm(folder, { recursive: true });
});
