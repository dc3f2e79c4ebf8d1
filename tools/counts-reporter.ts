/**
 * The end of a test run: every skipped test with its reason, the files that took longest, every
 * failed test with its error, then one line of counts.
 */

import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { printEnd, type RunEnd } from './run-end.mjs';

const nameOf = (test: TestCase): string =>
  `${test.module.relativeModuleId} > ${test.fullName} (${test.project.name})`;

const fileOf = (module: TestModule): string =>
  `${module.relativeModuleId} (${module.project.name})`;

/**
 * Ends a run with `N passed, N failed`, then `, N skipped` where any were. A file that fails to
 * load, a hook that throws outside a test and an uncaught error count as failures. A run that
 * tools/run-tests.mjs has started writes its end to a file instead, and prints nothing.
 */
export default class CountsReporter implements Reporter {
  async onTestRunEnd(
    testModules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
    reason: 'passed' | 'interrupted' | 'failed',
  ): Promise<void> {
    const tests = testModules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string): TestCase[] =>
      tests.filter((test) => test.result().state === state);
    const skipped = tests.filter((test) => ['skipped', 'pending'].includes(test.result().state));
    const failures = [
      ...inState('failed').map((test) => `${nameOf(test)}: ${textOf(test.result().errors ?? [])}`),
      ...testModules.flatMap((module) => [
        ...module.errors().map((error) => `${fileOf(module)}: ${textOf([error])}`),
        ...[...module.children.allSuites()].flatMap((suite) =>
          suite.errors().map((error) => `${fileOf(module)}, ${suite.name}: ${textOf([error])}`),
        ),
      ]),
      ...unhandledErrors.map((error) => `outside of any test: ${textOf([error as Failure])}`),
    ];
    const end: RunEnd = {
      passed: inState('passed').length,
      // A run can fail without any of them: no test file found, or it was interrupted.
      failed: reason !== 'passed' && failures.length === 0 ? 1 : failures.length,
      skipped: skipped.map((test) => `${nameOf(test)}: ${reasonOf(test)}`),
      failures,
      files: testModules.map((module) => ({
        name: fileOf(module),
        milliseconds: module.diagnostic().duration,
      })),
    };
    const { KEYSWEEP_RUN_END: path } = process.env;
    if (path !== undefined) {
      writeFileSync(path, JSON.stringify(end));
      return;
    }
    // The other reporter's account of failures goes to standard error: let it be through first.
    await new Promise((resolve) => process.stderr.write('', resolve));
    printEnd(end);
  }
}

function reasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === 'pending') return 'not reached';
  return (result.state === 'skipped' && result.note) || 'no reason given';
}

interface Failure {
  readonly message?: string;
}

/** The first line of each error. */
const textOf = (errors: readonly Failure[]): string =>
  errors.map((error) => (error.message ?? String(error)).split('\n', 1)[0]).join('; ');
