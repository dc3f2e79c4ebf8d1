/** Benchmarks as data: a suite lists cases; its subcommand measures, prints and records them. */

import { parseArgs } from 'node:util';
import { Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import type { Command } from '../program/command.js';
import { matching, optionalNumber, seedOf } from '../program/options.js';
import {
  formatHead,
  formatRatio,
  formatRow,
  formatTime,
  type TableColumn,
} from '../program/table.js';
import { addResult, nameRun, newRecord } from '../record/record.js';
import { type Case, measure, type Timing } from './runner.js';

/** A case of a suite. */
export interface SuiteCase<Result = unknown> extends Case {
  /** The results for the record. Default: one for each way. */
  resultsOf?(timings: readonly Timing[]): readonly Result[];
  /** A way's cells in the columns that the suite adds. */
  cellsOf?(timing: Timing): readonly string[];
  /** Whether a wrong result of this way fails the run. Default: always. */
  isOurs?(way: string): boolean;
  /** Frees whatever the case has made. */
  close?(): Promise<void>;
}

/** A suite, opened with the options that it was given. */
export interface Bench {
  readonly cases: readonly SuiteCase[];
  /** Columns beside those of every suite. */
  readonly columns?: readonly TableColumn[];
  /** Facts for the record, beside those about the machine. */
  readonly about?: object;
  /** Text to print before the table. */
  readonly intro?: string;
  close?(): Promise<void>;
}

/** Flags by name, with their defaults. */
type Flags = Readonly<Record<string, string | boolean | undefined>>;
type Values<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends boolean
    ? boolean
    : F[K] extends string
      ? string
      : string | undefined;
};

export interface Suite<F extends Flags> {
  /** The text of `NAME --help`; the options that all suites have are printed after it. */
  readonly help: string;
  readonly flags?: F;
  open(values: Values<F>, given: { readonly random: Random }): Bench | Promise<Bench>;
}

const COMMON = `  --only PATTERN  only the cases whose name has PATTERN in it, or one of A,B,…
  --samples N     N samples of each way, instead of the usual number
  --seed N        the same inputs again
  --json FILE     writes the samples`;

/** A suite as a subcommand. */
export function suite<const F extends Flags>({ help, flags, open }: Suite<F>): Command {
  return {
    help: `${help.trimEnd()}\n${help.includes('\n\n') ? '' : '\n'}${COMMON}`,
    async run(args) {
      const text = { type: 'string' } as const;
      const options = { only: text, samples: text, seed: text, json: text };
      const own = Object.entries(flags ?? {}).map(([name, value]) => [
        name,
        typeof value === 'boolean'
          ? { type: 'boolean', default: value }
          : { ...text, ...(value !== undefined && { default: value }) },
      ]);
      const { values } = parseArgs({ args, options: { ...Object.fromEntries(own), ...options } });
      const { only = '', json, ...others } = values as Record<string, string | undefined>;
      const seed = seedOf(others.seed);
      const samples = optionalNumber('--samples', others.samples, 1);
      const bench = await open(others as Values<F>, { random: new Random(seed) });
      try {
        return await runBench(bench, { only, seed, samples, json });
      } finally {
        await bench.close?.();
      }
    },
  };
}

interface Run {
  readonly only: string;
  readonly seed: number;
  readonly samples: number | undefined;
  readonly json: string | undefined;
}

/** Measures the cases that `--only` selects. Resolves to whether all results were right. */
async function runBench(bench: Bench, { only, seed, samples, json }: Run): Promise<boolean> {
  const cases = matching(bench.cases, ({ name }) => name, only);
  const record = newRecord<unknown, object>(seed, bench.about ?? {});
  console.log(nameRun(record));
  if (bench.intro !== undefined) console.log(bench.intro);
  console.log('Medians. The ratio is the time over that of the first way.\n');
  return runCases(cases, bench.columns ?? [], samples, (result) => addResult(record, result, json));
}

/**
 * Measures cases, prints a line for each way, and hands every result to `add`. Resolves to whether
 * all results were right.
 */
export async function runCases<Result>(
  cases: readonly SuiteCase<Result>[],
  more: readonly TableColumn[],
  samples: number | undefined,
  add: (result: Result) => void,
): Promise<boolean> {
  const columns = columnsFor(cases, more);
  console.log(formatHead(columns));
  let isRight = true;
  for (const one of cases) {
    try {
      const timings = await measure(samples === undefined ? one : withSamples(one, samples));
      for (const line of linesOf(one, timings, more.length)) console.log(formatRow(columns, line));
      for (const result of one.resultsOf?.(timings) ?? plainResults(one, timings)) {
        add(result as Result);
      }
      isRight &&= timings.every(
        ({ name, fault }) => fault === undefined || one.isOurs?.(name) === false,
      );
    } finally {
      await one.close?.();
    }
  }
  return isRight;
}

/** A copy of `one` with another number of samples, whose methods keep their `this`. */
const withSamples = (one: SuiteCase, samples: number): SuiteCase =>
  Object.create(one, { samples: { value: samples } });

function columnsFor(cases: readonly SuiteCase[], more: readonly TableColumn[]): TableColumn[] {
  const width = Math.max(4, ...cases.map(({ name }) => name.length));
  return [
    { title: 'case', width, align: 'left' },
    { title: 'by', width: 24, align: 'left' },
    { title: 'time', width: 8, align: 'right' },
    { title: 'ratio', width: 6, align: 'right' },
    ...more,
    { title: 'verified', width: 8, align: 'left' },
  ];
}

/** The rows of a case, with `more` cells of its suite; a way that was wrong has no time. */
export function linesOf(one: SuiteCase, timings: readonly Timing[], more: number): string[][] {
  const [first] = timings;
  return timings.map((timing) => {
    const { name, milliseconds, fault } = timing;
    const cells = Array.from({ length: more }, () => '');
    if (fault !== undefined) {
      const what = fault.startsWith('failed: ') ? fault : `WRONG: ${fault}`;
      return [one.name, name, '', '', ...cells, what];
    }
    const time = median(milliseconds);
    const isKnown = first !== undefined && first.fault === undefined;
    const ratio = isKnown ? formatRatio(time / median(first.milliseconds)) : '';
    one.cellsOf?.(timing).forEach((cell, i) => {
      cells[i] = cell;
    });
    return [one.name, name, formatTime(time), ratio, ...cells, 'yes'];
  });
}

/** The samples of one way to do a case, in milliseconds. */
export interface PlainResult {
  readonly case: string;
  readonly name: string;
  readonly milliseconds: readonly number[];
  readonly verified: boolean;
}

const plainResults = (one: SuiteCase, timings: readonly Timing[]): PlainResult[] =>
  timings.map(({ name, milliseconds, fault }) => ({
    case: one.name,
    name,
    milliseconds,
    verified: fault === undefined,
  }));

/** Whether every way had only right results. */
export const areRight = (timings: readonly Timing[]): boolean =>
  timings.every(({ fault }) => fault === undefined);
