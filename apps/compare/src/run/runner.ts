/**
 * Runs a comparison. At each length the implementations take turns on fresh keys, and every result
 * is checked. Runs in the worker.
 */

import { makeKeys, Random } from '@keysweep/conformance/data';
import { median, mediansByName } from '@keysweep/conformance/statistics';
import { faultOfKeys } from '@keysweep/conformance/verify';
import { keyTraits } from '@keysweep/core';
import type { KeyArray, Phase, Sorter, SortReport } from 'keysweep';
import { backendOf, COLUMN, type SeriesId, type Settings } from '../settings/settings.js';
import { type Estimates, estimatesFor } from './estimates.js';
import { type Cell, fourDigits, type RunEvent } from './events.js';
import { type Implementation, requestFor, type Sample } from './implementations.js';
import { ProgressEstimate } from './progress-estimate.js';
import type { RunControl } from './run-control.js';
import { faultOf } from './verify.js';

/** Milliseconds that a sample should take: browsers' clocks have ticks of up to 0.1 ms. */
const SAMPLE = 3;
/**
 * Milliseconds of warm-up for each implementation at each length: two sorts at least, if the first
 * takes no more than SHORT. The first length has a longer warm-up, in which engines compile.
 */
const WARM_UP = 60;
const FIRST_WARM_UP = 300;
const SHORT = 2000;
const MAX_CALLS = 256;
/** Bytes of keys in a sample, of which there are several copies. */
const MAX_BYTES = 2 ** 24;

/** Keys enough to start all threads of a backend. */
const STARTING_LENGTH = 2 ** 17;

export interface Run {
  readonly settings: Settings;
  readonly sorter: Sorter;
  /** The built-in sort first. */
  readonly implementations: readonly Implementation[];
  /** Keys to sort instead of random ones, the same in each sample; `settings.lengths` is theirs. */
  readonly keys?: KeyArray | undefined;
  readonly control: RunControl;
  readonly emit: (event: RunEvent) => void;
  /** The displayed name of a series. */
  readonly nameOf: (series: SeriesId, software: boolean) => string;
}

/** The samples of one implementation at one length so far. */
interface Trial {
  readonly implementation: Implementation;
  /** Sorts in a sample. */
  calls: number;
  readonly samples: number[];
  readonly reports: SortReport[];
  clock: Cell['clock'];
  verified: number;
  fault: string | undefined;
  error: string | undefined;
  skipped: boolean;
}

/** Begins a trial's next step and emits its progress. */
type Step = (trial: Trial, what: string) => void;

/** Measures everything and emits each length's cells. @throws the signal's reason when cancelled */
export async function runAll(run: Run): Promise<void> {
  try {
    await runLengths(run);
  } finally {
    for (const implementation of run.implementations) await implementation.release();
  }
}

async function runLengths(run: Run): Promise<void> {
  const { settings, implementations, control } = run;
  const { lengths, samples } = settings;
  // A warm-up counts as a step like each sample.
  const estimate = new ProgressEstimate(
    lengths.map((length) => expectedMilliseconds(run, length)),
    (samples + 1) * implementations.length,
    now(control),
  );
  /** Milliseconds of a sort of each series at the latest length. */
  const latest = new Map<SeriesId, { length: number; milliseconds: number }>();
  await startAll(run, estimate.total / 1000);
  estimate.begin(now(control));
  for (const [i, length] of lengths.entries()) {
    const trials = implementations.map((implementation): Trial => {
      const { series } = implementation;
      const skipped =
        tooSlow(latest.get(series), settings.patience) ?? refusal(run, series, length);
      return {
        implementation,
        calls: 1,
        samples: [],
        reports: [],
        clock: 'host',
        verified: 0,
        fault: undefined,
        error: skipped,
        skipped: skipped !== undefined,
      };
    });
    const backends = implementations.map(({ series }) => backendOf(series));
    const estimates = estimatesFor(run.sorter, requestFor(settings, length), backends);
    let steps = 0;
    const step: Step = ({ implementation: { series, software }, error }, what): void => {
      const progress = estimate.update(i, steps, now(control));
      steps++;
      if (error !== undefined) return;
      const where = `${length.toLocaleString('en')} keys`;
      const name = run.nameOf(series, software);
      run.emit({ kind: 'progress', progress: { ...progress, what: `${where}: ${name}, ${what}` } });
    };
    await measureLength(run, length, trials, step);
    for (const { implementation, samples } of trials) {
      if (samples.length > 0) {
        latest.set(implementation.series, { length, milliseconds: median(samples) });
      }
    }
    run.emit({
      kind: 'cells',
      cells: trials.map((trial) => cellOf(length, trial, estimates)),
      choice: estimates.choice,
    });
  }
}

/** Milliseconds a key for making keys, and for checking a result. */
const MAKING = 8e-6;
const CHECKING = 2e-5;
/** Milliseconds a key of a sort of which nothing is known. */
const SORTING = 1e-4;

