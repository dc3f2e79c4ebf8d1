/** `examples`: the examples that draw, in Chromium, on this machine's GPU: how long frames take. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, quantile } from '@keysweep/conformance/statistics';
import type { Browser } from '../pages/browser.js';
import { checkOrders, type Frames, type OrderCheck, watchFrames } from '../pages/frames.js';
import { BROWSER_FLAGS, BROWSER_HELP, withSite } from '../pages/site.js';
import { someOf, wholeNumber } from '../program/options.js';
import {
  formatCount,
  formatHead,
  formatRow,
  formatTime,
  type TableColumn,
} from '../program/table.js';
import { addResult, newRecord } from '../record/record.js';

/** What draws: the ways of `splats`, and the other example. */
const WAYS = ['worker', 'threads', 'gpu', 'particles'] as const;
type Way = (typeof WAYS)[number];

export const help: string = `Times the frames of the examples splats (each way to sort) and
particles. Of splats, it compares orders with the depths of their own frame, and of the frame
before. npm run bundle makes the pages.

  --ways ${WAYS.join()}  (all)
  --points N         points of splats (2000000)
  --discs N          discs of particles (100000)
  --seconds N        of each (5)
  --frames N         whose orders are compared (10)
  --limit S          seconds after which a way is given up (60)
  --json FILE        writes the samples
  --pictures DIR     writes what was seen
  --init FILE        code that each page runs first
${BROWSER_HELP}`;

/** An example in a way, and what was seen of it. */
interface ExampleResult extends Frames {
  readonly example: 'splats' | 'particles';
  readonly way: Way;
  readonly count: number;
  /** Of splats: orders of some frames. */
  readonly orders?: readonly OrderCheck[];
  readonly verified: boolean;
}

const COLUMNS: readonly TableColumn[] = [
  { title: 'way', width: 9, align: 'left' },
  { title: 'count', width: 9, align: 'right' },
  { title: 'frames/s', width: 8, align: 'right' },
  { title: 'median', width: 8, align: 'right' },
  { title: '95 %', width: 8, align: 'right' },
  { title: 'longest', width: 8, align: 'right' },
  { title: 'off by', width: 9, align: 'right' },
  { title: 'frame before', width: 12, align: 'right' },
  { title: 'right', width: 5, align: 'left' },
];

