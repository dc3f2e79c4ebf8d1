/** What a run tells of itself, and what it leaves. */

import type { Phase } from 'keysweep';
import type { SeriesId } from '../settings/settings.js';
import type { Choice } from './estimates.js';

/** Whose clock was looked at: `performance.now()` around the call, or the GPU's own timestamps. */
export type Clock = 'host' | 'gpu';

/** One series at one length. */
export interface Cell {
  readonly series: SeriesId;
  readonly length: number;
  /** Whether the work was done by a software renderer: no GPU, whatever the series is called. */
  readonly software: boolean;
  /** Milliseconds a sort, one number a sample, in the order in which they were taken. Empty where it failed. */
  readonly samples: readonly number[];
  /** Sorts in each sample. */
  readonly calls: number;
  readonly clock: Clock;
  /** Medians of what the report says, in milliseconds; of backends. */
  readonly phases?: { readonly [phase in Phase]?: number };
  /** Median of the GPU's own time for the sort, where the report has it. */
  readonly gpuMilliseconds?: number;
  /** Milliseconds that the dispatcher expected before this length was measured; not of what is on the GPU. */
  readonly predicted?: number;
  readonly threads?: number;
  /** Sorts whose results were looked at, and found right. Those of the warm-up are among them. */
  readonly verified: number;
  /** What was wrong with a result. */
  readonly fault?: string;
  /** Why there are no samples: what the backend said, or why it was not asked. */
  readonly error?: string;
  /** True where it was left out on purpose. */
  readonly skipped?: boolean;
}

export interface Progress {
  /** 0 to 1. */
  readonly done: number;
  /** Seconds, once there is something to go by. */
  readonly left: number | undefined;
  /** What is being done, for a person. */
  readonly what: string;
}

/** News of a run. */
export type RunNews =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | {
      readonly kind: 'cells';
      readonly cells: readonly Cell[];
      readonly choice: Choice | undefined;
    };
