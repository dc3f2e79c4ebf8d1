/** The suite for one backend, for any test runner and for none. */

import type { Backend } from '@keysweep/core';
import { Random } from '@keysweep/core/random';
import { type Check, type Effort, runCheck } from './check.js';
import { CHECKS } from './checks.js';
import { MISSING_CLASSES } from './data/arrays.js';
import { isThorough } from './data/sample.js';
import { runSeed } from './data/seed.js';

/** A backend to be put through the suite. */
export interface BackendUnderTest {
  /** Names the variant, for the report. */
  readonly name: string;
  /** Makes a backend. One serves most checks; checks of its lifetime make their own. */
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
  /**
   * Milliseconds that a check may take: one that hangs fails then. Default: what the test runner
   * allows, and 60,000 without one.
   */
  readonly timeout?: number;
}

/** A check of one backend, ready to be run. */
export interface BackendTest {
  readonly name: string;
  /** Why it is left out, where it is. */
  readonly skip: string | undefined;
  /** Rejects with what was wrong, and the seed that repeats it. */
  readonly run: () => Promise<void>;
}

/** The whole suite for one backend. */
export interface BackendTests {
  readonly title: string;
  /** To be run one after the other. */
  readonly tests: readonly BackendTest[];
  /** Closes the backend, and resolves to a line that says how many checks passed. */
  readonly finish: () => Promise<string>;
}

/**
 * The checks of `subject` for a test runner of yours. A backend is made when the first is run.
 * @throws RangeError when `skip` names no check.
 */
export function backendTests(subject: BackendUnderTest): BackendTests {
  const { name, create, lengths = [], slow = false, checks = CHECKS, skip = {} } = subject;
  const effort: Effort = isThorough ? (slow ? 'most' : 'all') : 'sample';
  const reasons = skipReasons(skip);
  const seed = runSeed();
  let backend: Backend | undefined;
  let passed = 0;
  const run = async (check: Check): Promise<void> => {
    backend ??= create();
    const random = new Random(seed + CHECKS.indexOf(check));
    await runCheck(check, { backend, create, random, lengths, effort }, seed);
    passed++;
  };
  const missing = MISSING_CLASSES.map((missing) => ({
    name: missing.replace(/:.*/, ''),
    skip: missing.replace(/.*: /, ''),
    run: async () => {},
  }));
  return {
    title: `${name} conforms`,
    tests: [
      ...checks.map((check) => ({
        name: check.name,
        skip: reasons.get(check.name),
        run: () => run(check),
      })),
      ...missing,
    ],
    async finish() {
      await backend?.close();
      const skipped = [...Array.from(reasons, (entry) => entry.join(': ')), ...MISSING_CLASSES];
      const list = skipped.length === 0 ? 'nothing' : skipped.join('; ');
      return `${name}: ${passed} of ${checks.length} checks passed, seed ${seed}; skipped: ${list}`;
    },
  };
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

/** The result of the suite, by the names of its checks. */
export interface BackendReport {
  readonly passed: readonly string[];
  readonly failed: readonly { readonly name: string; readonly error: Error }[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** The line that says all that in numbers. */
  readonly summary: string;
}

/** Milliseconds after which a check that hangs is given up if there is no test runner. */
const TIMEOUT = 60_000;

/**
 * Runs the suite without a test runner. Every check is run, whatever came of those before.
 *
 * ```ts
 * const { failed } = await testBackend({ name: 'mine', create: () => mine() });
 * for (const { name, error } of failed) console.error(`${name}: ${error.message}`);
 * ```
 *
 * @throws RangeError when `skip` names no check.
 */
export async function testBackend(subject: BackendUnderTest): Promise<BackendReport> {
  const { timeout = TIMEOUT } = subject;
  const { tests, finish } = backendTests(subject);
  const passed: string[] = [];
  const failed: { name: string; error: Error }[] = [];
  const skipped: { name: string; reason: string }[] = [];
  for (const { name, skip, run } of tests) {
    if (skip !== undefined) {
      skipped.push({ name, reason: skip });
      continue;
    }
    try {
      await within(run(), timeout);
      passed.push(name);
    } catch (error) {
      failed.push({ name, error: error as Error });
    }
  }
  return { passed, failed, skipped, summary: await within(finish(), timeout) };
}

/** Settles as `work` does, or rejects after `milliseconds`. */
async function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new Error(`no result within ${milliseconds} ms`));
    timer = setTimeout(fail, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
