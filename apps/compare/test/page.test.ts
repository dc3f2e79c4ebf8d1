/** The page as it is built, in a real browser. Its GPU is software, which has to be asked for. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { fromHash } from '../src/settings/permalink.js';
import type { Settings } from '../src/settings/settings.js';
import {
  browser,
  drivePage,
  open,
  page,
  problems,
  rowsOf,
  runIsOver,
  SMALL,
  site,
  startRun,
  WITH_SOFTWARE,
} from './driver.js';
import { serveAt } from './site.js';

/** Where a device is lost, or is not there yet after that. */
const LOSS = /the GPU device was lost|no device could be opened/;

drivePage();

/** What a button has the browser save. */
async function saved(button: string): Promise<{ name: string; text: string }> {
  const waiting = page.waitForEvent('download');
  await page.locator(button).click();
  const download = await waiting;
  return {
    name: download.suggestedFilename(),
    text: await readFile(await download.path(), 'utf8'),
  };
}

describe('measuring', () => {
  it('everyone in turns: marks, charts, records, a link', async () => {
    await open(WITH_SOFTWARE);
    await startRun();
    await runIsOver();
    expect(await page.locator('#run-status').innerText()).toMatch(
      /^Done\. All [\d,]+ sorts checked and right\.$/,
    );

    const rows = await rowsOf('#table');
    const GPU = ' (software, not a GPU)';
    const series = [
      'Built-in sort',
      'CPU backend',
      `WebGPU, array to array${GPU}`,
      `WebGPU, already on the GPU${GPU}`,
      `WebGL2, array to array${GPU}`,
    ];
    expect(rows.map(([keys, name]) => [keys, name])).toEqual(
      ['500', '2,048'].flatMap((keys) => series.map((name) => [keys, name])),
    );
    for (const row of rows) expect(row.join(' | ')).toMatch(/✓ [\d,]+ sorts/);
    await expect.poll(() => page.locator('.plot > svg').count()).toBe(4);
    expect(await page.locator('#legend li').allInnerTexts()).toEqual(series);

    const { name, text } = await saved('#export-json');
    expect(name).toMatch(/^keysweep-compare-.*Z\.json$/);
    const record = JSON.parse(text);
    expect(record).toMatchObject({
      format: 'keysweep-compare/1',
      whole: true,
      settings: WITH_SOFTWARE,
      facts: { isolated: true, probes: { webgpu: { capabilities: { software: true } } } },
    });
    expect(record.choices.map(({ length }: { length: number }) => length)).toEqual([500, 2048]);
    expect(record.cells.length).toBe(10);
    for (const cell of record.cells) {
      const { series, samples, calls, verified, software, predicted, fault, error } = cell;
      expect({ series, software, fault, error }).toEqual({
        series,
        software: series !== 'builtin' && series !== 'cpu',
      });
      expect(samples.length).toBe(2);
      expect(predicted > 0).toBe(series !== 'resident');
      expect(Math.min(...samples)).toBeGreaterThan(0);
      expect(verified).toBeGreaterThanOrEqual(2 * calls);
    }
    const csv = await saved('#export-csv');
    expect(csv.text.trimEnd().split('\n').length).toBe(11);

    const address = page.url();
    expect(fromHash(new URL(address).hash)).toEqual(WITH_SOFTWARE);
    await page.reload();
    await page.locator('#run:enabled').waitFor();
    expect(await page.locator('#lengths input:checked').count()).toBe(2);
    expect(await page.locator('input[name=seed]').inputValue()).toBe('7');
    expect(problems).toEqual([]);
  });

  it('pairs and permutations are checked by where each key came from', async () => {
    const trials = [
      { payload: '64', rivals: ['cpu', 'webgpu', 'resident'] },
      { payload: 'indices', rivals: ['cpu', 'webgl2'] },
    ] as const;
    for (const { payload, rivals } of trials) {
      const settings: Settings = { ...WITH_SOFTWARE, keyType: 'f64', order: 'descending' };
      await open({ ...settings, payload, rivals, lengths: [600], samples: 1 });
      await startRun();
      await runIsOver();
      const rows = await rowsOf('#table');
      expect(rows.length).toBe(1 + rivals.length);
      for (const row of rows) expect(row.join(' | '), payload).toMatch(/✓ [\d,]+ sorts/);
      await page.context().close();
    }
  });

  it('software is left out unless it is asked for, and said to be no GPU', async () => {
    await open(SMALL);
    const cards = await page.locator('#device-backends').innerText();
    expect(cards).toMatch(/WebGPU\s+software, not a GPU/);
    expect(cards).toMatch(/This is a software renderer/);
    expect(await page.locator('#why-webgpu').innerText()).toMatch(/software renderer, not a GPU/);
    await page.evaluate(() => {
      const tasks: number[] = [];
      Object.assign(globalThis, { longTasks: tasks });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) tasks.push(Math.round(duration));
      }).observe({ type: 'longtask' });
    });
    await startRun();
    await runIsOver();
    const names = (await rowsOf('#table')).map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(['Built-in sort', 'CPU backend']));
    const longTasks = await page.evaluate(
      () => (globalThis as unknown as { longTasks: number[] }).longTasks,
    );
    console.log(`main-thread tasks over 50 ms while measuring: [${longTasks}] ms`);
    // The link is for other machines too.
    expect(fromHash(new URL(page.url()).hash)).toEqual(SMALL);
  });

  it('can be paused and cancelled, and begun again', async () => {
    await open({ ...SMALL, lengths: [1000, 2 ** 24], samples: 99 });
    await startRun();
    await page.locator('#table tbody tr').first().waitFor();
    await page.locator('#pause').click();
    expect(await page.locator('#pause').innerText()).toBe('Go on');
    await page.locator('#pause').click();
    await page.locator('#cancel').click();
    await runIsOver();
    expect(await page.locator('#run-status').innerText()).toMatch(
      /^Cancelled\. All [\d,]+ sorts checked/,
    );
    const record = JSON.parse((await saved('#export-json')).text);
    expect([record.whole, record.cells.length]).toEqual([false, 2]);

    await page.locator('summary', { hasText: 'Samples' }).click();
    await page.locator('input[name=samples]').fill('1');
    await page.locator('#lengths input[value="16777216"]').uncheck({ force: true });
    await startRun();
    await runIsOver();
    expect(await page.locator('#run-status').innerText()).toMatch(/^Done/);
    expect(problems).toEqual([]);
  });

  it('a GPU that is lost in the middle costs its own results alone, and is said', async () => {
    await open({
      ...WITH_SOFTWARE,
      rivals: ['cpu', 'webgpu'],
      lengths: [1000, 2 ** 20],
      samples: 2,
    });
    const protocol = await browser.newBrowserCDPSession();
    await startRun();
    await page.waitForFunction(() =>
      /^1,048,576 keys: WebGPU/.test(document.getElementById('progress-what')?.textContent ?? ''),
    );
    const over = runIsOver();
    let isOver = false;
    void over.then(() => {
      isOver = true;
    });
    // Between two sorts a crash costs nothing: the next sort gets a new device. So there may be several.
    while (!isOver) {
      await protocol.send('Browser.crashGpuProcess');
      await page.waitForTimeout(700);
    }
    expect(await page.locator('#run-status').innerText()).toMatch(/1 could not be measured/);
    const rows = await rowsOf('#table');
    const lost = rows.filter((row) => LOSS.test(row.join()));
    expect(lost.map(([keys, name]) => [keys, name])).toEqual([
      ['1,048,576', 'WebGPU, array to array (software, not a GPU)'],
    ]);
    expect(rows.filter((row) => /✓/.test(row.join())).length).toBe(5);
    const verdicts = await page.locator('#verdicts li').allInnerTexts();
    const said = verdicts.filter((text) => LOSS.test(text));
    expect(said).toEqual([
      expect.stringMatching(/^WebGPU, array to array \(software, not a GPU\) at 1 Mi keys: /),
    ]);
    expect(problems).toEqual([]);
  });
});

