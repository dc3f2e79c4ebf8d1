/** The built page in a real browser. Its GPU is software: the tests select software renderers. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isThorough, sample } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { findings } from '../../../tools/test/axe.js';
import { formatCount, formatLength } from '../src/page/format.js';
import { nameOf } from '../src/settings/names.js';
import { fromHash } from '../src/settings/permalink.js';
import { RIVALS, type Settings } from '../src/settings/settings.js';
import {
  browser,
  drivePage,
  namesIn,
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

/** The messages of a lost device, and of one that cannot be opened again yet. */
const LOSS = /the GPU device was lost|no device could be opened/;

drivePage();

/**
 * Runs in the worker before its own code. From the first sample of WebGPU at 2,048 keys on, every
 * device is lost as soon as work is submitted to it.
 */
const LOSES_DEVICES = `
  let isLosing = false;
  const post = self.postMessage;
  self.postMessage = (message, ...rest) => {
    const what = message?.event?.progress?.what ?? '';
    if (/^2,048 keys: WebGPU.*sample 1/.test(what)) isLosing = true;
    post.call(self, message, ...rest);
  };
  const devices = new WeakMap();
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = async function (...args) {
    const device = await requestDevice.apply(this, args);
    devices.set(device.queue, device);
    return device;
  };
  const { submit } = GPUQueue.prototype;
  GPUQueue.prototype.submit = function (...args) {
    submit.apply(this, args);
    if (isLosing) devices.get(this)?.destroy();
  };
`;

