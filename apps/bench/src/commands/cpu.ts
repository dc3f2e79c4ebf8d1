/** `cpu`: keysweep beside the built-in sort, over lengths, types and distributions. */

import { parseArgs } from 'node:util';
import { Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { type BackendName, createSorter } from 'keysweep';
import {
  callsOf,
  DEFINITIONS,
  type Definition,
  makeInput,
  nameOf,
  samplesOf,
} from '../inputs/definitions.js';
import { measure } from '../measure/runner.js';
import { WORKLOADS } from '../measure/workload.js';
import { matching, optionalNumber, seedOf } from '../program/options.js';
import {
  formatCount,
  formatHead,
  formatRatio,
  formatRow,
  formatTime,
  type TableColumn,
} from '../program/table.js';
import { addResult, nameRun, newRecord } from '../record/record.js';

export const help = `Measures keysweep beside TypedArray.prototype.sort, or, for argsort and
sortPairs, beside a sort of indices with a comparator. Every result is compared. All of it takes a
minute or two.

  --only PATTERN  only the lines whose name has PATTERN in it, such as "sort u32" or 1e6
  --samples N     N samples of each, instead of 3 to 11
  --seed N        the same inputs again
  --json FILE     writes the samples`;

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

/** One definition with its samples: milliseconds a call, one number a sample. */
export interface CpuResult extends Definition {
  /** The backend that 'auto' chose. */
  readonly backend: BackendName;
  /** Calls in a sample. */
  readonly calls: number;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly verified: boolean;
}

export interface CpuOptions {
  readonly definitions: readonly Definition[];
  /** undefined: as many as each definition's length allows. */
  readonly samples: number | undefined;
  readonly seed: number;
  /** Where to write the samples. */
  readonly json: string | undefined;
}

/** @throws Error for what is no option, or has no such value. */
export function optionsOf(args: string[]): CpuOptions {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: '' },
      samples: { type: 'string' },
      seed: { type: 'string' },
      json: { type: 'string' },
    },
  });
  return {
    definitions: matching(DEFINITIONS, nameOf, values.only),
    samples: optionalNumber('--samples', values.samples, 1),
    seed: seedOf(values.seed),
    json: values.json,
  };
}

export async function run(args: string[]): Promise<boolean> {
  const { definitions, samples, seed, json } = optionsOf(args);
  const random = new Random(seed);
  const record = newRecord<CpuResult, object>(seed, {});
  console.log(nameRun(record));
  console.log(
    'Medians of one call. The ratio is the time of the built-in over that of keysweep.\n',
  );
  console.log(formatHead(COLUMNS));
  const sorter = await createSorter();
  try {
    await sorter.warmUp(Math.max(...definitions.map(({ length }) => length)));
    for (const definition of definitions) {
      const calls = callsOf(definition);
      const { ours, theirs, report, fault } = await measure(sorter, {
        workload: WORKLOADS[definition.operation],
        makeInput: () => makeInput(definition, random),
        samples: samples ?? samplesOf(definition),
        calls,
        warmUp: definition.length <= 1e6,
      });
      const { backend } = report;
      const verified = fault === undefined;
      const result: CpuResult = { ...definition, backend, calls, ours, theirs, verified };
      addResult(record, result, json);
      console.log(rowOf(result, fault));
    }
  } finally {
    await sorter.close();
  }
  return record.results.every(({ verified }) => verified);
}

function rowOf(result: CpuResult, fault: string | undefined): string {
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
