/** What a check is, and how one is run. */

import type { Backend } from '@keysweep/core';
import type { Random } from '@keysweep/core/random';
import { draw } from './data/sample.js';

/**
 * How much of a check is run.
 *
 * - 'all': every combination of what the check varies.
 * - 'most': every type at a quarter of the lengths, every distribution at one. For backends that
 *   take long for a sort, such as software GPUs.
 * - 'sample': what the check cannot do without, and of the rest some, drawn by the seed.
 */
export type Effort = 'all' | 'most' | 'sample';

/** The backend under test, and what its checks may use. */
export interface Subject {
  /** One backend for all checks, except the checks of its lifetime. */
  readonly backend: Backend;
  readonly create: () => Backend;
  readonly random: Random;
  /** Lengths at which this backend changes its method, added to those that every backend gets. */
  readonly lengths: readonly number[];
  readonly effort: Effort;
}

/** One property of what is under test. */
export interface Check<S = Subject> {
  readonly name: string;
  /** Why this runtime cannot run it, where that is so. */
  readonly missing?: string;
  /** Rejects with what was wrong. `seed` is the same for all checks of a run. */
  readonly run: (subject: S, seed: number) => Promise<void>;
}

/**
 * Runs one check.
 * @throws Error that says what was wrong, and the seed.
 */
export async function runCheck<S>(check: Check<S>, subject: S, seed: number): Promise<void> {
  try {
    await check.run(subject, seed);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${message} (KEYSWEEP_SEED=${seed})`, { cause });
  }
}

/** `count` of `items` when the effort is a sample, drawn at random and in their order; else all. */
export function some<T>(
  { effort, random }: Subject,
  items: readonly T[],
  count: number,
): readonly T[] {
  return effort === 'sample' ? draw(items, count, random) : items;
}

/** The item whose turn it is: as many checks as there are items have all of them between them. */
export const turn = <T>(items: readonly T[], place: number): T => items[place % items.length] as T;
