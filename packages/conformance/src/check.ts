/** What a check is, and how one is run. */

import type { Backend } from '@keysweep/core';
import type { Random } from '@keysweep/core/random';

/** The backend under test, and what its checks may use. */
export interface Subject {
  /** One backend for all checks but those of its life. */
  readonly backend: Backend;
  readonly create: () => Backend;
  readonly random: Random;
  /** Lengths at which this backend changes its ways, added to those that every backend gets. */
  readonly lengths: readonly number[];
  /**
   * Whether every type is tried at every length, and every distribution at every kind of length; or each at half of them,
   * at random, and at one: software GPUs are slow.
   */
  readonly thorough: boolean;
}

/** One property of what is under test. Rejects with what was wrong. */
export interface Check<S = Subject> {
  readonly name: string;
  /** Why this runtime cannot run it, where that is so. */
  readonly missing?: string;
  readonly run: (subject: S) => Promise<void>;
}

/**
 * Runs one check.
 * @throws Error with the seed behind what was wrong.
 */
export async function runCheck<S>(check: Check<S>, subject: S, seed: number): Promise<void> {
  try {
    await check.run(subject);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${message} (KEYSWEEP_SEED=${seed})`, { cause });
  }
}
