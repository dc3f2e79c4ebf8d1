/** What a check is. */

import type { Backend } from '@keysweep/core';
import type { Random } from './random.js';

/** The backend under test, and what its checks may use. */
export interface Subject {
  /** One backend for all checks but those of its life. */
  readonly backend: Backend;
  readonly create: () => Backend;
  readonly random: Random;
  /** Lengths at which this backend changes its ways, added to those that every backend gets. */
  readonly lengths: readonly number[];
}

/** One property of a backend. Rejects with what was wrong. */
export interface Check {
  readonly name: string;
  /** Why this runtime cannot run it, where that is so. */
  readonly missing?: string;
  readonly run: (subject: Subject) => Promise<void>;
}