export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      ...BROWSER_FLAGS,
      ways: { type: 'string', default: WAYS.join() },
      points: { type: 'string', default: '2000000' },
      discs: { type: 'string', default: '100000' },
      seconds: { type: 'string', default: '5' },
      frames: { type: 'string', default: '10' },
      limit: { type: 'string', default: '60' },
      json: { type: 'string' },
      pictures: { type: 'string' },
      init: { type: 'string' },
    },
  });
  const { flags, init, json, pictures } = values;
  const ways = someOf('--ways', values.ways, WAYS);
  const points = wholeNumber('--points', values.points, 2);
  const discs = wholeNumber('--discs', values.discs, 1);
  const seconds = wholeNumber('--seconds', values.seconds, 1);
  const frames = wholeNumber('--frames', values.frames, 1);
  const limit = wholeNumber('--limit', values.limit, 1);
  const script = init === undefined ? '' : await readFile(init, 'utf8');
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  const record = newRecord<ExampleResult, object>(SEED, { flags, window: WINDOW });
  console.log(formatHead(COLUMNS));
  let failed = 0;
  for (const way of ways) {
    const isSplats = way !== 'particles';
    const count = isSplats ? points : discs;
    const example = isSplats ? 'splats' : 'particles';
    const path = isSplats ? `?points=${points}` : `?discs=${discs}`;
    const start = { path, isReady: "document.readyState === 'complete'", init: script };
    const measure = async (browser: Browser): Promise<void> => {
      await choose(browser, way);
      const watched = await callIn<Frames>(browser, watchFrames, seconds);
      if (watched.milliseconds.length === 0) throw new Error(`no frame was drawn in ${seconds} s`);
      if (pictures !== undefined) await takePicture(browser, join(pictures, `${way}.png`));
      const more = isSplats && { orders: await callIn<OrderCheck[]>(browser, checkOrders, frames) };
      const verified = !more || more.orders.every((order) => isRight(order, way));
      const result = { example, way, count, ...watched, ...more, verified } as const;
      addResult(record, result, json);
      console.log(describe(result));
    };
    try {
      await withSite(example, values, (browser) => within(limit, measure(browser)), start);
    } catch (error) {
      failed++;
      console.log(`${way}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return failed === 0 && record.results.every(({ verified }) => verified);
}

/** Of the window, in pixels. */
const WINDOW = { width: 1280, height: 720 };

/** Chooses a way of `splats`, and waits until the page draws by it, at its usual pace. */
async function choose(browser: Browser, way: Way): Promise<void> {
  const metrics = { ...WINDOW, deviceScaleFactor: 1, mobile: false };
  await browser.call('Emulation.setDeviceMetricsOverride', metrics);
  const needsGpu = way === 'gpu' || way === 'particles';
  await waitFor(browser, 'globalThis.example !== undefined', needsGpu);
  let isDrawing = 'example.frames() > 0';
  if (way !== 'particles') {
    const choice = `document.querySelector('[value=${way}]')`;
    await browser.evaluate(`${choice}.click()`);
    isDrawing = `(async () => ${choice}.checked && (await example.drawn()) !== undefined)()`;
  }
  await waitFor(browser, isDrawing, needsGpu);
  await callIn(browser, watchFrames, 1);
}

/** Waits until `condition` is true in the page. @throws Error where it says that it has no GPU. */
async function waitFor(browser: Browser, condition: string, needsGpu: boolean): Promise<void> {
  while ((await browser.evaluate(condition)) !== true) {
    const said = String(await browser.evaluate('document.body.innerText'));
    if (needsGpu && /GPU is lost|no WebGPU/.test(said)) throw new Error(said.replaceAll('\n', ' '));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** `work`, given up after some seconds: a GPU that hangs says nothing. */
async function within(seconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((_, reject) => {
    const fail = (): void => reject(new Error(`not over after ${seconds} s`));
    timer = setTimeout(fail, 1000 * seconds);
  });
  try {
    await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls a function of this program in the page, where nothing else of the program is. */
const callIn = <Value>(
  browser: Browser,
  task: (argument: number) => Promise<Value>,
  argument: number,
): Promise<Value> => browser.evaluate<Value>(`(${task})(${argument})`);

/** On the CPU orders come some frames late; on the GPU they are those of the frame. */
const isRight = ({ whole, thisFrame, frameBefore }: OrderCheck, way: Way): boolean =>
  whole && (way !== 'gpu' || (thisFrame < ROUNDING && frameBefore > thisFrame));

/** Of the points, which the example makes. */
const SEED = 7;

/** Depths of some units, in single precision, by the GPU and by the CPU. */
const ROUNDING = 1e-5;

function describe({ way, count, milliseconds, orders, verified, figures }: ExampleResult): string {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const off = (name: 'thisFrame' | 'frameBefore'): string =>
    orders === undefined ? '' : median(orders.map((order) => order[name])).toExponential(1);
  const mean = sorted.reduce((sum, time) => sum + time, 0) / sorted.length;
  const row = formatRow(COLUMNS, [
    way,
    formatCount(count),
    (1000 / mean).toFixed(1),
    ...[quantile(sorted, 0.5), quantile(sorted, 0.95), quantile(sorted, 1)].map(formatTime),
    off('thisFrame'),
    off('frameBefore'),
    verified ? 'yes' : 'NO',
  ]);
  return `${row}\n  ${figures.at(-1)?.replaceAll('\n', '; ')}`;
}

async function takePicture(browser: Browser, file: string): Promise<void> {
  const shot = await browser.call('Page.captureScreenshot');
  await writeFile(file, Buffer.from(String(shot.data), 'base64'));
}
