/**
 * The end of a test run: each skipped test with its reason, the tests that passed only when they
 * were tried again, what failed, and a line of counts.
 */

import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { LeftOut } from './platform.mjs';

const nameOf = (test: TestCase): string =>
  `${test.module.relativeModuleId} > ${test.fullName} (${test.project.name})`;

const fileOf = (module: TestModule): string =>
  `${module.relativeModuleId} (${module.project.name})`;

/**
 * Ends a run with `N passed, N failed`, then `, N skipped` where any were, and how many of those
 * that passed did so `only when tried again`. A file that fails to load, a hook that throws outside
 * a test and an uncaught error count as failures.
 */
export default class CountsReporter implements Reporter {
  /** Files that the run leaves out, each group of which counts as one skipped test. */
  readonly #leftOut: readonly LeftOut[];

  constructor(leftOut: readonly LeftOut[]) {
    this.#leftOut = leftOut;
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
    reason: 'passed' | 'interrupted' | 'failed',
  ): Promise<void> {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string): TestCase[] =>
      tests.filter((test) => test.result().state === state);
    const failures = [
      ...inState('failed').map((test) => `${nameOf(test)}: ${textOf(test.result().errors ?? [])}`),
      ...modules.flatMap((module) => [
        ...module.errors().map((error) => `${fileOf(module)}: ${textOf([error])}`),
        ...[...module.children.allSuites()].flatMap((suite) =>
          suite.errors().map((error) => `${fileOf(module)}, ${suite.name}: ${textOf([error])}`),
        ),
      ]),
      ...unhandledErrors.map((error) => `outside of any test: ${textOf([error as Failure])}`),
    ];
    const skipped = [
      ...tests.flatMap(reasonOf),
      ...this.#leftOut.map(({ files, reason }) => `${files.join(', ')}: ${reason}`),
    ];
    // A run can fail without any of them: no test file found, or it was interrupted.
    const failed = reason !== 'passed' && failures.length === 0 ? 1 : failures.length;

    // The other reporter's account of failures goes to standard error: let it be through first.
    await new Promise((resolve) => process.stderr.write('', resolve));
    if (skipped.length > 0) console.log(`\nSkipped:\n  ${skipped.join('\n  ')}`);
    const flaky = tests.filter((test) => test.diagnostic()?.flaky);
    const tries = flaky.map((test) => `${nameOf(test)}: ${textOf(test.result().errors ?? [])}`);
    if (tries.length > 0) console.log(`\nPassed only when tried again:\n  ${tries.join('\n  ')}`);
    const { KEYSWEEP_SEED: seed } = process.env;
    console.log(`\nKEYSWEEP_SEED=${seed} draws the same again.`);
    // Again, where nobody who reads the end of a log misses them.
    if (failures.length > 0) console.log(`\nFailed:\n  ${failures.join('\n  ')}`);
    const counts = [`${inState('passed').length} passed`, `${failed} failed`];
    if (skipped.length > 0) counts.push(`${skipped.length} skipped`);
    if (tries.length > 0) counts.push(`${tries.length} only when tried again`);
    console.log(`\n${counts.join(', ')}`);
  }
}

/** Why a test was skipped; nothing of a test that was not. */
function reasonOf(test: TestCase): readonly string[] {
  const result = test.result();
  if (result.state !== 'skipped' && result.state !== 'pending') return [];
  const note = result.state === 'skipped' ? result.note : 'not reached';
  return [`${nameOf(test)}: ${note || 'no reason given'}`];
}

interface Failure {
  readonly message?: string;
}

/** The first line of each error. */
const textOf = (errors: readonly Failure[]): string =>
  errors.map((error) => (error.message ?? String(error)).split('\n', 1)[0]).join('; ');
