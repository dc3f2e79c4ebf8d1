/** The events and the results of a run. */

import type { BackendName, Phase } from 'keysweep';
import type { SeriesId } from '../settings/settings.js';
import type { Choice } from './estimates.js';

/** The clock: `performance.now()` around the call, or the GPU's own timestamps. */
export type Clock = 'host' | 'gpu';

/** What a link carries of a time: whoever opens it reads the same ratios as who measured. */
export const fourDigits = (time: number): number => Number(time.toPrecision(4));

/** One series at one length. */
export interface Cell {
  readonly series: SeriesId;
  readonly length: number;
  /** Whether a software renderer did the work: then it says nothing about a GPU. */
  readonly software: boolean;
  /** Milliseconds a sort, one number a sample, in the order of measurement. Empty on failure. */
  readonly samples: readonly number[];
  /** Sorts in each sample. */
  readonly calls: number;
  readonly clock: Clock;
  /** Medians of the reports' phases in milliseconds; of backends only. */
  readonly phases?: { readonly [phase in Phase]?: number };
  /** Median of the GPU's own time for the sort, where the report has it. */
  readonly gpuMilliseconds?: number;
  /** The dispatcher's estimate in milliseconds before this length; none for 'resident'. */
  readonly predicted?: number;
  readonly threads?: number;
  /** Of 'auto': the backend that served the last sort. */
  readonly backend?: BackendName;
  /** Sorts whose results were checked and found right, those of the warm-up included. */
  readonly verified: number;
  /** What was wrong with a result. */
  readonly fault?: string;
  /** Why there are no samples: the backend's error, or why it was left out. */
  readonly error?: string;
  /** True where it was left out on purpose. */
  readonly skipped?: boolean;
}

export interface Progress {
  /** 0 to 1. */
  readonly done: number;
  /** Seconds, once they can be estimated. */
  readonly left: number | undefined;
  /** What is being done, as text. */
  readonly what: string;
}

/** An event of a run: progress, or the cells of one more length. */
export type RunEvent =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | {
      readonly kind: 'cells';
      readonly cells: readonly Cell[];
      readonly choice: Choice | undefined;
    };