/** What a length should take, by the dispatcher's estimates. */
function expectedMilliseconds({ sorter, settings, implementations }: Run, length: number): number {
  const backends = implementations.map(({ series }) => backendOf(series));
  const estimates = estimatesFor(sorter, requestFor(settings, length), backends);
  const sorts = backends.map((backend) => estimates.of(backend) ?? SORTING * length);
  const bytes = length * (keyTraits(settings.keyType).bits / 8);
  const calls = sorts.map((milliseconds) => callsFor(milliseconds, bytes));
  // The built-in sort takes the inputs of all.
  calls[0] = Math.max(...calls);
  const warmUp = length === settings.lengths[0] ? FIRST_WARM_UP : WARM_UP;
  const checking = settings.payload === 'none' ? CHECKING : 3 * CHECKING;
  return sorts.reduce((sum, milliseconds, i) => {
    const each = milliseconds + length * (checking + MAKING);
    return sum + Math.max(warmUp, 2 * each) + settings.samples * (calls[i] as number) * each;
  }, 0);
}

/**
 * Sorts once with each, so that start-up time is in no estimate. Failures are reported later.
 * `left` is the seconds that all the rest should take.
 */
async function startAll(run: Run, left: number): Promise<void> {
  const { settings, implementations, control } = run;
  const length = Math.min(STARTING_LENGTH, settings.lengths.at(-1) ?? 0);
  const keys = keysFor(settings, length, new Random(settings.seed));
  for (const implementation of implementations) {
    const what = `starting: ${run.nameOf(implementation.series, implementation.software)}`;
    run.emit({ kind: 'progress', progress: { done: 0, left, what } });
    await control.checkpoint();
    await implementation.sort([keys], control.signal).catch(() => undefined);
    control.signal.throwIfAborted();
  }
}

/** Milliseconds by the clock, less the time paused. */
const now = (control: RunControl): number => performance.now() - control.paused;

/** Why a series is left out of a longer array: its time for the latest one. */
function tooSlow(
  latest: { length: number; milliseconds: number } | undefined,
  patience: number,
): string | undefined {
  if (latest === undefined || latest.milliseconds <= 1000 * patience) return undefined;
  const seconds = (latest.milliseconds / 1000).toPrecision(2);
  return (
    `not measured: ${latest.length.toLocaleString('en')} keys took ${seconds} s a ` +
    `sort, and the limit is ${patience} s`
  );
}

/** Why a backend does not take arrays of a length, or undefined. */
function refusal({ sorter, settings }: Run, series: SeriesId, length: number): string | undefined {
  if (series === 'builtin' || series === 'resident' || series === 'auto') return undefined;
  const { refused } = sorter.plan({ ...requestFor(settings, length), backend: series });
  return refused[0] && `not measured: ${refused[0].reason}`;
}

/** Measures one length. */
async function measureLength(
  run: Run,
  length: number,
  trials: readonly Trial[],
  step: Step,
): Promise<void> {
  const { settings } = run;
  await warmUp(run, length, trials, step);
  const most = Math.max(...trials.map(({ calls }) => calls));
  for (let sample = 1; sample <= settings.samples; sample++) {
    const inputs = inputsFor(run, length, sample, most);
    const [builtin, ...rivals] = trials as [Trial, ...Trial[]];
    const shift = rivals.length === 0 ? 0 : sample % rivals.length;
    // The built-in sort comes first, because others' results are compared with its own. The others
    // rotate, so that none always follows the same one.
    const turns = [builtin, ...rivals.slice(shift), ...rivals.slice(0, shift)];
    let sorted: readonly KeyArray[] | undefined;
    for (const trial of turns) {
      step(trial, `sample ${sample} of ${settings.samples}`);
      const done = await attempt(run, trial, inputs.slice(0, trial.calls));
      if (trial === builtin) sorted = done?.results.map(({ keys }) => keys);
      if (done === undefined) continue;
      trial.samples.push(fourDigits(done.milliseconds / done.results.length));
      trial.clock = done.clock;
      trial.reports.push(...done.reports);
      sorted ??= builtinSorted(inputs, settings);
      check(run, trial, inputs.slice(0, trial.calls), done, sorted);
    }
  }
}

/** Sorts that are not measured; the fastest decides how many sorts make a sample. */
async function warmUp(
  run: Run,
  length: number,
  trials: readonly Trial[],
  step: Step,
): Promise<void> {
  const [input] = inputsFor(run, length, 0, 1) as [KeyArray];
  const sorted = builtinSorted([input], run.settings);
  const enough = length === run.settings.lengths[0] ? FIRST_WARM_UP : WARM_UP;
  for (const trial of trials) {
    step(trial, 'warming up');
    const start = performance.now();
    let latest: Sample | undefined;
    let least = Number.POSITIVE_INFINITY;
    let spent = 0;
    let rounds = 0;
    // The first sort includes start-up work.
    do {
      latest = await attempt(run, trial, [input]);
      if (latest === undefined) break;
      check(run, trial, [input], latest, sorted);
      least = Math.min(least, latest.milliseconds);
      spent = performance.now() - start;
      rounds++;
    } while (spent < enough || (rounds === 1 && spent < SHORT));
    if (latest === undefined) continue;
    // Given keys are sorted once a sample. 'resident' repeats its sorts by itself.
    const isOnce = run.keys !== undefined || trial.implementation.series === 'resident';
    trial.calls = isOnce ? 1 : callsFor(least, input.byteLength);
  }
  // The built-in sort takes all inputs, because others' results are compared with its own.
  const [builtin, ...rivals] = trials as [Trial, ...Trial[]];
  builtin.calls = Math.max(builtin.calls, ...rivals.map(({ calls }) => calls));
}

