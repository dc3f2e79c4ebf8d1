/** What somebody sees who comes by a link: the first screen, the answer, ways to share it. */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
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

it('has the button and the cloud on the first screen, on a desktop and on a phone', async () => {
  await open(SMALL);
  for (const [width, height] of [
    [1280, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.locator('#cloud-keysweep canvas').waitFor();
    for (const selector of ['#run', '#cloud .screen >> nth=0']) {
      const box = await boxOf(selector);
      expect(box.y + box.height, `${selector} at ${width} × ${height}`).toBeLessThan(height);
    }
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

describe('the cloud', () => {
  const state = (): Promise<string | undefined> =>
    page.evaluate(() => document.getElementById('cloud')?.dataset.state);
  const rate = (half: string): Promise<number> =>
    page.locator(`#cloud-${half} .rate`).innerText().then(Number.parseFloat);

  it('turns, shows times and frames a second, and stops while something is measured', async () => {
    await open({ ...SMALL, lengths: [1000, 100_000] }, { reducedMotion: 'no-preference' });
    await expect.poll(() => rate('builtin'), LONG).toBeGreaterThan(0);
    await expect.poll(() => rate('keysweep'), LONG).toBeGreaterThan(0);
    for (const half of ['builtin', 'keysweep']) {
      const headline = await page.locator(`#cloud-${half} strong`).innerText();
      expect(headline).toMatch(/^[\d.,]+ (ms|µs|s)$/);
    }
    await page.evaluate(() => {
      // The second drawing of the progress is late, as on a busy machine: the run ends before.
      const soon = setTimeout;
      let drawn = 0;
      Object.assign(globalThis, {
        setTimeout: (run: () => void, delay = 0) => {
          const isDrawing = delay > 0 && delay < 500;
          return soon(run, isDrawing && drawn++ === 1 ? 2500 : delay);
        },
      });
      const states = new Set<string | undefined>();
      const cloud = document.getElementById('cloud') as HTMLElement;
      const progress = document.getElementById('progress-what') as HTMLElement;
      // The first text is there before anything is measured.
      new MutationObserver(() => {
        if (/keys: /.test(progress.textContent)) states.add(cloud.dataset.state);
      }).observe(progress, { childList: true });
      Object.assign(globalThis, { states });
    });
    await startRun();
    await runIsOver();
    await expect.poll(state, LONG).toBe('playing');
    // Long enough for the late drawing, which would be seen beside a moving cloud.
    await page.waitForTimeout(2500);
    const seen = await page.evaluate(() => [
      ...(globalThis as unknown as { states: Set<string> }).states,
    ]);
    expect(seen).toEqual(['resting']);
    await page.locator('#cloud-play').click();
    await expect.poll(state, LONG).toBe('resting');
    expect(problems).toEqual([]);
  });

  it('does not move by itself for readers who want no motion, and takes the keyboard', async () => {
    await open(SMALL);
    const points = page.locator('#cloud-points');
    await page.locator('#cloud-keysweep canvas').waitFor();
    expect(await state()).toBe('resting');
    await page.locator('#cloud-count').focus();
    await page.keyboard.press('Home');
    expect(await points.innerText()).toBe('10,000 points');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => rate('keysweep'), LONG).toBeGreaterThan(0);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect.poll(state, LONG).toBe('resting');
    expect(problems).toEqual([]);
  });
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
    /^1,000 keys, built-in .* µs, CPU .* µs$/,
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

it.runIf(pictures === '1')('is pictured, for links to it and for its README', async () => {
  await open(DEFAULTS, { reducedMotion: 'no-preference' });
  await page.setViewportSize({ width: 1280, height: 900 });
  await startRun();
  await runIsOver();
  // Times are means of the latest seconds.
  await page.waitForTimeout(10_000);
  await savePicture(page, besideTest('../screenshot.webp'));

  await page.setViewportSize({ width: 1200, height: 630 });
  await page.setContent(cardOf(await readFile(besideTest('../../../docs/charts/cpu.svg'), 'utf8')));
  const path = besideTest('../public/preview.jpg');
  await page.screenshot({ type: 'jpeg', quality: 90, path });
});
