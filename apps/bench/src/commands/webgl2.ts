/** `webgl2`: the webgl2 backend in Chromium, on this machine's GPU. */

import { parseArgs } from 'node:util';
import { BROWSER_FLAGS, BROWSER_HELP, withSite } from '../pages/site.js';
import type { CheckOptions } from '../pages/webgl2-check.js';
import type { Measured, MeasureOptions } from '../pages/webgl2-measure.js';
import { lengthsOf, oneOf, seedOf, wholeNumber } from '../program/options.js';
import { addResult, newRecord } from '../record/record.js';

export const help: string = `Checks or times the webgl2 backend in a page of Chromium, which
npm run bundle makes.

webgl2 check            the conformance suite, and every boundary of 16 bits
  --only TEXT           only the checks whose name has TEXT in it
  --seed N              of their random inputs
webgl2 measure          ordinary Uint32Arrays, in turns with the built-in sort; every result is
                        compared
  --sizes 18,20,22      powers of two (18,19,20,21,22,23,24)
  --samples N           sorts that count, of each kind and size (7)
  --slots 4             textures that a fragment writes (8 where the GPU can)
  --json FILE           writes the samples
Both:
${BROWSER_HELP}`;

/** @throws Error for what is no option, or has no such value. */
export function optionsOf(args: string[]): {
  readonly task: 'check' | 'measure';
  readonly check: CheckOptions;
  readonly measure: MeasureOptions;
  readonly json: string | undefined;
  readonly browser: { readonly chromium: string; readonly flags: string };
} {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...BROWSER_FLAGS,
      only: { type: 'string', default: '' },
      seed: { type: 'string' },
      sizes: { type: 'string', default: '18,19,20,21,22,23,24' },
      samples: { type: 'string', default: '7' },
      slots: { type: 'string', default: '8' },
      json: { type: 'string' },
    },
  });
  const slots = oneOf('--slots', values.slots, ['4', '8']);
  return {
    task: oneOf('webgl2', positionals.join(' '), ['check', 'measure']),
    check: { only: values.only, seed: seedOf(values.seed) },
    measure: {
      lengths: lengthsOf(values.sizes),
      samples: wholeNumber('--samples', values.samples, 1),
      seed: seedOf(values.seed),
      slotBits: slots === '4' ? 2 : 3,
    },
    json: values.json,
    browser: values,
  };
}

export async function run(args: string[]): Promise<boolean> {
  const { task, check, measure, json, browser } = optionsOf(args);
  return withSite('page', browser, async (page) => {
    if (task === 'check') {
      const call = `keysweepTasks.checkWebgl2(${JSON.stringify(check)})`;
      return (await page.evaluate<string[]>(call)).length === 0;
    }
    const call = `keysweepTasks.measureWebgl2(${JSON.stringify(measure)})`;
    const results = await page.evaluate<Measured[]>(call);
    const record = newRecord<Measured, object>(measure.seed, {});
    for (const result of results) addResult(record, result, json);
    return true;
  });
}
