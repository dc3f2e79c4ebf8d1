/** `demo`: keysweep on a table of flights and on random numbers, beside the built-in sort. */

import { parseArgs } from 'node:util';
import { type CommonKeyType, makeKeys, Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { createSorter, type Operation, type Sorter } from 'keysweep';
import { readFlights } from '../inputs/flights.js';
import { type Measurement, measure } from '../measure/runner.js';
import { type Input, WORKLOADS } from '../measure/workload.js';
import {
  formatCount,
  formatHead,
  formatRatio,
  formatRow,
  formatTime,
  type TableColumn,
} from '../program/table.js';
import { describeMachine } from '../record/record.js';

export const help = `Sorts the columns of a table of three million flights, and random numbers, by
keysweep and by the built-in sort. Every result is compared. Takes no options, about a minute and
some 2 GB.`;

const COLUMNS: readonly TableColumn[] = [
  { title: 'what', width: 27, align: 'left' },
  { title: 'rows', width: 10, align: 'right' },
  { title: 'type', width: 7, align: 'left' },
  { title: 'keysweep', width: 9, align: 'right' },
  { title: 'built-in', width: 9, align: 'right' },
  { title: 'ratio', width: 6, align: 'right' },
  { title: 'verified', width: 8, align: 'left' },
  { title: 'backend', width: 7, align: 'left' },
  { title: 'why', width: 3, align: 'left' },
];

/** One row of the table. */
interface Example {
  readonly what: string;
  readonly operation: Operation;
  readonly makeInput: () => Input;
  readonly samples: number;
  /** Calls in a sample. */
  readonly calls: number;
}

const RANDOM: readonly (readonly [keyType: CommonKeyType, length: number])[] = [
  ['u32', 1e3],
  ['u32', 1e4],
  ['u32', 1e5],
  ['u32', 1e6],
  ['u32', 1e7],
  ['f32', 1e6],
  ['f32', 1e7],
  ['f64', 1e6],
  ['f64', 1e7],
];

async function listExamples(): Promise<Example[]> {
  const { date, delay, distance } = await readFlights();
  const flights = (
    what: string,
    operation: Operation,
    columns: Input['columns'],
    samples: number,
  ): Example => {
    const makeInput = (): Input => ({ columns, values: undefined });
    return { what, operation, makeInput, samples, calls: 1 };
  };
  const random = new Random(Date.now());
  return [
    flights('flights by date', 'sort', [date], 3),
    flights('flights by delay', 'sort', [delay], 3),
    flights('flights by distance', 'sort', [distance], 3),
    flights('flights by distance, delay', 'argsort', [distance, delay], 1),
    ...RANDOM.map(([keyType, length]): Example => {
      const makeInput = (): Input => ({
        columns: [makeKeys(keyType, length, 'random', random)],
        values: undefined,
      });
      const calls = Math.max(1, Math.floor(1e5 / length));
      return { what: 'random numbers', operation: 'sort', makeInput, samples: 5, calls };
    }),
  ];
}

/**
 * Measures every example and prints its row at once. Resolves to whether all results were right.
 */
async function measureAll(sorter: Sorter, examples: readonly Example[]): Promise<boolean> {
  const started = performance.now();
  const ratios: number[] = [];
  let right = 0;
  console.log(formatHead(COLUMNS));
  for (const example of examples) {
    const workload = WORKLOADS[example.operation];
    const measurement = await measure(sorter, { ...example, workload, warmUp: example.calls > 1 });
    console.log(rowOf(example, measurement));
    ratios.push(median(measurement.theirs) / median(measurement.ours));
    if (measurement.fault === undefined) right++;
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map(formatRatio);
  console.log(
    `\n${right} of ${examples.length} verified. keysweep ran at ${least} to ` +
      `${most} the speed of the built-in, ${formatRatio(median(ratios))} at the ` +
      `median (${seconds} s in all).`,
  );
  return right === examples.length;
}

function rowOf({ what }: Example, { ours, theirs, report, fault }: Measurement): string {
  const [us, them] = [median(ours), median(theirs)];
  const row = formatRow(COLUMNS, [
    what,
    formatCount(report.length),
    report.keyTypes.join('+'),
    formatTime(us),
    formatTime(them),
    formatRatio(them / us),
    fault === undefined ? 'yes' : `NO: ${fault}`,
    report.backend,
    report.reason,
  ]);
  // The reason is the one cell that may be long: on a terminal it is cut rather than wrapped.
  const width = process.stdout.columns || Number.POSITIVE_INFINITY;
  return fault !== undefined || row.length <= width ? row : `${row.slice(0, width - 1)}…`;
}

export async function run(args: string[]): Promise<boolean> {
  parseArgs({ args, options: {} });
  const { cpu, cores, node } = describeMachine();
  console.log(
    `keysweep beside TypedArray.prototype.sort (for two columns: a sort of row numbers with a
comparator) on ${cpu}, ${cores} cores, Node.js ${node}. Medians; every result is compared bit for
bit, and the order of the table checked to be sorted and stable. Reading three million flights …
`,
  );
  const sorter = await createSorter();
  try {
    const examples = await listExamples();
    await sorter.warmUp(1e7);
    return await measureAll(sorter, examples);
  } finally {
    await sorter.close();
  }
}
