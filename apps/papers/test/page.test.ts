/** The page in a real browser, whose GPU is software, served as `npm run compare` serves it. */

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isThorough, sample } from '@keysweep/conformance/data';
import { type Browser, chromium as engine, type Page } from 'playwright';
import { type PreviewServer, preview } from 'vite';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { chromium, WEBGPU_ARGS } from '../../../tools/chromium.js';
import { findings } from '../../../tools/test/axe.js';
import { EXHIBITS } from '../page/gallery/exhibits.js';

/** The comparison page, which serves this one. */
const COMPARE = fileURLToPath(new URL('../../compare', import.meta.url));

let browser: Browser;
let server: PreviewServer;
/** The address of the comparison page. */
let home: string;
let page: Page;
/** Uncaught errors and failed requests. */
let problems: string[];

beforeAll(async () => {
  server = await preview({ root: COMPARE, logLevel: 'silent', preview: { port: 0 } });
  home = server.resolvedUrls?.local[0] as string;
  browser = await engine.launch({ ...chromium(), args: [...WEBGPU_ARGS] });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

afterEach(async () => {
  await page.context().close();
});

/** Opens the page; `before` is code that runs in the page first. */
async function open(
  hash = '',
  {
    reducedMotion = 'reduce' as 'reduce' | 'no-preference',
    forcedColors = 'none' as 'none' | 'active',
    before = '',
  } = {},
): Promise<void> {
  const viewport = { width: 1280, height: 900 };
  const context = await browser.newContext({ viewport, reducedMotion, forcedColors });
  page = await context.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(`uncaught: ${error}`));
  page.on('requestfailed', (request) => problems.push(`not loaded: ${request.url()}`));
  if (before !== '') await page.addInitScript(before);
  await page.goto(`${home}papers/${hash}`);
  await page.locator('#memory .cells').first().waitFor();
}

/** What moves the sort beside its text, by name. */
const control = (name: string) => page.locator(`#stage [name=${name}]`);
const title = (): Promise<string> => page.locator('#step-title').innerText();
/** The numbers in a buffer, as a screen reader has them. */
const words = async (name: string): Promise<string[]> => {
  const label = await page.locator(`#memory [aria-label^="${name}: "]`).getAttribute('aria-label');
  return (label as string).slice(name.length + 2).split(', ');
};

it('steps each sort from the first step to the last by the keyboard, and ends sorted', async () => {
  await open();
  const exhibits = isThorough ? EXHIBITS : sample(EXHIBITS, 3);
  for (const { algorithm } of exhibits) {
    await page.locator('#sort').selectOption(algorithm.name);
    expect(page.url()).toMatch(new RegExp(`#${algorithm.name}$`));
    const before = (await words('keys')).map(Number);
    const last = Number(await control('frame').getAttribute('max'));
    await control('forward').focus();
    for (let i = 0; i < last; i++) await page.keyboard.press('ArrowRight');
    expect([algorithm.name, await title()]).toEqual([
      algorithm.name,
      expect.stringMatching(`^Step ${last} of ${last}`),
    ]);
    const after = (await words('keys')).map(Number);
    expect([algorithm.name, after]).toEqual([algorithm.name, before.sort((a, b) => a - b)]);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    expect(await title()).toMatch(`Step ${last - 1} of`);
  }
  expect(problems).toEqual([]);
});

it('marks the line of the text that does the step, and scrolls to it, not the page', async () => {
  await open('#explicit-counters');
  const marked = page.locator('#text [aria-current]');
  expect(await marked.count()).toBe(0);
  await page.locator('#file a').focus();
  const seen = new Set<string>();
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press('ArrowRight');
    const line = (await marked.innerText()).trim();
    const isSeen = () =>
      marked.evaluate((element) => {
        const [inner, outer] = [element, element.closest('#text') as Element].map((box) =>
          box.getBoundingClientRect(),
        ) as [DOMRect, DOMRect];
        return inner.top >= outer.top && inner.bottom <= outer.bottom;
      });
    // A text that has just come scrolls with the next frame.
    await expect.poll(isSeen, { message: `step ${i}, ${line}` }).toBe(true);
    seen.add(line);
  }
  expect([...seen]).toEqual([
    expect.stringMatching(/^fn sortTile\(/),
    'atomicAdd(&counters[digitOf(load(i))], 1u);',
    'store(i, tile[i - number * TILE]);',
    'fn scanTiles(',
    'counts[at] = before;',
    'fn addSums(',
    'counts[placeOf(i)] += sums[tile];',
    expect.stringMatching(/^fn scatter\(/),
    expect.stringMatching(/^store\(counts\[digit/),
  ]);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  const href = await page.locator('#file a').getAttribute('href');
  expect(href).toMatch(/\/blob\/main\/apps\/papers\/kernels\/wgsl\/explicit-counters\.wgsl$/);
});

it('does not play by itself; the space bar plays and stops', async () => {
  await open('', { reducedMotion: 'no-preference' });
  expect(await title()).toMatch(/^Step 0 of/);
  await control('frame').focus();
  await page.keyboard.press('Space');
  expect(await control('play').innerText()).toBe('Pause');
  await expect.poll(title, { timeout: 60_000 }).toMatch(/^Step [3-9]/);
  await page.keyboard.press('Space');
  expect(await control('play').innerText()).toBe('Play');
  const stopped = await title();
  await page.keyboard.press('Home');
  expect(await title()).toMatch(/^Step 0 of/);
  await page.keyboard.press('End');
  expect(await title()).not.toBe(stopped);
  expect(await page.locator('#step-says').innerText()).toBe('Sorted.');
});

it('moves nothing for readers who want no motion', async () => {
  const counts = `
    globalThis.moves = 0;
    const { animate } = Element.prototype;
    Element.prototype.animate = function (...args) {
      globalThis.moves++;
      return animate.apply(this, args);
    };
  `;
  const moves = (): Promise<number> =>
    page.evaluate(() => (globalThis as unknown as { moves: number }).moves);
  await open('#merge-path', { before: counts, reducedMotion: 'no-preference' });
  for (let i = 0; i < 4; i++) await control('forward').click();
  expect(await moves()).toBeGreaterThan(0);
  await page.context().close();
  await open('#merge-path', { before: counts });
  for (let i = 0; i < 4; i++) await control('forward').click();
  expect(await title()).toMatch(/^Step 4 of/);
  expect(await moves()).toBe(0);
});

it('has controls in the order in which they stand', async () => {
  await open();
  const order: string[] = [];
  for (let i = 0; i < 16; i++) {
    await page.keyboard.press('Tab');
    order.push(
      await page.evaluate(
        () => document.activeElement?.id || document.activeElement?.getAttribute('name') || '',
      ),
    );
  }
  const ids = [
    'sort',
    'speed',
    'back',
    'play',
    'forward',
    'other-keys',
    'frame',
    'text',
    'measure',
  ];
  expect(order.filter((id) => ids.includes(id))).toEqual(ids);
});

it('measures a sort beside keysweep, and says what stood for a GPU', async () => {
  await open('#bitonic');
  const status = page.locator('#rate-status');
  const over = { timeout: 300_000 };
  // What plays stops, because it would take time from the sorts.
  await control('play').click();
  expect(await control('play').innerText()).toBe('Pause');
  await page.locator('#measure').click();
  expect(await control('play').innerText()).toBe('Play');
  await expect
    .poll(() => status.innerText(), over)
    .toMatch(/^2,048 random keys on a software renderer: keysweep .* times .*nothing about a GPU/);
  expect(await page.locator('#rates').innerText()).toMatch(
    /^bitonic network\s+\S+.* keys\/s\s+keysweep\s+\S+.* keys\/s$/,
  );
  await page.locator('#sort').selectOption('implicit-counters-pairs');
  await page.locator('#measure').click();
  await expect.poll(() => status.innerText(), over).toMatch(/^2,048 random pairs on .*keysweep /);
  await page.locator('#sort').selectOption('mergeSort');
  expect(await page.locator('#rates').isVisible()).toBe(false);
  await page.locator('#measure').click();
  await expect
    .poll(() => status.innerText(), over)
    .toMatch(/^1,048,576 random keys on one thread: keysweep .* times /);
  expect(problems).toEqual([]);
});

it('says plainly if there is no WebGPU', async () => {
  await open('#scatter-of-nobody');
  await page.route(/rate-worker-[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    const hides = "Object.defineProperty(navigator, 'gpu', { value: undefined });";
    await route.fulfill({ response, body: hides + (await response.text()) });
  });
  expect(await page.locator('#sort').inputValue()).toBe('bitonic');
  await page.locator('#measure').click();
  await expect
    .poll(() => page.locator('#rate-status').innerText(), { timeout: 60_000 })
    .toMatch(/^This was not measured: this browser has no WebGPU: /);
  expect(await page.locator('#measure').isEnabled()).toBe(true);
});

it('has no findings of axe, nor text beside the screen: light, dark, forced, phone', async () => {
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  await open('#explicit-counters');
  await control('forward').click({ clickCount: 3 });
  const looks = [
    ['light', 1280],
    ['dark', 1280],
    ['forced', 1280],
    ['light', 390],
    ['dark', 390],
    ['forced', 390],
  ] as const;
  for (const [colours, width] of sample(looks, 3)) {
    const forcedColors = colours === 'forced' ? 'active' : 'none';
    await page.emulateMedia({ colorScheme: colours === 'light' ? 'light' : 'dark', forcedColors });
    await page.setViewportSize({ width, height: 844 });
    expect(await findings(page, axe), `${colours}, ${width} pixels`).toEqual([]);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
      .toBe(0);
  }
});

it('keeps its marks if a reader has forced colours', async () => {
  await open('#bitonic', { forcedColors: 'active' });
  for (let i = 0; i < 3; i++) await control('forward').click();
  const colours = (selector: string): Promise<string> =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).backgroundColor);
  const plain = await colours('#memory .key:not(.written)');
  expect(await colours('#memory .written')).not.toBe(plain);
  expect(await colours('#text [aria-current]')).not.toBe(await colours('#text li:first-child'));
  // The number of the marked line can be read on its mark.
  const ink = (pseudo?: string): Promise<string> =>
    page
      .locator('#text [aria-current]')
      .evaluate((element, which) => getComputedStyle(element, which).color, pseudo);
  expect(await ink('::before')).toBe(await ink());
});

it('is not loaded by the page that measures, which leads to it', async () => {
  await open();
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await page.goto(home);
  await page.locator('#run:enabled').waitFor();
  expect(loaded.filter((url) => /papers|rate-worker/.test(url))).toEqual([]);
  await page.locator('header').getByRole('link', { name: 'Gallery' }).click();
  await page.locator('#memory .cells').first().waitFor();
});
