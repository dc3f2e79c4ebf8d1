/** The page with each way to sort: what a frame draws is a whole order, from far to near. */

import { isThorough, sample } from '@keysweep/conformance/data';
import type { Page } from 'playwright';
import { expect, it } from 'vitest';
import { driveExample } from '../../../tools/test/example-page.js';

/** From 2^17 on threads sort; the GPU is software. */
const POINTS = {
  worker: isThorough ? 2_000_000 : 150_000,
  threads: isThorough ? 2_000_000 : 150_000,
  gpu: isThorough ? 20_000 : 2000,
};
const FRAMES = isThorough ? 3 : 2;
const example = driveExample('splats');

type Way = keyof typeof POINTS;

async function openAt(way: Way, options = {}): Promise<Page> {
  const page = await example.open(`?points=${POINTS[way]}`, options);
  await page.locator(`[value=${way}]`).check();
  await until(page, isDrawing);
  return page;
}

/** Resolves when `isSo`, which runs in the page, says true. */
async function until(
  page: Page,
  isSo: (argument?: string) => Promise<boolean>,
  argument?: string,
): Promise<void> {
  while (!(await page.evaluate(isSo, argument))) await page.waitForTimeout(20);
}

/** Of some frames one after the other: how many points they draw, and what is wrong with them. */
const look = (page: Page, tolerance = 1 / 256) =>
  page.evaluate(
    async ([frames, tolerance]) => {
      // biome-ignore lint/suspicious/noExplicitAny: the page's own
      const { cloud, drawn, writeDepths } = (globalThis as any).example;
      const depths = new Float32Array(cloud.count);
      const seen: { points: number; faults: string[]; view: string }[] = [];
      for (let i = 0; i < frames; i++) {
        await new Promise(requestAnimationFrame);
        const { order, view } = await drawn();
        writeDepths(cloud.positions, view, depths);
        const faults: string[] = [];
        const times = new Uint8Array(cloud.count);
        let before = Number.POSITIVE_INFINITY;
        for (const row of order) {
          const depth = depths[row] as number;
          if (!(depth <= before + tolerance)) faults.push(`${depth} behind ${before}`);
          if (++(times[row] as number) !== 1 || row >= cloud.count) faults.push(`${row} again`);
          before = depth;
        }
        seen.push({ points: order.length, faults: faults.slice(0, 3), view: view.join() });
      }
      return seen;
    },
    [FRAMES, tolerance] as const,
  );

async function expectWholeOrders(page: Page, way: Way): Promise<void> {
  // The GPU sorts all bits, as it rounds; the CPU 16 of a range of some units near 4.
  const frames = await look(page, way === 'gpu' ? 1e-5 : 1 / 256);
  expect(frames.map(({ faults }) => faults)).toEqual(Array(FRAMES).fill([]));
  expect(frames.map(({ points }) => points)).toEqual(Array(FRAMES).fill(POINTS[way]));
}

it('draws whole orders while the CPU sorts, frame after frame', async () => {
  const page = await openAt('worker');
  await expectWholeOrders(page, 'worker');
  await page.locator('[value=threads]').check();
  await until(page, isDrawing);
  await expectWholeOrders(page, 'threads');
  // The camera moves, and the order follows.
  const [frame] = await look(page);
  await until(page, isOtherView, frame?.view);
  expect(await page.locator('#isolation').isVisible()).toBe(false);
  await example.picture();
});

it('does so without isolation, and says what is lost', async () => {
  const page = await openAt('threads', { isolated: false });
  await expectWholeOrders(page, 'threads');
  expect(await page.locator('#isolation').isVisible()).toBe(true);
});

