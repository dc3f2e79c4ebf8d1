/** Runs a comparison: at each length all in turns, on fresh keys, every result looked at. Lives in the worker. */

import { makeKeys, Random } from '@keysweep/conformance/data';
import { median, mediansByName } from '@keysweep/conformance/statistics';
import { faultOfKeys } from '@keysweep/conformance/verify';
import type { KeyArray, Phase, Sorter, SortReport } from 'keysweep';
import { backendOf, type SeriesId, type Settings } from '../settings/settings.js';
import { type Contestant, requestFor, type Sample } from './contestants.js';
import type { Gate } from './gate.js';
import { Pace } from './pace.js';
import { type Expectations, expectationsOf } from './prediction.js';
import type { Cell, RunNews } from './run.js';
import { faultOf } from './verify.js';

/** Milliseconds that a sample should take: browsers' clocks tick in up to 0.1 ms. */
const SAMPLE = 3;
/**
 * Milliseconds that each sorts at each length before it counts: twice at least, if the first takes no more than SHORT. Longer
 * at the first length, for engines have better code for what they have seen often.
 */
const WARM_UP = 60;
const FIRST_WARM_UP = 300;
const SHORT = 2000;
const MOST_CALLS = 256;
/** Bytes of keys in a sample: there are a few copies of it. */
const MOST_BYTES = 2 ** 24;

/** So many keys start all threads of a backend. */
const STARTING_LENGTH = 2 ** 17;

export interface Run {
  readonly settings: Settings;
  readonly sorter: Sorter;
  /** The built-in way first. */
  readonly contestants: readonly Contestant[];
  /** Keys to sort instead of random ones: the same in each sample. Their length is the settings' only one. */
  readonly keys?: KeyArray | undefined;
  readonly gate: Gate;
  readonly tell: (news: RunNews) => void;
  /** What a person calls a series. */
  readonly nameOf: (series: SeriesId, software: boolean) => string;
}

