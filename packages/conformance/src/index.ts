/**
 * @keysweep/conformance: one suite that every backend runs.
 *
 * ```ts
 * describeBackend({ name: 'cpu, 2 threads', create: () => cpu({ threads: 2 }), lengths: [524_288] });
 * ```
 */

import type { Backend } from '@keysweep/core';
import { Random } from '@keysweep/core/random';
import { afterAll, describe, it } from 'vitest';
import { MISSING_CLASSES } from './data/arrays.js';
import { runSeed } from './data/seed.js';
import { CHECKS, runCheck } from './suite.js';

export * from './suite.js';

/** A backend to be put through the suite. */
export interface BackendUnderTest {
  /** Names the variant, for the report. */
  readonly name: string;
  /** Makes a backend of its own. */
  readonly create: () => Backend;
  /** Lengths at which this backend changes its ways: tiles, thresholds, each with its neighbours. */
  readonly lengths?: readonly number[];
  /** False for a backend so slow that types and distributions are tried at fewer lengths each. Default true. */
  readonly thorough?: boolean;
  /** Checks that do not apply, by name, each with the reason that is printed. */
  readonly skip?: Readonly<Record<string, string>>;
}

/**
 * Registers every check with vitest. Each gets random inputs of its own from the seed of the run,
 * which is in every failure's message; KEYSWEEP_SEED repeats it. Prints what ran and what did not.
 */
export function describeBackend(subject: BackendUnderTest): void {
  const { name, create, lengths = [], thorough = true, skip = {} } = subject;
  const reasons = skipReasons(skip);
  const seed = runSeed();
  let backend: Backend | undefined;
  let passed = 0;
  describe(`${name} conforms`, () => {
    for (const [i, check] of CHECKS.entries()) {
      it(check.name, async (context) => {
        const reason = reasons.get(check.name);
        if (reason !== undefined) context.skip(reason);
        backend ??= create();
        const random = new Random(seed + i);
        await runCheck(check, { backend, create, random, lengths, thorough }, seed);
        passed++;
      });
    }
    for (const missing of MISSING_CLASSES) {
      it(missing.replace(/:.*/, ''), (context) => context.skip(missing.replace(/.*: /, '')));
    }
    afterAll(async () => {
      await backend?.close();
      const skipped = [...Array.from(reasons, (entry) => entry.join(': ')), ...MISSING_CLASSES];
      const list = skipped.length === 0 ? 'nothing' : skipped.join('; ');
      console.log(
        `${name}: ${passed} of ${CHECKS.length} checks passed, seed ${seed}; skipped: ${list}`,
      );
    });
  });
}

/** Why each of the checks that are not run is not: this runtime's reasons, and the caller's. */
function skipReasons(skip: Readonly<Record<string, string>>): Map<string, string> {
  const stale = Object.keys(skip).find((name) => CHECKS.every((check) => check.name !== name));
  if (stale !== undefined) throw new RangeError(`there is no check '${stale}' to skip`);
  const missing = CHECKS.flatMap(({ name, missing }) =>
    missing === undefined ? [] : [[name, missing] as const],
  );
  return new Map([...missing, ...Object.entries(skip)]);
}
