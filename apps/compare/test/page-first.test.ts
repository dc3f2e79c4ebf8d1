/** What somebody sees who comes by a link: the first screen, the answer, ways to share it. */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { savePicture } from '../../../tools/test/example-picture.js';
import { DEFAULTS } from '../src/settings/settings.js';
import { drivePage, open, page, problems, runIsOver, SMALL, site, startRun } from './driver.js';

drivePage();

/** For what a slow machine takes seconds for. */
const LONG = { timeout: 60_000 };

/** Boxes of elements, in pixels from the top of the page. */
const boxOf = async (selector: string) => {
  const box = await page.locator(selector).boundingBox();
  if (box === null) throw new Error(`${selector} is not visible`);
  return box;
};

it('has the button on the first screen, on a desktop and on a phone', async () => {
  await open(SMALL);
  for (const [width, height] of [
    [1280, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    const box = await boxOf('#run');
    expect(box.y + box.height, `${width} × ${height}`).toBeLessThan(height);
  }
});

it('has a picture for previews of its links, and ways out', async () => {
  await open(SMALL);
  const address = await page.locator('meta[property="og:image"]').getAttribute('content');
  const size = await page.evaluate(
    async (url) => {
      const { width, height } = await createImageBitmap(await (await fetch(url)).blob());
      return [width, height];
    },
    new URL(address as string, site.url).href,
  );
  expect(size).toEqual([1200, 630]);
  expect(await page.locator('#install').innerText()).toBe('npm install keysweep');
  const ways = await page.locator('header a[href^=https]').allInnerTexts();
  expect(ways).toEqual(['Documentation', 'GitHub']);
});

it('answers in one sentence, which a link and a picture carry', async () => {
  await open({ ...SMALL, lengths: [1000, 30_000], rivals: ['cpu'] });
  await startRun();
  await runIsOver();
  const headline = await page.locator('#answer-headline').innerText();
  expect(headline).toMatch(/^On this machine, without a GPU: .*built-in sort/);
  expect(await page.locator('#answer-bars').innerText()).toMatch(
    /Built-in sort\s.*\skeysweep \(CPU\)\s/,
  );

  const waiting = page.waitForEvent('download');
  await page.locator('#share-picture').click();
  const picture = await readFile(await (await waiting).path());
  expect(picture.subarray(1, 4).toString()).toBe('PNG');
  expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1200, 630]);

  // By keyboard: the figures of the other length, in words, too.
  const reading = page.locator('#legend');
  const atMost = await reading.innerText();
  await page.locator('#at').focus();
  await page.keyboard.press('Home');
  await expect.poll(() => page.locator('#at-length').innerText(), LONG).toBe('1,000 keys');
  expect(await page.locator('#at').evaluate((slider) => slider.ariaValueText)).toMatch(
    /^1,000 keys, built-in [\d.]+ [µm]s, CPU [\d.]+ [µm]s$/,
  );
  await expect.poll(() => reading.innerText(), LONG).not.toBe(atMost);
  // By pointer: the right end of a chart.
  const chart = page.locator('#chart-speedup .plot > svg');
  await chart.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await boxOf('#chart-speedup .plot > svg');
  await page.mouse.move(x + width - 25, y + height / 2);
  await expect.poll(() => reading.innerText(), LONG).toBe(atMost);
  expect(await chart.locator('.mark').count()).toBe(1);

  await page.locator('#share-link').click();
  await expect.poll(() => page.url()).toMatch(/#result=[\w-]+$/);
  const link = page.url();
  // Another browser, in which nothing was measured.
  await page.context().close();
  await open(SMALL, { url: `${link}&ignored=` });
  expect(await page.locator('#run-status').innerText()).toMatch(/^The link is damaged/);
  await page.goto(site.url);
  await page.goto(link);
  const elsewhere = headline.replace('On this machine', 'On that machine');
  await expect.poll(() => page.locator('#answer-headline').innerText(), LONG).toBe(elsewhere);
  expect(await page.locator('#answer-whose').innerText()).toMatch(/^Measured by somebody else: /);
  await expect.poll(() => page.locator('#table tbody tr').count(), LONG).toBe(4);
  expect(problems).toEqual([]);
});

it('marks what is chosen with the system’s colours if colours are forced', async () => {
  await open(SMALL);
  await page.emulateMedia({ forcedColors: 'active' });
  // Its own colours would be taken away, and all chips look the same.
  const { highlight, chips } = await page.evaluate(() => {
    const probe = document.createElement('span');
    probe.style.cssText = 'background-color: Highlight; forced-color-adjust: none';
    document.body.append(probe);
    const spans = document.querySelectorAll<HTMLElement>('#lengths input:checked + span');
    return {
      highlight: getComputedStyle(probe).backgroundColor,
      chips: Array.from(spans, (span) => {
        const { backgroundColor, forcedColorAdjust } = getComputedStyle(span);
        return [backgroundColor, forcedColorAdjust];
      }),
    };
  });
  expect(chips).toEqual(SMALL.lengths.map(() => [highlight, 'none']));
});

const { KEYSWEEP_PICTURES: pictures } = process.env;
const besideTest = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What links to the page and to the site show: all of the chart of a record, not a chosen take. */
const cardOf = (chart: string): string => `<!doctype html>
<body style="margin: 24px 60px; background: white; color: #1c2024; font-family: sans-serif">
<h1 style="margin: 0; font-size: 64px">keysweep</h1>
<p style="margin: 4px 0 18px; font-size: 31px">
  sorts typed arrays on the GPU, or on all CPU cores
</p>
<div style="zoom: 1.2">${chart}</div>
<p style="position: absolute; left: 60px; bottom: 18px; margin: 0; font-size: 20px">
  Two cores, Node 20
</p>`;

it('is pictured, for links to it and for its README', async ({ skip }) => {
  skip(pictures !== '1', 'KEYSWEEP_PICTURES=1 takes pictures');
  await open(DEFAULTS);
  await page.setViewportSize({ width: 1280, height: 900 });
  await startRun();
  await runIsOver();
  await savePicture(page, besideTest('../screenshot.webp'));

  await page.setViewportSize({ width: 1200, height: 630 });
  await page.setContent(cardOf(await readFile(besideTest('../../../docs/charts/cpu.svg'), 'utf8')));
  const path = besideTest('../public/preview.jpg');
  await page.screenshot({ type: 'jpeg', quality: 90, path });
});