/** What has come of one contestant at one length so far. */
interface Trial {
  readonly contestant: Contestant;
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

/** Begins a trial's next step, and tells what it is. */
type Step = (trial: Trial, what: string) => void;

/** Measures everything, telling of each length when it is done. @throws the gate's reason when it is cancelled */
export async function runAll(run: Run): Promise<void> {
  try {
    await runLengths(run);
  } finally {
    for (const contestant of run.contestants) await contestant.release();
  }
}

async function runLengths(run: Run): Promise<void> {
  const { settings, contestants, gate } = run;
  const { lengths, samples } = settings;
  // A warm-up counts as a step like each sample.
  const pace = new Pace(lengths, (samples + 1) * contestants.length, now(gate));
  /** Milliseconds of a sort of each series at the latest length. */
  const latest = new Map<SeriesId, { length: number; milliseconds: number }>();
  await startAll(run);
  for (const [i, length] of lengths.entries()) {
    const trials = contestants.map((contestant): Trial => {
      const { series } = contestant;
      const skipped =
        tooSlow(latest.get(series), settings.patience) ?? refusal(run, series, length);
      return {
        contestant,
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
    const backends = contestants.map(({ series }) => backendOf(series));
    const expectations = expectationsOf(run.sorter, requestFor(settings, length), backends);
    let steps = 0;
    const step: Step = ({ contestant: { series, software }, error }, what): void => {
      const progress = pace.reach(i, steps, now(gate));
      steps++;
      if (error !== undefined) return;
      const where = `${length.toLocaleString('en')} keys`;
      const name = run.nameOf(series, software);
      run.tell({ kind: 'progress', progress: { ...progress, what: `${where}: ${name}, ${what}` } });
    };
    await measureLength(run, length, trials, step);
    for (const { contestant, samples } of trials) {
      if (samples.length > 0) {
        latest.set(contestant.series, { length, milliseconds: median(samples) });
      }
    }
    run.tell({
      kind: 'cells',
      cells: trials.map((trial) => cellOf(length, trial, expectations)),
      choice: expectations.choice,
    });
  }
}

/** Has everyone sort once, so that what is expected later is without the time to start. Failures come to light later. */
async function startAll(run: Run): Promise<void> {
  const { settings, contestants, gate } = run;
  const length = Math.min(STARTING_LENGTH, settings.lengths.at(-1) ?? 0);
  const keys = keysFor(settings, length, new Random(settings.seed));
  for (const contestant of contestants) {
    const what = `starting: ${run.nameOf(contestant.series, contestant.software)}`;
    run.tell({ kind: 'progress', progress: { done: 0, left: undefined, what } });
    await gate.pass();
    await contestant.sort([keys], gate.signal).catch(() => undefined);
    gate.signal.throwIfAborted();
  }
}

/** Time by the clock, less what was spent paused. */
const now = (gate: Gate): number => performance.now() - gate.paused;

/** Why a series is not asked for a longer array: what it took for the last. */
function tooSlow(
  latest: { length: number; milliseconds: number } | undefined,
  patience: number,
): string | undefined {
  if (latest === undefined || latest.milliseconds <= 1000 * patience) return undefined;
  const seconds = (latest.milliseconds / 1000).toPrecision(2);
  return `left out: ${latest.length.toLocaleString('en')} keys took ${seconds} s a sort, and the limit is ${patience} s`;
}

/** Why a backend does not take arrays of a length. */
function refusal({ sorter, settings }: Run, series: SeriesId, length: number): string | undefined {
  if (series === 'builtin' || series === 'resident') return undefined;
  const { refused } = sorter.plan({ ...requestFor(settings, length), backend: series });
  return refused[0] && `left out: ${refused[0].reason}`;
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
    // The built-in way comes first, for its results are what others are compared with; nobody else always comes after the same.
    const turns = [builtin, ...rivals.slice(shift), ...rivals.slice(0, shift)];
    let sorted: readonly KeyArray[] | undefined;
    for (const trial of turns) {
      step(trial, `sample ${sample} of ${settings.samples}`);
      const done = await attempt(run, trial, inputs.slice(0, trial.calls));
      if (trial === builtin) sorted = done?.results.map(({ keys }) => keys);
      if (done === undefined) continue;
      trial.samples.push(done.milliseconds / done.results.length);
      trial.clock = done.clock;
      trial.reports.push(...done.reports);
      sorted ??= builtinSorted(inputs, settings);
      check(run, trial, inputs.slice(0, trial.calls), done, sorted);
    }
  }
}

/** Sorts by each that do not count; the fastest of them says how many make a sample that the clock can tell. */
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
    // The first sort pays for what it starts.
    do {
      latest = await attempt(run, trial, [input]);
      if (latest === undefined) break;
      check(run, trial, [input], latest, sorted);
      least = Math.min(least, latest.milliseconds);
      spent = performance.now() - start;
      rounds++;
    } while (spent < enough || (rounds === 1 && spent < SHORT));
    if (latest === undefined) continue;
    // Given keys are few enough as they are, and what is on the GPU sorts them several times by itself.
    const isOnce = run.keys !== undefined || trial.contestant.series === 'resident';
    trial.calls = isOnce ? 1 : callsFor(least, input.byteLength);
  }
  // The built-in way sorts them all: others' results are compared with its own.
  const [builtin, ...rivals] = trials as [Trial, ...Trial[]];
  builtin.calls = Math.max(builtin.calls, ...rivals.map(({ calls }) => calls));
}

/** How many sorts of some milliseconds, and of as many bytes of keys, make a sample. */
function callsFor(milliseconds: number, bytes: number): number {
  const wanted = Math.ceil(SAMPLE / Math.max(milliseconds, 0.001));
  return Math.max(1, Math.floor(Math.min(wanted, MOST_CALLS, MOST_BYTES / Math.max(1, bytes))));
}

/** Has one sort, unless it can't any more. What it says then is kept for the table. @throws when the run is cancelled */
async function attempt(
  { gate }: Run,
  trial: Trial,
  inputs: readonly KeyArray[],
): Promise<Sample | undefined> {
  await gate.pass();
  if (trial.error !== undefined) return undefined;
  try {
    return await trial.contestant.sort(inputs, gate.signal);
  } catch (error) {
    gate.signal.throwIfAborted();
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
    const isOwn = trial.contestant.series === 'builtin' && payload === 'none';
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
  // With a payload, results are judged by where the keys came from.
  payload !== 'none'
    ? [...inputs]
    : inputs.map((input) => {
        const sorted = input.slice().sort() as KeyArray;
        return order === 'descending' ? (sorted.reverse() as KeyArray) : sorted;
      });

/** Keys that nobody has sorted yet; given ones stay the same. */
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

const keysFor = (
  { keyType, distribution, words }: Settings,
  length: number,
  random: Random,
): KeyArray => makeKeys(keyType, length, distribution, random, words);

function cellOf(length: number, trial: Trial, expectations: Expectations): Cell {
  const { contestant, reports, fault, error } = trial;
  const { series, software } = contestant;
  const isArrays = series !== 'builtin' && series !== 'resident';
  const phases = reports.map(({ milliseconds }) => milliseconds);
  const gpu = reports.flatMap(({ gpuMilliseconds }) => gpuMilliseconds?.sort ?? []);
  const predicted = series === 'resident' ? undefined : expectations.of(backendOf(series));
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
