/** `first-sorts`: the first sort of a process, or of a page, beside the built-in one. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { median } from '@keysweep/conformance/statistics';
import { type FirstCase, type FirstSort, SORTERS, type SorterName } from '../first/first-sort.js';
import { BROWSER_FLAGS, BROWSER_HELP, withSite } from '../pages/site.js';
import { matching, seedOf, wholeNumber } from '../program/options.js';
import {
  formatCount,
  formatHead,
  formatRow,
  formatTime,
  type TableColumn,
} from '../program/table.js';
import { addResult, nameRun, newRecord } from '../record/record.js';

export const help: string = `Times the first sort of a fresh process, or with --page of a fresh page
in Chromium, and the built-in sort in another, alternately. The import of keysweep does not count;
whatever the call loads and starts does. npm run bundle makes the page.

  --samples N     of each case (10)
  --only TEXT     cases whose name has TEXT in it, such as 'f64 1000000'
  --seed N        of the keys
  --json FILE     writes the samples
  --page          in Chromium
${BROWSER_HELP}`;

const CASES: readonly FirstCase[] = (['u32', 'f32', 'u64', 'f64'] as const).flatMap((keyType) =>
  [1e3, 1e4, 1e5, 3e5, 1e6, 3e6].map((length) => ({ keyType, length })),
);

const nameOf = ({ keyType, length }: FirstCase): string => `${keyType} ${length}`;

export interface FirstResult extends FirstCase {
  readonly operation: 'sort';
  readonly distribution: 'random';
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly verified: boolean;
}

type SortFirst = (who: SorterName, one: FirstCase, seed: number) => Promise<FirstSort>;

const COLUMNS: readonly TableColumn[] = [
  { title: 'keys', width: 6, align: 'left' },
  { title: 'length', width: 9, align: 'right' },
  { title: 'first', width: 9, align: 'right' },
  { title: 'built-in', width: 9, align: 'right' },
  { title: 'ratio', width: 6, align: 'right' },
  { title: 'right', width: 5, align: 'left' },
];

const inProcess: SortFirst = async (who, { keyType, length }, seed) => {
  const file = fileURLToPath(new URL('../first/process.js', import.meta.url));
  const args = [file, who, keyType, `${length}`, `${seed}`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as FirstSort;
};

export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      samples: { type: 'string', default: '10' },
      only: { type: 'string', default: '' },
      seed: { type: 'string' },
      json: { type: 'string' },
      page: { type: 'boolean', default: false },
      ...BROWSER_FLAGS,
    },
  });
  const samples = wholeNumber('--samples', values.samples, 1);
  const cases = matching(CASES, nameOf, values.only);
  const seed = seedOf(values.seed);
  const inPage: SortFirst = (who, one, seed) =>
    withSite('first', values, (browser) =>
      browser.evaluate(`sortFirst(${JSON.stringify(who)}, ${JSON.stringify(one)}, ${seed})`),
    );
  const sortFirst = values.page ? inPage : inProcess;
  const record = newRecord<FirstResult, { readonly where: string }>(seed, {
    where: values.page ? 'page' : 'process',
  });
  console.log(`${nameRun(record)}\n\n${formatHead(COLUMNS)}`);
  let isRight = true;
  for (const one of cases) {
    const times: Record<SorterName, number[]> = { ours: [], theirs: [] };
    let verified = true;
    for (let i = 0; i < samples; i++) {
      for (const who of SORTERS) {
        const found = await sortFirst(who, one, seed + i);
        times[who].push(found.milliseconds);
        verified &&= found.verified;
      }
    }
    const [ours, theirs] = [median(times.ours), median(times.theirs)];
    const cells = [formatTime(ours), formatTime(theirs), (ours / theirs).toFixed(2)];
    const right = verified ? 'yes' : 'NO';
    console.log(formatRow(COLUMNS, [one.keyType, formatCount(one.length), ...cells, right]));
    const result = {
      operation: 'sort',
      ...one,
      distribution: 'random',
      ...times,
      verified,
    } as const;
    addResult(record, result, values.json);
    isRight &&= verified;
  }
  return isRight;
}
