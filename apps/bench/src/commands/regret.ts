/** `npm run bench:regret`: what the dispatcher's choices cost in Node. */

import { parseArgs } from 'node:util';
import { packageVersion } from '../record/record.js';
import { measureRegret } from '../regret/measure.js';
import { REGRET_FLAGS, REGRET_HELP, regretOptions } from '../regret/options.js';
import { recorder } from '../regret/record.js';

const HELP = `How many times as long the backend that 'auto' chooses takes as the best one does, with and without
calibrate(), in Node. Every backend sorts the same keys, in turns; every result is checked.

${REGRET_HELP}
`;

try {
  const { values } = parseArgs({ options: { ...REGRET_FLAGS, help: { type: 'boolean' } } });
  if (values.help) console.log(HELP);
  else {
    const { json, ...options } = regretOptions(values);
    const record = recorder(json, packageVersion(), options.seed);
    const { results } = await measureRegret(() => undefined, options, record);
    if (!results.every(({ verified }) => verified)) throw new Error('Not every result was right.');
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
