/** The messages between a page and its worker. */

import type { Stage } from '../context/engine.js';
import type { Job, Sorted } from '../job.js';

export type Question =
  | { readonly kind: 'sort'; readonly id: number; readonly job: Job }
  | { readonly kind: 'release' };

/** The progress of a job, or its end. */
export type News = { readonly id: number } & (
  | { readonly kind: 'stage'; readonly stage: Stage }
  | { readonly kind: 'sorted'; readonly sorted: Sorted }
  | Trouble
);

export interface Trouble {
  readonly kind: 'failed' | 'unavailable';
  readonly reason: string;
}

/** The first message of a worker. */
export type Greeting = { readonly kind: 'ready' } | Trouble;