it('a sort is watched step by step, by mouse and by keys', async () => {
  await open(SMALL);
  const title = page.locator('#frame-title');
  const slider = page.locator('#frame');
  await title.waitFor();
  const label = (): Promise<string | null> => page.locator('#dots').getAttribute('aria-label');
  const steps: string[] = [await title.innerText()];
  const last = Number(await slider.getAttribute('max'));
  while (Number(await slider.inputValue()) < last) {
    await page.locator('#step').click();
    steps.push(await title.innerText());
  }
  expect([steps[0], steps.at(-1)]).toEqual(['Pass 1 of 2, round 1 of 2: count in tiles', 'Sorted']);
  expect(await label()).toMatch(/100 % of neighbours/);
  await slider.press('Home');
  expect(await label()).toMatch(/ (4|5)\d % of neighbours/);
  await slider.press('ArrowRight');
  expect(await title.innerText()).toBe(steps[1]);
  await slider.press('ArrowLeft');

  await page.locator('#counted').focus();
  for (let i = 0; i < 8; i++) await page.keyboard.press('ArrowRight');
  expect(await page.locator('#counters').innerText()).toMatch(/Key 8 has digit \d+/);
  const fields = await page.locator('#counters .fields-of-word small').allInnerTexts();
  const counted = fields.map((field) => Number(/: (\d+)×/.exec(field)?.[1]));
  expect([counted.length, counted.reduce((sum, one) => sum + one)]).toEqual([16, 8]);

  await page.locator('#play').click();
  await expect.poll(() => title.innerText(), { timeout: 20_000 }).toBe(steps[1]);
  expect(await page.locator('#play').innerText()).toBe('Pause');
  expect(problems).toEqual([]);
});

