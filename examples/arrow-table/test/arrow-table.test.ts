/** The page, driven by clicks: what it shows is what a sort of plain objects gives. */

import { isThorough } from '@keysweep/conformance/data';
import type { Page } from 'playwright';
import { expect, it } from 'vitest';
import { driveExample } from '../../../tools/test/example-page.js';

const ROWS = isThorough ? 1_000_000 : 30_000;
const example = driveExample('arrow-table');

interface Row {
  readonly from: string;
  readonly delay: number | null;
  readonly texts: readonly string[];
}

/** Every row of the table that the page shows, not yet sorted. */
async function makeRows(): Promise<Row[]> {
  // It brings no types.
  const { makeFlights } = await import('../src/flights.js' as string);
  const table = makeFlights(ROWS);
  const [dates, from, delays] = ['date', 'from', 'delay'].map((name) => table.getChild(name));
  return Array.from({ length: ROWS }, (_, row) => {
    const [date, city, delay] = [dates.get(row), from.get(row), delays.get(row)];
    const texts = [
      new Date(date).toISOString().slice(0, 10),
      city,
      delay === null ? 'cancelled' : `${delay} min`,
    ];
    return { from: city, delay, texts };
  });
}

/** Scrolls so far down, 0 to 1; resolves to the rows that are then seen: place, and some cells. */
function rowsAt(page: Page, share: number): Promise<[number, string[]][]> {
  return page.evaluate(async (share) => {
    const scroller = document.querySelector('#scroller') as HTMLElement;
    scroller.scrollTop = share * (scroller.scrollHeight - scroller.clientHeight);
    // Browsers tell of a scroll with the next frame.
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    return [...scroller.querySelectorAll('tbody tr')].map((row) => {
      const [date, from, , delay] = [...row.children].map((cell) => cell.textContent ?? '');
      return [Number(row.ariaRowIndex) - 2, [date, from, delay] as string[]];
    });
  }, share);
}

async function expectOrder(page: Page, rows: readonly Row[]): Promise<void> {
  for (const share of [0, 0.013, 0.5, 0.99, 1]) {
    const seen = await rowsAt(page, share);
    expect(seen.length).toBeGreaterThan(3);
    expect(seen).toEqual(seen.map(([place]) => [place, rows[place]?.texts]));
  }
  expect((await rowsAt(page, 0))[0]?.[0]).toBe(0);
  expect((await rowsAt(page, 1)).at(-1)?.[0]).toBe(ROWS - 1);
}

/** −1, 0 or 1, with nulls last whatever the order. */
const byDelay = (a: Row, b: Row, sign: 1 | -1): number => {
  if (a.delay === null) return b.delay === null ? 0 : 1;
  if (b.delay === null) return -1;
  return sign * (a.delay - b.delay);
};
const byFrom = (a: Row, b: Row): number => Buffer.compare(Buffer.from(a.from), Buffer.from(b.from));

it('sorts by clicks, by several columns with Shift, with nulls last both ways', async () => {
  const page = await example.open(`?rows=${ROWS}`);
  const header = (name: string) => page.locator('th', { hasText: name });
  const sorted = () => page.locator('#status', { hasText: 'sorted in' }).waitFor();
  const rows = await makeRows();

  await header('delay').click();
  await sorted();
  await expectOrder(
    page,
    rows.toSorted((a, b) => byDelay(a, b, 1)),
  );

  // A click that comes while another sort runs takes its place.
  await page.evaluate(() => {
    const [, from, , delay] = [...document.querySelectorAll('th')] as HTMLElement[];
    delay?.click();
    from?.click();
    delay?.dispatchEvent(new MouseEvent('click', { shiftKey: true, bubbles: true }));
    delay?.dispatchEvent(new MouseEvent('click', { shiftKey: true, bubbles: true }));
    (document.querySelector('#status') as HTMLElement).textContent = '';
  });
  await sorted();
  expect(await header('from').getAttribute('aria-sort')).toBe('ascending');
  expect(await header('delay').getAttribute('aria-sort')).toBe('descending');
  expect(await page.locator('.rank').allTextContents()).toEqual(['', '1', '', '2', '']);
  await expectOrder(
    page,
    rows.toSorted((a, b) => byFrom(a, b) || byDelay(a, b, -1)),
  );
  expect(await page.locator('#isolation').isVisible()).toBe(false);
  await rowsAt(page, 0);
  await example.picture();
});

it('fits a phone, adds columns by a box, and flies as far as cities are apart', async () => {
  const page = await example.open(`?rows=${ROWS}`);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.locator('#several').check();
  await page.locator('th', { hasText: 'from' }).click();
  await page.locator('th', { hasText: 'to' }).click();
  await page.locator('#status', { hasText: 'sorted in' }).waitFor();
  await expect.poll(() => page.locator('.rank').allTextContents()).toEqual(['', '1', '2', '', '']);
  const over = await page
    .locator('#scroller')
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(over).toBeLessThanOrEqual(0);

  const { makeFlights } = await import('../src/flights.js' as string);
  const table = makeFlights(ROWS);
  const [from, to, distances] = ['from', 'to', 'distance'].map((name) => table.getChild(name));
  const seen = new Map<string, number>();
  for (let row = 0; row < ROWS; row++) {
    const [start, end, distance] = [from.get(row), to.get(row), distances.get(row)];
    expect(start).not.toBe(end);
    seen.set(`${start} ${end}`, distance);
  }
  // By an atlas some 610 and 16,320 km, and at most a twentieth more.
  expect(seen.get('Amsterdam Zürich')).toBeGreaterThan(590);
  expect(seen.get('Amsterdam Zürich')).toBeLessThan(670);
  expect(seen.get('Rome Sydney')).toBeGreaterThan(16_100);
  expect(seen.get('Rome Sydney')).toBeLessThan(17_400);
});

it('sorts without isolation, and says what is lost', async () => {
  const page = await example.open(`?rows=${ROWS}`, { isolated: false });
  await page.locator('th', { hasText: 'delay' }).click();
  await page.locator('#status', { hasText: 'sorted in' }).waitFor();
  expect(await page.locator('#isolation').isVisible()).toBe(true);
  const rows = await makeRows();
  await expectOrder(
    page,
    rows.toSorted((a, b) => byDelay(a, b, 1)),
  );
});

it('says on the page which numbers the address takes', async () => {
  const faults = /whole number/;
  const page = await example.open('?rows=many', { faults });
  await page.locator('#status', { hasText: '?rows= takes a whole number from 1 on.' }).waitFor();
});
