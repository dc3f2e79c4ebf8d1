/**
 * The end of a test run: every skipped test with its reason, the files that took longest, every
 * failed test with its error, then one line of counts.
 */

import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { printEnd, type RunEnd } from './run-end.mjs';

const nameOf = (test: TestCase): string =>
  `${test.module.relativeModuleId} > ${test.fullName} (${test.project.name})`;

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
    const suiteErrors = testModules.flatMap((module) => [
      ...module.errors(),
      ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
    ]);

    const known = inState('failed').length + suiteErrors.length + unhandledErrors.length;
    const end: RunEnd = {
      passed: inState('passed').length,
      // A run can fail without any of them: no test file found, or it was interrupted.
      failed: reason !== 'passed' && known === 0 ? 1 : known,
      skipped: skipped.map((test) => `${nameOf(test)}: ${reasonOf(test)}`),
      failures: inState('failed').map((test) => `${nameOf(test)}: ${errorOf(test)}`),
      files: testModules.map((module) => ({
        name: `${module.relativeModuleId} (${module.project.name})`,
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

/** The first line of what went wrong. */
const errorOf = (test: TestCase): string =>
  (test.result().errors ?? []).map(({ message }) => message.split('\n', 1)[0]).join('; ');
