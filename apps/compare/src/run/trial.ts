/** The samples of one implementation at one length, and the cell that they become. */

import { median, mediansByName } from '@keysweep/conformance/statistics';
import type { Phase, SortReport } from 'keysweep';
import { backendOf } from '../settings/settings.js';
import type { Estimates } from './estimates.js';
import type { Cell } from './events.js';
import type { Implementation } from './implementations.js';

/** The samples of one implementation at one length so far. */
export interface Trial {
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

/** A trial that begins; `skipped` says why the implementation is left out, if it is. */
export const newTrial = (implementation: Implementation, skipped: string | undefined): Trial => ({
  implementation,
  calls: 1,
  samples: [],
  reports: [],
  clock: 'host',
  verified: 0,
  fault: undefined,
  error: skipped,
  skipped: skipped !== undefined,
});

/** What the table shows of a trial that is over. */
export function cellOf(length: number, trial: Trial, estimates: Estimates): Cell {
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
