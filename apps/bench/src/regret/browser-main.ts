/** `npm run bundle:regret` makes one folder of this and of the page, for machines with a browser and Node. */

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Browser } from '../pages/browser.js';
import { serveFolder } from '../pages/serve-folder.js';
import type { Regret } from './measure.js';
import { REGRET_FLAGS, REGRET_HELP, regretOptions } from './options.js';
import { recorder } from './record.js';

/** Of the package; the bundler writes it here. */
declare const KEYSWEEP_VERSION: string;

const HELP = `How many times as long the backend that 'auto' chooses takes as the best one does, with and without
calibrate(), in a page of Chromium. Every backend sorts the same keys, in turns; every result is checked.

${REGRET_HELP}
  --chromium FILE             the browser (chromium)
  --flags="..."               its flags (those for WebGPU and WebGL2 without a display)
`;

const FLAGS =
  '--headless=new --no-sandbox --enable-unsafe-webgpu --ignore-gpu-blocklist --use-angle=vulkan --enable-features=Vulkan --disable-vulkan-surface';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      ...REGRET_FLAGS,
      chromium: { type: 'string', default: 'chromium' },
      flags: { type: 'string', default: FLAGS },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return console.log(HELP);
  const { json, ...options } = regretOptions(values);
  const site = await serveFolder(dirname(fileURLToPath(import.meta.url)));
  const browser = await Browser.start(values.chromium, values.flags.split(' '));
  try {
    await browser.open(site.url);
    const outcome = await browser.evaluate(`keysweepTasks.regret(${JSON.stringify(options)})`);
    const { results, profile } = outcome as Regret;
    const record = recorder(json, KEYSWEEP_VERSION, options.seed);
    for (const result of results) record(result, profile);
    if (!results.every(({ verified }) => verified)) throw new Error('Not every result was right.');
  } finally {
    await browser.close();
    site.close();
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
