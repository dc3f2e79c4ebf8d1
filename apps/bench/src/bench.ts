/** `npm run bench`: keysweep beside the built-in sort, over sizes, types and distributions. */

import { parseArgs } from 'node:util';
import { Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { createSorter } from 'keysweep';
import {
  callsOf,
  DEFINITIONS,
  type Definition,
  makeInput,
  nameOf,
  samplesOf,
} from './definitions.js';
import { matching, wholeNumber } from './options.js';
import { describeMachine, packageVersion, type RecordedResult, writeRecord } from './record.js';
import { measure } from './runner.js';
import {
  formatCount,
  formatHead,
  formatRatio,
  formatRow,
  formatTime,
  type TableColumn,
} from './table.js';
import { WORKLOADS } from './workload.js';

const HELP = `Measures keysweep beside TypedArray.prototype.sort, or, for argsort and sortPairs, beside a sort of
indices with a comparator.

  --only PATTERN  only the lines whose name has PATTERN in it, such as "sort u32" or 1e6
  --samples N     N samples of each, instead of 3 to 11
  --seed N        the same inputs again
  --record        write the samples to apps/bench/records/
  --help          this text
`;

const COLUMNS: readonly TableColumn[] = [
  { title: 'operation', width: 9, align: 'left' },
  { title: 'type', width: 4, align: 'left' },
  { title: 'input', width: 8, align: 'left' },
  { title: 'length', width: 10, align: 'right' },
  { title: 'backend', width: 8, align: 'left' },
  { title: 'keysweep', width: 11, align: 'right' },
  { title: 'built-in', width: 11, align: 'right' },
  { title: 'ratio', width: 7, align: 'right' },
  { title: 'verified', width: 8, align: 'left' },
];

interface Options {
  readonly definitions: readonly Definition[];
  /** undefined: as many as each definition's length allows. */
  readonly samples: number | undefined;
  readonly seed: number;
  readonly record: boolean;
}

/** @throws Error for a person when the command line makes no sense. */
function parseOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: '' },
      samples: { type: 'string' },
      seed: { type: 'string' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    definitions: matching(DEFINITIONS, nameOf, values.only),
    samples: wholeNumber('--samples', values.samples, 1),
    seed: wholeNumber('--seed', values.seed, 0) ?? Date.now() % 2 ** 31,
    record: values.record,
  };
}

async function runBenchmark({ definitions, samples, seed, record }: Options): Promise<boolean> {
  const random = new Random(seed);
  const machine = describeMachine();
  const results: RecordedResult[] = [];
  console.log(`${machine.cpu}, ${machine.cores} cores, Node.js ${machine.node}; seed ${seed}.`);
  console.log(
    'Medians of one call. Above 1, the ratio says how many times as fast as the built-in keysweep is.\n',
  );
  console.log(formatHead(COLUMNS));
  const sorter = await createSorter();
  try {
    await sorter.warmUp(Math.max(...definitions.map(({ length }) => length)));
    for (const definition of definitions) {
      const calls = callsOf(definition);
      const measurement = await measure(sorter, {
        workload: WORKLOADS[definition.operation],
        makeInput: () => makeInput(definition, random),
        samples: samples ?? samplesOf(definition),
        calls,
        warmUp: definition.length <= 1e6,
      });
      const { ours, theirs, report, fault } = measurement;
      const { backend } = report;
      results.push({ ...definition, backend, calls, ours, theirs, verified: fault === undefined });
      console.log(rowOf(results.at(-1) as RecordedResult, fault));
    }
  } finally {
    await sorter.close();
  }
  if (record) {
    const date = new Date().toISOString();
    const path = writeRecord({ date, version: packageVersion(), seed, machine, results });
    console.log(`\nRecorded in ${path}`);
  }
  return results.every(({ verified }) => verified);
}

function rowOf(result: RecordedResult, fault: string | undefined): string {
  const [ours, theirs] = [median(result.ours), median(result.theirs)];
  return formatRow(COLUMNS, [
    result.operation,
    result.keyType,
    result.distribution,
    formatCount(result.length),
    result.backend,
    formatTime(ours),
    formatTime(theirs),
    formatRatio(theirs / ours),
    fault === undefined ? 'yes' : `NO: ${fault}`,
  ]);
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') console.log(HELP);
  else if (!(await runBenchmark(options))) {
    console.error('\nNot every result was right.');
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
