/** Times a workload: keysweep and the built-in by turns, on new inputs. */

import type { Sorter, SortReport } from 'keysweep';
import { copyInput, type Input, type Result, type Workload } from './workload.js';

/** What to time, and how often. */
export interface Job {
  readonly workload: Workload;
  /** A fresh input; called once a call that is timed. */
  readonly makeInput: () => Input;
  /** Samples of each way, at least one. */
  readonly samples: number;
  /** Calls a sample: many where one is too short for the clock. */
  readonly calls: number;
  /** Whether to do a sample beforehand that does not count. */
  readonly warmUp: boolean;
}

/** What was measured. */
export interface Measurement {
  /** Milliseconds a call, one number a sample, in the order in which they were taken. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** keysweep's report of the first call. */
  readonly report: SortReport;
  /** undefined when every result was verified, else what was wrong with the first that was not. */
  readonly fault: string | undefined;
}

/** Runs `job` with `sorter`. Rejects with whatever a sort rejects with. */
export async function measure(sorter: Sorter, job: Job): Promise<Measurement> {
  const { workload, samples } = job;
  const report = await firstReport(sorter, job);
  const ours: number[] = [];
  const theirs: number[] = [];
  let fault: string | undefined;
  for (let sample = job.warmUp ? -1 : 0; sample < samples; sample++) {
    const inputs = Array.from({ length: job.calls }, job.makeInput);
    const forUs = inputs.map(copyInput);
    const forThem = inputs.map(copyInput);
    const timeOurs = () => timeCalls(forUs, (input) => workload.ours(sorter, input));
    const timeTheirs = () => timeCalls(forThem, (input) => workload.theirs(input));
    // By turns: the second one finds warmer caches and a busier garbage collector.
    const oursFirst = sample % 2 === 0;
    const early = await (oursFirst ? timeOurs() : timeTheirs());
    const late = await (oursFirst ? timeTheirs() : timeOurs());
    const [us, them] = oursFirst ? [early, late] : [late, early];
    inputs.forEach((input, i) => {
      fault ??= workload.check(input, us.results[i] as Result, them.results[i] as Result);
    });
    if (sample < 0) continue;
    ours.push(us.milliseconds);
    theirs.push(them.milliseconds);
  }
  return { ours, theirs, report, fault };
}

/** One call that is not timed, because making a report takes time too. */
async function firstReport(sorter: Sorter, { workload, makeInput }: Job): Promise<SortReport> {
  const reports: SortReport[] = [];
  const onReport = (report: SortReport): unknown => reports.push(report);
  await workload.ours(sorter, copyInput(makeInput()), { onReport });
  return reports[0] as SortReport;
}

/** Milliseconds a call, and every call's result. */
async function timeCalls(
  inputs: readonly Input[],
  call: (input: Input) => Result | Promise<Result>,
): Promise<{ milliseconds: number; results: Result[] }> {
  const results: Result[] = [];
  const start = performance.now();
  for (const input of inputs) {
    const result = call(input);
    results.push(result instanceof Promise ? await result : result);
  }
  return { milliseconds: (performance.now() - start) / inputs.length, results };
}