describe('served from a path, without isolation', () => {
  it('measures with one worker, and says so', async () => {
    const elsewhere = await serveAt('/some/where/', {});
    await open(SMALL, { url: elsewhere.url });
    expect(await page.locator('#device-summary').innerText()).toMatch(
      /not isolated from other origins/,
    );
    expect(await page.locator('#device-backends').innerText()).toMatch(/1 thread/);
    await page.locator('#lengths input[value="262144"]').check({ force: true });
    await startRun();
    await runIsOver();
    const rows = await rowsOf('#table');
    expect(rows.length).toBe(6);
    for (const row of rows) expect(row.join(' | ')).toMatch(/✓ [\d,]+ sorts/);
    expect(problems).toEqual([]);
    await elsewhere.close();
  });
});

it('what is missing is said on the page', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route(/\/worker-[^/]*\.js$/, (route) => route.abort());
  await page.goto(site.url);
  await expect
    .poll(() => page.locator('#page-error').innerText())
    .toMatch(/^Nothing can be measured here: the worker that measures has failed: /);
  expect(await page.locator('#run').isDisabled()).toBe(true);
  await context.close();
});

describe('for everyone', () => {
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
  ] as const)('no serious findings of axe: %s, %i pixels wide', async (colorScheme, width) => {
    await open(SMALL, { colorScheme, width });
    await startRun();
    await runIsOver();
    await page.locator('#chart-phases svg').waitFor();
    await page.locator('#frame-title').waitFor();
    await page.locator('#device-more summary').click();
    await page.addScriptTag({ path: axe });
    const findings = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(): Promise<{
            violations: { id: string; impact: string; nodes: { html: string }[] }[];
          }>;
        };
      };
      const { violations } = await axe.run();
      return violations.map(({ id, impact, nodes }) => `${impact}: ${id}: ${nodes[0]?.html}`);
    });
    expect(findings.filter((finding) => /^(serious|critical)/.test(finding))).toEqual([]);
    if (findings.length > 0) console.log(`findings of less weight: ${findings.join('; ')}`);
    const [wide, room] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      innerWidth,
    ]);
    expect(wide).toBe(room);
  });
});
