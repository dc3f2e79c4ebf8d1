/** `compare-page`: the comparison page's record, by Chromium on this machine's GPU. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from '../pages/browser.js';
import { BROWSER_FLAGS, BROWSER_HELP, withSite } from '../pages/site.js';
import type { Command } from '../program/command.js';
import { lengthsOf, wholeNumber } from '../program/options.js';

const help = `Runs the comparison page in Chromium, and saves its record.
npm run bundle makes the page.

compare-page --out DIR
  --sizes 10,12,14      powers of two (10,12,14,16,18,20,22,24,26)
  --samples N           of each (7)
  --settings TEXT       more of them, as in a link to the page (all backends, keyType=u32)
  --software            software renderers too
  --limit S             seconds after which the run is given up (1800)
${BROWSER_HELP}`;

/** The settings of a record, as in a link to the page. */
const STANDARD = 'keyType=u32&rivals=cpu,webgpu,resident,webgl2';

/** The page's record, as its button saves it. */
const TAKE_RECORD = `new Promise((resolve) => {
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    URL.createObjectURL = make;
    blob.text().then(resolve);
    return make.call(URL, blob);
  };
  document.querySelector('#export-json').click();
})`;

/** Collects the long tasks of the page's own thread. */
const WATCH_TASKS = `{
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(Math.round(duration));
  }).observe({ type: 'longtask' });
}`;

async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      ...BROWSER_FLAGS,
      out: { type: 'string' },
      sizes: { type: 'string', default: '10,12,14,16,18,20,22,24,26' },
      samples: { type: 'string', default: '7' },
      settings: { type: 'string', default: STANDARD },
      software: { type: 'boolean', default: false },
      limit: { type: 'string', default: '1800' },
    },
  });
  const { out, settings, software } = values;
  if (out === undefined) throw new Error('--out DIR is missing: where to save the record');
  const lengths = lengthsOf(values.sizes);
  const samples = wholeNumber('--samples', values.samples, 1);
  const limit = wholeNumber('--limit', values.limit, 1);
  const path = `#lengths=${lengths}&samples=${samples}&software=${software}&${settings}`;
  const isReady = "document.querySelector('#run')?.disabled === false";
  await withSite(
    'compare',
    values,
    async (browser) => {
      console.log(await browser.evaluate("document.querySelector('#device-backends').innerText"));
      await record(browser, out, limit);
    },
    { path, isReady },
  );
  return true;
}

/** Runs the page's measurement, and saves its record. @throws Error if it takes too long. */
async function record(browser: Browser, folder: string, limit: number): Promise<void> {
  await browser.evaluate(WATCH_TASKS);
  await browser.evaluate("document.querySelector('#run').click()");
  const end = Date.now() + 1000 * limit;
  let printed = '';
  while ((await browser.evaluate('document.body.dataset.run')) !== 'over') {
    if (Date.now() > end) throw new Error(`the run was not over after ${limit} s`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const what = String(
      await browser.evaluate("document.querySelector('#progress-what').innerText"),
    );
    const length = what.split(':')[0] ?? '';
    if (length !== printed) console.log(length);
    printed = length;
  }
  console.log(await browser.evaluate("document.querySelector('#run-status').innerText"));
  console.log(await browser.evaluate("document.querySelector('#verdicts').innerText"));
  console.log(
    `tasks of the page's thread over 50 ms, in ms: ` +
      `${await browser.evaluate('longTasks.join(", ")')}`,
  );
  await mkdir(folder, { recursive: true });
  const text = String(await browser.evaluate(TAKE_RECORD));
  const { date } = JSON.parse(text) as { date: string };
  const stem = join(folder, `${date.slice(0, 19).replaceAll(':', '')}Z-compare`);
  await writeFile(`${stem}.json`, text);
  console.log(`${stem}.json`);
}

export const command: Command = { help, run };
