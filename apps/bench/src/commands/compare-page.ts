/** `npm run bundle:compare` makes one folder of this and of the comparison page, for machines with a GPU, a browser and Node. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Browser } from '../pages/browser.js';
import { PICTURES, takePicture } from '../pages/pictures.js';
import { serveFolder } from '../pages/serve-folder.js';

const HELP = `Runs keysweep's comparison page in Chromium, on this machine's GPU, and saves its record and pictures.

node record.mjs --out DIR
  --sizes 10,12,14      powers of two (10,12,14,16,18,20,22,24,26)
  --samples N           of each (7)
  --settings TEXT       more of them, as in a link to the page: keyType=f32&payload=32
  --software            software renderers too
  --limit S             seconds after which it is given up (1800)
  --chromium FILE       the browser (chromium)
  --flags="..."         its flags (those for WebGPU and WebGL2 on Vulkan)
`;

/** Hardware WebGPU and WebGL2 without a display. */
const FLAGS =
  '--headless=new --no-sandbox --enable-unsafe-webgpu --ignore-gpu-blocklist --use-angle=vulkan --enable-features=Vulkan --disable-vulkan-surface';

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

/** Notes what keeps the page's own thread busy. */
const WATCH_TASKS = `{
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(Math.round(duration));
  }).observe({ type: 'longtask' });
}`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      sizes: { type: 'string', default: '10,12,14,16,18,20,22,24,26' },
      samples: { type: 'string', default: '7' },
      settings: { type: 'string', default: '' },
      software: { type: 'boolean', default: false },
      limit: { type: 'string', default: '1800' },
      chromium: { type: 'string', default: 'chromium' },
      flags: { type: 'string', default: FLAGS },
    },
  });
  if (values.out === undefined) {
    console.log(HELP);
    process.exitCode = 2;
    return;
  }
  const lengths = values.sizes.split(',').map((power) => 2 ** Number(power));
  const hash = `lengths=${lengths}&samples=${values.samples}&software=${values.software}&${values.settings}`;
  const site = await serveFolder(join(dirname(fileURLToPath(import.meta.url)), 'site'));
  const browser = await Browser.start(values.chromium, values.flags.split(' '));
  try {
    await browser.open(`${site.url}#${hash}`, "document.querySelector('#run')?.disabled === false");
    console.log(await browser.evaluate("document.querySelector('#device-backends').innerText"));
    await record(browser, values.out, Number(values.limit));
  } finally {
    await browser.close();
    site.close();
  }
}

/** Has the page measure, and saves what comes of it. @throws Error where it takes too long. */
async function record(browser: Browser, folder: string, limit: number): Promise<void> {
  await browser.evaluate(WATCH_TASKS);
  await browser.evaluate("document.querySelector('#run').click()");
  const end = Date.now() + 1000 * limit;
  let told = '';
  while ((await browser.evaluate('document.body.dataset.run')) !== 'over') {
    if (Date.now() > end) throw new Error(`the run was not over after ${limit} s`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const what = String(
      await browser.evaluate("document.querySelector('#progress-what').innerText"),
    );
    const length = what.split(':')[0] ?? '';
    if (length !== told) console.log(length);
    told = length;
  }
  console.log(await browser.evaluate("document.querySelector('#run-news').innerText"));
  console.log(await browser.evaluate("document.querySelector('#verdicts').innerText"));
  console.log(
    `tasks of the page's thread over 50 ms, in ms: ${await browser.evaluate('longTasks.join(", ")')}`,
  );
  await mkdir(folder, { recursive: true });
  const text = String(await browser.evaluate(TAKE_RECORD));
  const { date } = JSON.parse(text) as { date: string };
  const stem = join(folder, `${date.slice(0, 19).replaceAll(':', '')}Z-compare`);
  await writeFile(`${stem}.json`, text);
  console.log(`${stem}.json`);
  for (const picture of PICTURES) {
    await writeFile(`${stem}-${picture.name}.png`, await takePicture(browser, picture));
    console.log(`${stem}-${picture.name}.png`);
  }
}

await main();
