/** A sort by keysweep and by what one writes without it, as a case of a suite. */

import type { Operation, Sorter, SortReport } from 'keysweep';
import { areRight, type SuiteCase } from '../measure/suite.js';
import { copyInput, faultOf, type Input, type Result, WORKLOADS } from '../measure/workload.js';

export interface SortCase {
  readonly name: string;
  readonly operation: Operation;
  readonly samples: number;
  readonly warmUps: number;
  readonly calls: number;
  /** A fresh input; called once a call that is timed. */
  makeInput(): Input;
}

/** What `cpu` records of a case, beside its definition. */
export interface SortSamples {
  /** The backend that 'auto' chose. */
  readonly backend: SortReport['backend'];
  /** Calls in a sample. */
  readonly calls: number;
  /** Milliseconds a call, one number a sample. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly verified: boolean;
}

/**
 * `one` as a case. `tell` makes the cells from keysweep's report of a call that is not timed,
 * because making a report takes time, too.
 */
export function sortCase(
  sorter: Sorter,
  one: SortCase,
  tell: (report: SortReport) => readonly string[],
  about: object = {},
): SuiteCase {
  const { calls, operation } = one;
  const { ours, theirs } = WORKLOADS[operation];
  let report: SortReport | undefined;
  const firstReport = async (): Promise<void> => {
    const input = copyInput(one.makeInput());
    await sorter.warmUp(input.columns[0].length);
    const onReport = (given: SortReport): void => {
      report = given;
    };
    await ours(sorter, input, { onReport });
  };
  return {
    ...one,
    async makeRound() {
      if (report === undefined) await firstReport();
      const inputs = Array.from({ length: calls }, () => one.makeInput());
      const way = (name: string, call: (input: Input) => Result | Promise<Result>) => {
        let copies: readonly Input[] = [];
        const prepare = (): void => {
          copies = inputs.map(copyInput);
        };
        return { name, prepare, run: () => callEach(copies, call) };
      };
      return {
        ways: [way('keysweep', (input) => ours(sorter, input)), way('built-in', theirs)],
        check: (results: readonly Result[]) =>
          inputs
            .map((input, i) => faultOf(input, results[i] as Result))
            .find((fault) => fault !== undefined),
      };
    },
    cellsOf: ({ name }) => (report === undefined || name !== 'keysweep' ? [] : tell(report)),
    resultsOf(timings): readonly SortSamples[] {
      const [mine, others] = timings.map(({ milliseconds }) => milliseconds);
      const backend = report?.backend ?? 'builtin';
      const samples = { ours: mine ?? [], theirs: others ?? [], verified: areRight(timings) };
      return [{ ...about, backend, calls, ...samples }];
    },
  };
}

/** Every call's result. */
async function callEach(
  inputs: readonly Input[],
  call: (input: Input) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const input of inputs) {
    const result = call(input);
    results.push(result instanceof Promise ? await result : result);
  }
  return results;
}
