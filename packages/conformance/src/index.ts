/**
 * @keysweep/conformance: one suite that every backend runs, for vitest.
 *
 * ```ts
 * describeBackend({ name: 'cpu, plain', create: () => cpu({ kernels: 'plain' }) });
 * ```
 */

import type { Backend } from '@keysweep/core';
import { Random } from '@keysweep/core/random';
import { afterAll, describe, it } from 'vitest';
import type { Check, Effort } from './check.js';
import { MISSING_CLASSES } from './data/arrays.js';
import { isThorough } from './data/sample.js';
import { runSeed } from './data/seed.js';
import { CHECKS, runCheck } from './suite.js';

export * from './suite.js';

/** A backend to be put through the suite. */
export interface BackendUnderTest {
  /** Names the variant, for the report. */
  readonly name: string;
  /** Makes a backend. One serves most checks; those of its lifetime make others, and close them. */
  readonly create: () => Backend;
  /**
   * Lengths in keys at which this backend changes its method: tiles, thresholds, each with its
   * neighbours. They are added to those that every backend is tried at. Default: none.
   */
  readonly lengths?: readonly number[];
  /**
   * Whether a sort takes long, as on a software GPU. A thorough run then tries types and
   * distributions at fewer lengths. Default: false.
   */
  readonly slow?: boolean;
  /** The checks to run. Default: all. */
  readonly checks?: readonly Check[];
  /** Checks that do not apply, by name, each with the reason to print. Default: none. */
  readonly skip?: Readonly<Record<string, string>>;
}

/**
 * Registers every check of the suite with vitest, as a test of its own.
 *
 * Each check has random inputs from the seed of the run. The seed is in every failure's message,
 * and KEYSWEEP_SEED repeats it. `npm test` runs every check on a sample of its combinations, which
 * the seed draws too; `npm run test:thorough` runs all of them. At the end a line says how many
 * checks passed, and which were left out for what reason.
 *
 * ```ts
 * describeBackend({
 *   name: 'webgpu in a page',
 *   create: () => webgpu(),
 *   lengths: [3327, 3328, 3329],
 *   slow: true,
 *   skip: { 'serves several requests at once': 'it has memory for one' },
 * });
 * ```
 *
 * @throws RangeError when `skip` names no check.
 */
export function describeBackend(subject: BackendUnderTest): void {
  const { name, create, lengths = [], slow = false, checks = CHECKS, skip = {} } = subject;
  const effort: Effort = isThorough ? (slow ? 'most' : 'all') : 'sample';
  const reasons = skipReasons(skip);
  const seed = runSeed();
  let backend: Backend | undefined;
  let passed = 0;
  describe(`${name} conforms`, () => {
    for (const check of checks) {
      it(check.name, async (context) => {
        const reason = reasons.get(check.name);
        if (reason !== undefined) context.skip(reason);
        backend ??= create();
        const random = new Random(seed + CHECKS.indexOf(check));
        await runCheck(check, { backend, create, random, lengths, effort }, seed);
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
        `${name}: ${passed} of ${checks.length} checks passed, seed ${seed}; skipped: ${list}`,
      );
    });
  });
}

/** Why each check that is not run is left out: this runtime's reasons, and the caller's. */
function skipReasons(skip: Readonly<Record<string, string>>): Map<string, string> {
  const unknown = Object.keys(skip).find((name) => CHECKS.every((check) => check.name !== name));
  if (unknown !== undefined) throw new RangeError(`there is no check '${unknown}' to skip`);
  const missing = CHECKS.flatMap(({ name, missing }) =>
    missing === undefined ? [] : [[name, missing] as const],
  );
  return new Map([...missing, ...Object.entries(skip)]);
}
