/** `webgl2`: checks the webgl2 backend in Chromium, on this machine's GPU. */

import { parseArgs } from 'node:util';
import { BROWSER_FLAGS, BROWSER_HELP, withSite } from '../pages/site.js';
import type { CheckOptions } from '../pages/webgl2-check.js';
import type { Command } from '../program/command.js';
import { seedOf } from '../program/options.js';

const help = `Checks the webgl2 backend in a page of Chromium, which npm run bundle
makes: the conformance suite, and every boundary of 16 bits.

  --only TEXT                 only the checks whose name has TEXT in it
  --seed N                    of their random inputs
${BROWSER_HELP}`;

async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      ...BROWSER_FLAGS,
      only: { type: 'string', default: '' },
      seed: { type: 'string' },
    },
  });
  const options: CheckOptions = { only: values.only, seed: seedOf(values.seed) };
  return withSite('page', values, async (page) => {
    const call = `keysweepTasks.checkWebgl2(${JSON.stringify(options)})`;
    return (await page.evaluate<string[]>(call)).length === 0;
  });
}

export const command: Command = { help, run };