/** The file that a button makes the browser save. */
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
  it('measures all series in turns, and shows marks, charts, records and a link', async () => {
    // The software GPU compiles each for seconds. Tests below measure 'webgpu'.
    const onGpu = isThorough ? RIVALS : sample(['resident', 'webgl2'], 1);
    const rivals = RIVALS.filter((rival) => rival === 'cpu' || onGpu.includes(rival));
    // 'resident' compiles for each length anew.
    const lengths = isThorough ? WITH_SOFTWARE.lengths : [2048];
    const settings: Settings = { ...WITH_SOFTWARE, rivals, lengths };
    await open(settings);
    await startRun();
    await runIsOver();
    expect(await page.locator('#run-status').innerText()).toMatch(
      /^Done\. All [\d,]+ sorts were checked and are right\.$/,
    );

    const rows = await rowsOf('#table');
    const series = ['Built-in sort', ...rivals.map((rival) => nameOf(rival, rival !== 'cpu'))];
    expect(namesIn(rows)).toEqual(
      lengths.flatMap((keys) => series.map((name) => [formatCount(keys), name])),
    );
    for (const row of rows) expect(row.join(' | ')).toMatch(/✓ [\d,]+ sorts/);
    await expect.poll(() => page.locator('.plot > svg').count()).toBe(3);
    expect(await page.locator('#legend th').allInnerTexts()).toEqual(series);

    const { name, text } = await saved('#export-json');
    expect(name).toMatch(/^keysweep-compare-.*Z\.json$/);
    const record = JSON.parse(text);
    expect(record).toMatchObject({
      format: 'keysweep-compare/1',
      whole: true,
      settings,
      facts: { isolated: true, probes: { webgpu: { capabilities: { software: true } } } },
    });
    expect(record.choices.map(({ length }: { length: number }) => length)).toEqual(lengths);
    expect(record.cells.length).toBe(lengths.length * series.length);
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
    expect(csv.text.trimEnd().split('\n').length).toBe(1 + lengths.length * series.length);

    const address = page.url();
    expect(fromHash(new URL(address).hash)).toEqual(settings);
    await page.reload();
    await page.locator('#run:enabled').waitFor();
    expect(await page.locator('#lengths input:checked').count()).toBe(lengths.length);
    expect(await page.locator('input[name=seed]').inputValue()).toBe('7');
    // The results are still there.
    expect((await rowsOf('#table')).map((row) => row.slice(1))).toEqual(
      rows.map((row) => row.slice(1)),
    );
    expect(problems).toEqual([]);
  });

  it('checks pairs and permutations by the positions that keys came from', async () => {
    const trials = [
      { payload: '64', rivals: ['cpu', 'webgpu', 'resident'] },
      { payload: 'indices', rivals: ['cpu', 'webgl2'] },
    ] as const;
    for (const { payload, rivals } of sample(trials, 1)) {
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

  it('leaves software renderers out unless they are selected, and marks them', async () => {
    await open(SMALL);
    const backends = await page.locator('#device-backends').innerText();
    expect(backends).toMatch(/WebGPU\s+Radix sort.* Only in software here \(.*\), which is no GPU/);
    expect(await page.locator('#why-webgpu').innerText()).toBe('here only a software renderer');
    expect(await page.locator('input[value=webgpu]').isChecked()).toBe(false);
    await startRun();
    await runIsOver();
    expect(namesIn(await rowsOf('#table'))).toEqual([
      ['500', 'Built-in sort'],
      ['500', 'CPU backend'],
      ['2,048', 'Built-in sort'],
      ['2,048', 'CPU backend'],
    ]);
    // The link is for other machines too.
    expect(fromHash(new URL(page.url()).hash)).toEqual(SMALL);
  });

  it('can be paused and cancelled, and started again', async () => {
    await open({ ...SMALL, lengths: [1000, 2 ** 20], samples: 40 });
    await startRun();
    await page.locator('#table tbody tr').first().waitFor();
    await page.locator('#pause').click();
    expect(await page.locator('#pause').innerText()).toBe('Resume');
    await page.locator('#pause').click();
    await page.locator('#cancel').click();
    await runIsOver();
    expect(await page.locator('#run-status').innerText()).toMatch(
      /^Cancelled\. All [\d,]+ sorts were checked/,
    );
    const record = JSON.parse((await saved('#export-json')).text);
    expect([record.whole, record.cells.length]).toEqual([false, 2]);

    await page.locator('summary', { hasText: 'Samples' }).click();
    await page.locator('input[name=samples]').fill('1');
    await page.locator('#lengths input[value="1048576"]').uncheck({ force: true });
    await startRun();
    await runIsOver();
    expect(await page.locator('#run-status').innerText()).toMatch(/^Done/);
    expect(problems).toEqual([]);
  });

  /** Runs two lengths of which the longer one loses its GPU, and checks what the page shows. */
  async function expectLossAt(length: number, lose: () => Promise<void>): Promise<void> {
    await startRun();
    await lose();
    await runIsOver();
    expect(await page.locator('#run-status').innerText()).toMatch(/1 could not be measured/);
    const rows = await rowsOf('#table');
    const lost = rows.filter((row) => LOSS.test(row.join()));
    expect(namesIn(lost)).toEqual([
      [length.toLocaleString('en'), 'WebGPU, array to array (software, not a GPU)'],
    ]);
    expect(rows.filter((row) => /✓/.test(row.join())).length).toBe(5);
    const verdicts = await page.locator('#verdicts li').allInnerTexts();
    expect(verdicts.filter((text) => LOSS.test(text))).toEqual([
      expect.stringMatching(
        `^WebGPU, array to array \\(software, not a GPU\\) at ${formatLength(length)} keys: `,
      ),
    ]);
    expect(problems).toEqual([]);
  }

  const LOSING: Settings = { ...WITH_SOFTWARE, rivals: ['cpu', 'webgpu'] };

  it('loses the results of a GPU that is lost in a sort, and no others', async () => {
    await open({ ...LOSING, lengths: [500, 2048] }, { worker: LOSES_DEVICES });
    await expectLossAt(2048, async () => {});
  });

  const thorough = isThorough ? it : () => {};
  thorough('loses the results of a GPU whose process crashes, and no others', async () => {
    await open({ ...LOSING, lengths: [1000, 2 ** 20] });
    const protocol = await browser.newBrowserCDPSession();
    await expectLossAt(2 ** 20, async () => {
      await page.waitForFunction(() =>
        /^1,048,576 keys: WebGPU/.test(document.getElementById('progress-what')?.textContent ?? ''),
      );
      // Between two sorts a crash loses nothing: the next sort opens a new device.
      const isOver = () => page.evaluate(() => document.body.dataset.run === 'over');
      while (!(await isOver())) {
        await protocol.send('Browser.crashGpuProcess');
        await page.waitForTimeout(700);
      }
    });
  });
});

describe('served from a path, without isolation', () => {
  it('measures the CPU backend in one worker, and says so', async () => {
    const elsewhere = await serveAt('/some/where/', {});
    await open(SMALL, { url: elsewhere.url });
    expect(await page.locator('#device-summary').innerText()).toMatch(
      /not isolated from other origins/,
    );
    expect(await page.locator('#device-backends').innerText()).toMatch(/1 thread/);
    await page.locator('#lengths input[value="300000"]').check({ force: true });
    await startRun();
    await runIsOver();
    const rows = await rowsOf('#table');
    expect(rows.length).toBe(6);
    for (const row of rows) expect(row.join(' | ')).toMatch(/✓ [\d,]+ sorts/);
    expect(problems).toEqual([]);
    await elsewhere.close();
  });
});

it('says on the page when its worker cannot be loaded', async () => {
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

it('has no findings of axe: light, dark, forced colours, and on a narrow screen', async () => {
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  await open(SMALL);
  await startRun();
  await runIsOver();
  await page.locator('#device-more summary').click();
  const looks = [
    ['light', 1280],
    ['dark', 1280],
    ['forced', 1280],
    ['light', 360],
    ['forced', 360],
  ] as const;
  for (const [colours, width] of sample(looks, 3)) {
    const forcedColors = colours === 'forced' ? 'active' : 'none';
    await page.emulateMedia({ colorScheme: colours === 'light' ? 'light' : 'dark', forcedColors });
    await page.setViewportSize({ width, height: 800 });
    await page.waitForFunction(() => {
      const svg = document.querySelector('#chart-phases svg');
      return svg !== null && svg.clientWidth <= innerWidth;
    });
    expect(await findings(page, axe), `${colours}, ${width} pixels`).toEqual([]);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
      .toBe(0);
  }
});
