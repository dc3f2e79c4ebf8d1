/** `regret`: what the dispatcher's choices cost, in Node or in a page. */

import { parseArgs } from 'node:util';
import type { Profile } from 'keysweep';
import { useSoftware } from '../gpu/device/software.js';
import { BROWSER_FLAGS, BROWSER_HELP, fromAnyBrowser, withSite } from '../pages/site.js';
import type { Command } from '../program/command.js';
import { seedOf, someOf, wholeNumber } from '../program/options.js';
import { addResult, type BenchmarkRecord, newRecord } from '../record/record.js';
import { KEY_TYPES, OPERATIONS } from '../regret/definitions.js';
import {
  measureRegret,
  type Regret,
  type RegretOptions,
  type RegretResult,
  summaryOf,
} from '../regret/measure.js';

const help = `How many times as long the backend that 'auto' chooses takes as the
fastest one does, with built-in figures and after calibrate(). Every backend sorts the same keys, in
turns; every result is checked.

  --shortest N, --longest N   of the lengths 1e2 to 2^26 those from N to N
  --types u8,u16,u32,f32,u64,f64   some of these
  --operations sort,sortPairs,argsort
  --samples N                 of each backend (5)
  --seed N                    the same inputs again
  --allow-software            counts software adapters as GPUs
  --software FOLDER           in Node: the SwiftShader of the Chromium in FOLDER
  --json FILE                 writes the samples
  --page                      in a page of Chromium instead of Node
  --open                      in a page of any browser, whose address is printed
${BROWSER_HELP}`;

/** A record of regret, with the profile that `calibrate()` made. */
export interface RegretRecord extends BenchmarkRecord<RegretResult> {
  readonly profile: Profile;
}

export interface RegretCall {
  readonly options: RegretOptions;
  readonly software: string | undefined;
  readonly json: string | undefined;
  /** Where it runs: a page of Chromium, a page that somebody opens, or this process. */
  readonly where: 'page' | 'open' | 'here';
  /** The browser and its flags. */
  readonly browser: { readonly chromium: string; readonly flags: string };
}

/** @throws Error for what is no option, or has no such value. */
export function optionsOf(args: string[]): RegretCall {
  const { values } = parseArgs({
    args,
    options: {
      ...BROWSER_FLAGS,
      shortest: { type: 'string', default: '100' },
      longest: { type: 'string', default: '67108864' },
      types: { type: 'string', default: KEY_TYPES.join() },
      operations: { type: 'string', default: OPERATIONS.join() },
      samples: { type: 'string', default: '5' },
      seed: { type: 'string' },
      'allow-software': { type: 'boolean', default: false },
      software: { type: 'string' },
      json: { type: 'string' },
      page: { type: 'boolean', default: false },
      open: { type: 'boolean', default: false },
    },
  });
  return {
    options: {
      shortest: wholeNumber('--shortest', values.shortest, 1),
      longest: wholeNumber('--longest', values.longest, 1),
      keyTypes: someOf('--types', values.types, KEY_TYPES),
      operations: someOf('--operations', values.operations, OPERATIONS),
      samples: wholeNumber('--samples', values.samples, 1),
      seed: seedOf(values.seed),
      allowSoftware: values['allow-software'],
    },
    software: values.software,
    json: values.json,
    where: values.open ? 'open' : values.page ? 'page' : 'here',
    browser: values,
  };
}

async function run(args: string[]): Promise<boolean> {
  const { options, software, json, where, browser } = optionsOf(args);
  if (software !== undefined) useSoftware(software);
  let record: RegretRecord | undefined;
  const onResult = (result: RegretResult, profile: Profile): void => {
    record ??= newRecord(options.seed, { profile });
    addResult(record, result, json);
  };
  if (where === 'here') await measureRegret(options, onResult);
  else {
    const { results, profile } =
      where === 'open'
        ? await fromAnyBrowser<Regret>('regret', options)
        : await withSite('page', browser, (page) =>
            page.evaluate<Regret>(`keysweepTasks.regret(${JSON.stringify(options)})`),
          );
    for (const result of results) onResult(result, profile);
    if (where === 'open') console.log(summaryOf(results));
  }
  return record?.results.every(({ verified }) => verified) ?? false;
}

export const command: Command = { help, run };