it('draws the order of the frame on the GPU, and the same picture as three.js', async () => {
  const page = await openAt('gpu', { moving: false });
  await expectWholeOrders(page, 'gpu');

  // Nearer, so that not all points are in view.
  await page.mouse.move(600, 250);
  await page.mouse.wheel(0, -1000);
  await until(page, isPartlyInView);
  const [frame] = await look(page);
  expect(frame?.faults).toEqual([]);
  expect(frame?.points).toBeGreaterThan(POINTS.gpu / 50);

  // A clock where the GPU has one, as this one has.
  await page.locator('#figures', { hasText: /cull and sort [\d.]+ ms, draw [\d.]+ ms/ }).waitFor();
  await page.locator('#figures', { hasText: /the order takes [\d.]+ % of the GPU/ }).waitFor();
  await page.evaluate('globalThis.present()');
  const byGpu = await pixels(page);
  await page.locator('[value=threads]').check();
  await until(page, isDrawing);
  await page.locator('#figures', { hasText: /frames? ago/ }).waitFor();
  const byThree = await pixels(page);
  const mean = (numbers: number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  expect(mean(byGpu.map((x, i) => Math.abs(x - (byThree[i] as number))))).toBeLessThan(3);
  // There is something to be seen, and in many shades.
  expect(new Set(byGpu).size).toBeGreaterThan(100);
});

/** Whether the way that was chosen has drawn a frame. Runs in the page, as the next two do. */
async function isDrawing(): Promise<boolean> {
  // biome-ignore lint/suspicious/noExplicitAny: the page's own
  return (await (globalThis as any).example?.drawn()) !== undefined;
}

async function isOtherView(view?: string): Promise<boolean> {
  // biome-ignore lint/suspicious/noExplicitAny: the page's own
  return (await (globalThis as any).example.drawn()).view.join() !== view;
}

async function isPartlyInView(): Promise<boolean> {
  // biome-ignore lint/suspicious/noExplicitAny: the page's own
  const { cloud, drawn } = (globalThis as any).example;
  return (await drawn()).order.length < cloud.count;
}

/** What the page shows beside its panel, coarsely. */
async function pixels(page: Page): Promise<number[]> {
  const png = (await page.screenshot({ clip: { x: 400, y: 0, width: 400, height: 500 } })).toString(
    'base64',
  );
  return page.evaluate(async (data) => {
    const blob = await (await fetch(`data:image/png;base64,${data}`)).blob();
    const image = await createImageBitmap(blob, { resizeWidth: 40, resizeHeight: 50 });
    const context = new OffscreenCanvas(40, 50).getContext('2d');
    context?.drawImage(image, 0, 0);
    return [...(context?.getImageData(0, 0, 40, 50).data ?? [])];
  }, png);
}

it('says on the page which numbers the address takes', async () => {
  const faults = /whole number/;
  const page = await example.open('?points=many', { faults });
  await page.locator('#note', { hasText: '?points= takes a whole number from 1 on.' }).waitFor();
});

it('says that the GPU is lost, and goes on with what is chosen next', async () => {
  const page = await openAt('gpu', {
    init: `const { requestDevice } = GPUAdapter.prototype;
      GPUAdapter.prototype.requestDevice = async function (wanted) {
        return (globalThis.device = await requestDevice.call(this, wanted));
      };`,
  });
  await page.evaluate('device.destroy()');
  await page.locator('#note', { hasText: 'The GPU is lost' }).waitFor();
  await page.locator('[value=threads]').check();
  await page.locator('#figures', { hasText: /frames? ago/ }).waitFor();
  expect(await page.locator('#note').textContent()).toBe('');
});

it('offers the CPU alone if there is no WebGPU', async () => {
  const page = await example.open('?points=2000', {
    init: "Object.defineProperty(navigator, 'gpu', { value: undefined })",
  });
  await page.locator('[value=threads]').check();
  await until(page, isDrawing);
  expect(await page.locator('[value=gpu]').isDisabled()).toBe(true);
  expect(await page.locator('#no-gpu').isVisible()).toBe(true);
});

const BEST = [
  ['gpu', false],
  ['worker', true],
] as const;

it.each(sample(BEST, 1))(
  'opens on the best way, %s, if WebGPU is software: %s',
  async (way, isFallbackAdapter) => {
    const page = await example.open('?points=2000', {
      init: `Object.defineProperty(GPUAdapterInfo.prototype, 'isFallbackAdapter', {
      get: () => ${isFallbackAdapter},
    });`,
    });
    await page
      .locator('#figures', { hasText: /[\d.]+ ms a frame, [\d.]+ frames a second/ })
      .waitFor();
    expect(await page.locator(`label.best [value=${way}]`).isChecked()).toBe(true);
    expect(await page.locator('.best').count()).toBe(1);
    expect(await page.locator('#no-gpu').isVisible()).toBe(isFallbackAdapter);
  },
);