/** How many sorts make a sample, by the milliseconds and the bytes of keys of one. */
function callsFor(milliseconds: number, bytes: number): number {
  const wanted = Math.ceil(SAMPLE / Math.max(milliseconds, 0.001));
  return Math.max(1, Math.floor(Math.min(wanted, MAX_CALLS, MAX_BYTES / Math.max(1, bytes))));
}

/**
 * One sample of a trial; undefined once it has failed. Its error is kept for the table.
 * @throws the signal's reason when the run is cancelled
 */
async function attempt(
  { control }: Run,
  trial: Trial,
  inputs: readonly KeyArray[],
): Promise<Sample | undefined> {
  await control.checkpoint();
  if (trial.error !== undefined) return undefined;
  try {
    return await trial.implementation.sort(inputs, control.signal);
  } catch (error) {
    control.signal.throwIfAborted();
    trial.error = error instanceof Error ? error.message : String(error);
    trial.samples.length = 0;
    return undefined;
  }
}

function check(
  { settings: { order, payload } }: Run,
  trial: Trial,
  inputs: readonly KeyArray[],
  { results }: Sample,
  sorted: readonly KeyArray[],
): void {
  for (const [i, result] of results.entries()) {
    const at = i % inputs.length;
    const [input, expected] = [inputs[at] as KeyArray, sorted[at] as KeyArray];
    const isOwn = trial.implementation.series === 'builtin' && payload === 'none';
    const fault = isOwn
      ? faultOfKeys(result.keys, input, { order })
      : faultOf(
          input,
          expected,
          payload === 'indices' ? { ...result, keys: input } : result,
          order,
        );
    if (fault === undefined) trial.verified++;
    else trial.fault ??= fault;
  }
}

const builtinSorted = (inputs: readonly KeyArray[], { order, payload }: Settings): KeyArray[] =>
  // With a payload, results are checked by the positions that the keys came from.
  payload !== 'none'
    ? [...inputs]
    : inputs.map((input) => {
        const sorted = input.slice().sort() as KeyArray;
        return order === 'descending' ? (sorted.reverse() as KeyArray) : sorted;
      });

/** New keys for each sample; given ones stay the same. */
function inputsFor(
  { settings, keys }: Run,
  length: number,
  sample: number,
  calls: number,
): KeyArray[] {
  if (keys !== undefined) return [keys];
  const random = new Random(settings.seed, length, sample);
  return Array.from({ length: calls }, () => keysFor(settings, length, random));
}

/** Drawn keys. Before a column is sorted, what sorts it is started with them, too. */
function keysFor(
  { keyType, distribution, words }: Settings,
  length: number,
  random: Random,
): KeyArray {
  const drawn = distribution === COLUMN ? 'random' : distribution;
  return makeKeys(keyType, length, drawn, random, words);
}

function cellOf(length: number, trial: Trial, estimates: Estimates): Cell {
  const { implementation, reports, fault, error } = trial;
  const { series, software } = implementation;
  const isArrays = series !== 'builtin' && series !== 'resident';
  const phases = reports.map(({ milliseconds }) => milliseconds);
  const gpu = reports.flatMap(({ gpuMilliseconds }) => gpuMilliseconds?.sort ?? []);
  const predicted = series === 'resident' ? undefined : estimates.of(backendOf(series));
  return {
    series,
    length,
    software,
    samples: trial.samples,
    calls: trial.calls,
    clock: trial.clock,
    verified: trial.verified,
    ...(isArrays && phases.length > 0
      ? { phases: withoutTotal(mediansByName<Phase | 'total'>(phases)) }
      : {}),
    ...(gpu.length > 0 ? { gpuMilliseconds: median(gpu) } : {}),
    ...(predicted === undefined ? {} : { predicted }),
    ...(reports[0] === undefined
      ? {}
      : { threads: Math.max(...reports.map(({ threads }) => threads)) }),
    ...(series === 'auto' && reports.length > 0
      ? { backend: (reports.at(-1) as SortReport).backend }
      : {}),
    ...(fault === undefined ? {} : { fault }),
    ...(error === undefined ? {} : { error }),
    ...(trial.skipped ? { skipped: true } : {}),
  };
}

function withoutTotal({
  total: _total,
  ...phases
}: {
  readonly [name in Phase | 'total']?: number;
}): NonNullable<Cell['phases']> {
  return phases;
}
