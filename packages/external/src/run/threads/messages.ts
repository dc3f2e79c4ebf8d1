/** What a sort and its threads say to each other. */

import type { MemoryPlan } from '../../divide/memory-plan.js';
import type { Part } from '../../divide/part.js';
import type { Stretch } from '../../divide/partition.js';
import type { Pairs } from '../../divide/splitters.js';
import type { Layout } from '../../open/layout.js';
import type { Names } from '../../storage/live.js';

/** The work of a thread: a stretch of files, one after the other, to divide. */
export interface Setup {
  readonly layout: Layout;
  /** Its own share. */
  readonly memoryPlan: MemoryPlan;
  readonly paths: readonly string[];
  readonly stretch: Stretch;
  readonly splitters: Pairs;
  readonly folder: string;
  /** How this process reaches temporary folders. */
  readonly names: Names;
}

export type Reply =
  /** How many bytes more are divided; 0 when the thread has loaded. */
  | { readonly kind: 'told'; readonly bytes: number }
  | {
      readonly kind: 'done';
      readonly parts: readonly Part[];
      readonly read: number;
      readonly written: number;
    }
  /** `isPlain`: the message says all, and needs no stack. */
  | { readonly kind: 'failed'; readonly message: string; readonly isPlain: boolean };

/** What a thread is told: its work, then perhaps that nobody wants it any more. */
export type Order = Setup | 'stop';
