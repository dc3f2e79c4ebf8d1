/**
 * Measures one length: the implementations take turns on the same fresh keys, and every result is
 * checked.
 */

import { Random } from '@keysweep/conformance/data';
import { faultOfKeys } from '@keysweep/conformance/verify';
import type { KeyArray, Sorter } from 'keysweep';
import type { SeriesId, Settings } from '../settings/settings.js';
import { fourDigits, type RunEvent } from './events.js';
import type { Implementation, Sample } from './implementations.js';
import { keysFor } from './keys.js';
import type { RunControl } from './run-control.js';
import type { Trial } from './trial.js';
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

/** Begins a trial's next step and emits its progress. */
export type Step = (trial: Trial, what: string) => void;

export async function measureLength(
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

/** Milliseconds of warm-up for each implementation at a length. */
export const warmUpTime = ({ lengths }: Settings, length: number): number =>
  length === lengths[0] ? FIRST_WARM_UP : WARM_UP;

/** Sorts that are not measured; the fastest decides how many sorts make a sample. */
async function warmUp(
  run: Run,
  length: number,
  trials: readonly Trial[],
  step: Step,
): Promise<void> {
  const [input] = inputsFor(run, length, 0, 1) as [KeyArray];
  const sorted = builtinSorted([input], run.settings);
  const enough = warmUpTime(run.settings, length);
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
export function callsFor(milliseconds: number, bytes: number): number {
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
