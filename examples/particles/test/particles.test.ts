/** The page's buffers, read back: discs in order of their cells, and every contact found. */

import { isThorough } from '@keysweep/conformance/data';
import { expect, it } from 'vitest';
import { driveExample } from '../../../tools/test/example-page.js';

/** Few, because the GPU is software, and all pairs are looked at here. */
const DISCS = isThorough ? 12_000 : 2000;
const example = driveExample('particles');

interface Snapshot {
  readonly radius: number;
  readonly side: number;
  /** Of each disc x, y and its speed. */
  readonly discs: number[];
  readonly cells: number[];
  readonly ids: number[];
  readonly contacts: number[];
}

it('sorts discs by cell in each frame, and finds every contact', async () => {
  const page = await example.open(`?discs=${DISCS}`, { isolated: false });
  await page.locator('#figures', { hasText: 'frame' }).waitFor();
  const first = await page.evaluate(async (): Promise<Snapshot> => {
    // biome-ignore lint/suspicious/noExplicitAny: the page's own
    const { radius, side, snapshot } = (globalThis as any).example;
    return { radius, side, ...(await snapshot()) };
  });
  const { radius, side, discs, cells, ids, contacts } = first;
  const x = (id: number) => discs[4 * id] as number;
  const y = (id: number) => discs[4 * id + 1] as number;

  // Each disc once, cell by cell; of one cell in the order of the discs.
  expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: DISCS }, (_, i) => i));
  for (let i = 1; i < DISCS; i++) {
    const [before, cell] = [cells[i - 1] as number, cells[i] as number];
    const isInOrder =
      before < cell || (before === cell && (ids[i - 1] as number) < (ids[i] as number));
    expect([i, isInOrder]).toEqual([i, true]);
  }
  // Roundings of 32 bits decide at the edge of a cell.
  const edge = 1e-4;
  ids.forEach((id, i) => {
    const [column, row] = [(cells[i] as number) % side, Math.floor((cells[i] as number) / side)];
    const within = (place: number, cell: number) => {
      const exact = ((place + 1) / 2) * side;
      return exact >= cell - edge && exact <= cell + 1 + edge;
    };
    expect([id, within(x(id), column), within(y(id), row)]).toEqual([id, true, true]);
  });

  // Against all pairs.
  let total = 0;
  for (let id = 0; id < DISCS; id++) {
    let [least, most] = [0, 0];
    for (let other = 0; other < DISCS; other++) {
      if (other === id) continue;
      const distance = Math.hypot(x(id) - x(other), y(id) - y(other)) / (2 * radius);
      if (distance < 1 - edge) least++;
      if (distance < 1 + edge) most++;
    }
    const found = contacts[id] as number;
    expect([id, found >= least && found <= most]).toEqual([id, true]);
    total += found;
  }
  expect(total).toBeGreaterThan(DISCS / 10);
  await example.picture();
});

it('says what is missing if there is no WebGPU', async () => {
  const page = await example.open('?discs=10', {
    init: "Object.defineProperty(navigator, 'gpu', { value: undefined })",
  });
  await page.locator('#figures', { hasText: 'has no WebGPU' }).waitFor();
});

it('says on the page which numbers the address takes', async () => {
  const faults = /whole number/;
  const page = await example.open('?discs=many', { faults });
  await page.locator('#figures', { hasText: '?discs= takes a whole number from 10 on.' }).waitFor();
});

it('says that the GPU is lost, and stops', async () => {
  const page = await example.open('?discs=100', {
    init: `const { requestDevice } = GPUAdapter.prototype;
      GPUAdapter.prototype.requestDevice = async function (wanted) {
        return (globalThis.device = await requestDevice.call(this, wanted));
      };`,
  });
  await page.locator('#figures', { hasText: 'frame' }).waitFor();
  await page.evaluate('device.destroy()');
  await page.locator('#figures', { hasText: 'The GPU is lost' }).waitFor();
  const frames = () => page.evaluate('example.frames()');
  const before = await frames();
  await page.evaluate(
    'new Promise((over) => requestAnimationFrame(() => requestAnimationFrame(over)))',
  );
  expect(await frames()).toBe(before);
});
