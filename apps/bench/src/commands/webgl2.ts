/** `npm run bundle:webgl2` makes one folder of this and of the page, for machines with a GPU, a browser and Node. */

import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Browser } from '../pages/browser.js';
import { serveFolder } from '../pages/serve-folder.js';

const HELP = `Checks and measures keysweep's WebGL2 backend in Chromium, on this machine's GPU.

node main.mjs check     the conformance suite in a worker and in the page, and every boundary of 16 bits
  --only TEXT           only the checks whose name has TEXT in it
  --seed N              of their random inputs
node main.mjs measure   ordinary Uint32Arrays, in turns with the built-in sort; every result is checked
  --sizes 18,20,22      powers of two (18,19,20,21,22,23,24)
  --samples N           sorts that count, of each kind and size (7)
  --page                in the page instead of a worker
  --slots 4             textures a fragment writes, with --page (8 where the GPU can)
  --json FILE           writes the samples
Both:
  --chromium FILE       the browser (chromium)
  --flags="..."         its flags (those for WebGL2 through ANGLE on Vulkan)
`;

/** Hardware WebGL2 without a display. */
const FLAGS =
  '--headless=new --no-sandbox --ignore-gpu-blocklist --use-angle=vulkan --enable-features=Vulkan --disable-vulkan-surface';

async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string', default: '' },
      seed: { type: 'string' },
      sizes: { type: 'string', default: '18,19,20,21,22,23,24' },
      samples: { type: 'string', default: '7' },
      page: { type: 'boolean', default: false },
      slots: { type: 'string', default: '8' },
      json: { type: 'string' },
      chromium: { type: 'string', default: 'chromium' },
      flags: { type: 'string', default: FLAGS },
    },
  });
  const [task] = positionals;
  if (task !== 'check' && task !== 'measure') {
    console.log(HELP);
    return false;
  }
  const site = await serveFolder(dirname(fileURLToPath(import.meta.url)));
  const browser = await Browser.start(values.chromium, values.flags.split(' '));
  try {
    await browser.open(site.url);
    const options =
      task === 'check'
        ? { only: values.only, ...(values.seed ? { seed: Number(values.seed) } : {}) }
        : {
            sizes: values.sizes.split(',').map(Number),
            samples: Number(values.samples),
            backend: {
              worker: !values.page,
              ...(values.slots === '4' ? { slotBits: 2 } : {}),
            },
          };
    const call = `keysweepTasks.${task}(${JSON.stringify(options)})`;
    const outcome = await browser.evaluate(call);
    if (values.json !== undefined) await writeFile(values.json, JSON.stringify(outcome, null, 1));
    return task === 'measure' || (Array.isArray(outcome) && outcome.length === 0);
  } finally {
    await browser.close();
    site.close();
  }
}

process.exitCode = (await main()) ? 0 : 1;
