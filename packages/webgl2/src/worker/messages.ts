/** What a page and its worker tell each other. */

import type { Stage } from '../context/engine.js';
import type { Job, Sorted } from '../job.js';

export type Question =
  | { readonly kind: 'sort'; readonly id: number; readonly job: Job }
  | { readonly kind: 'release' };

/** What became of a job, or is becoming. */
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
