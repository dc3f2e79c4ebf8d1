/** The page's quantiles are those of a plain sort, and its charts have their dots and lines. */

import { isThorough, sample } from '@keysweep/conformance/data';
import type { Page } from 'playwright';
import { expect, it } from 'vitest';
import { driveExample } from '../../../tools/test/example-page.js';

const COUNT = isThorough ? 10_000_000 : 500_000;
const example = driveExample('plot');

/** The lightest channel of an element's background, 0 to 255. */
const backgroundOf = (page: Page, selector: string): Promise<number> =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const channels = getComputedStyle(element).backgroundColor.match(/[\d.]+/g) ?? [];
      return Math.max(...channels.slice(0, 3).map(Number));
    });

it.each(sample([true, false], 1))(
  'shows quantiles by select and by sort (isolated: %s)',
  async (isolated) => {
    const page = await example.open(`?values=${COUNT}`, { isolated });
    await page.waitForFunction(() => 'example' in globalThis);
    const { found, seen } = await page.evaluate(() => {
      // biome-ignore lint/suspicious/noExplicitAny: the page's own
      const { found, quantiles } = (globalThis as any).example;
      return { found, seen: quantiles(100).map(({ time }: { time: number }) => time) };
    });

    // It brings no types.
    const { makeValues, SERVICES, valuesOf } = await import('../src/values.js' as string);
    const data = makeValues(COUNT);
    const sorted: Float32Array[] = SERVICES.map((_: unknown, i: number) =>
      valuesOf(data, i).slice().sort(),
    );
    const at = (values: Float32Array, share: number) => values[Math.floor(share * values.length)];
    const names = SERVICES.map(({ name }: { name: string }) => name);
    expect(found).toEqual(
      sorted.map((values, i) => [names[i], at(values, 0.5), at(values, 0.9), at(values, 0.99)]),
    );
    const shares = Array.from({ length: 100 }, (_, dot) => (dot + 0.5) / 100);
    expect(seen).toEqual(sorted.flatMap((values) => shares.map((share) => at(values, share))));

    expect(await page.locator('#swarm circle').count()).toBe(5 * 100);
    expect(await page.locator('#curves path[stroke]').count()).toBeGreaterThanOrEqual(5);
    // A service has one colour in both charts.
    const curves = page.locator('#curves path[stroke^="#"]');
    const colours = await curves.evaluateAll((all) => all.map((it) => it.getAttribute('stroke')));
    const dots = page.locator('#swarm circle');
    const fills = await dots.evaluateAll((all) => all.map((it) => it.getAttribute('fill')));
    expect(colours).toHaveLength(5);
    expect([...new Set(fills)]).toEqual(colours);
    expect(await page.locator('#sort-time').textContent()).toMatch(/sorted: \d+ ms/);
    expect(await page.locator('#isolation').isVisible()).toBe(!isolated);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await backgroundOf(page, 'body')).toBeLessThan(60);
    expect(await backgroundOf(page, 'section')).toBeLessThan(60);
    await page.emulateMedia({ colorScheme: 'light' });
    if (!isolated) return;
    await page.locator('section:nth-child(2)').evaluate((section) => section.scrollIntoView());
    await example.picture();
  },
);

it('says on the page which numbers the address takes', async () => {
  const faults = /whole number/;
  const page = await example.open('?values=many', { faults });
  await page
    .locator('#select-time', { hasText: '?values= takes a whole number from 1,000 on.' })
    .waitFor();
});
