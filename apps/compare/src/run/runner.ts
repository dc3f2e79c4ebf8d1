/**
 * Runs a comparison in the worker: it goes from length to length, tells how far it is and how long
 * it still takes, and leaves out what would take too long.
 */

import { Random } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { keyTraits } from '@keysweep/core';
import { backendOf, type SeriesId } from '../settings/settings.js';
import { type Estimates, estimatesFor } from './estimates.js';
import { requestFor } from './implementations.js';
import { keysFor } from './keys.js';
import { callsFor, measureLength, type Run, type Step, warmUpTime } from './measure-length.js';
import { ProgressEstimate } from './progress-estimate.js';
import type { RunControl } from './run-control.js';
import { cellOf, newTrial } from './trial.js';

/** Keys enough to start all threads of a backend. */
const STARTING_LENGTH = 2 ** 17;

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
    const trials = implementations.map((implementation) => {
      const { series } = implementation;
      const tooLong = tooSlow(latest.get(series), settings.patience);
      return newTrial(implementation, tooLong ?? refusal(run, series, length));
    });
    const estimates = estimatesAt(run, length);
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

/** What the dispatcher expects of each implementation at a length. */
function estimatesAt({ sorter, settings, implementations }: Run, length: number): Estimates {
  const backends = implementations.map(({ series }) => backendOf(series));
  return estimatesFor(sorter, requestFor(settings, length), backends);
}

/** What a length should take, by the dispatcher's estimates. */
function expectedMilliseconds(run: Run, length: number): number {
  const { settings, implementations } = run;
  const estimates = estimatesAt(run, length);
  const sorts = implementations.map(
    ({ series }) => estimates.of(backendOf(series)) ?? SORTING * length,
  );
  const bytes = length * (keyTraits(settings.keyType).bits / 8);
  const calls = sorts.map((milliseconds) => callsFor(milliseconds, bytes));
  // The built-in sort takes the inputs of all.
  calls[0] = Math.max(...calls);
  const warmUp = warmUpTime(settings, length);
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
