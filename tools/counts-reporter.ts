/** The end of a test run: every skipped test with its reason, every failed one with its error, then one line of counts. */

import type { Reporter, TestCase, TestModule } from 'vitest/node';

const nameOf = (test: TestCase): string =>
  `${test.module.relativeModuleId} > ${test.fullName} (${test.project.name})`;

/**
 * Ends a run with `N passed, N failed`, then `, N skipped` where any were. A file that fails to
 * load, a hook that throws outside a test and an error that nobody caught count as failures.
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

    const passed = inState('passed').length;
    const known = inState('failed').length + suiteErrors.length + unhandledErrors.length;
    // A run can fail without any of them: no test file found, or it was interrupted.
    const failed = reason !== 'passed' && known === 0 ? 1 : known;

    // The other reporter's account of failures goes to standard error: let it be through first.
    await new Promise((resolve) => process.stderr.write('', resolve));
    if (skipped.length > 0) console.log('\nSkipped:');
    for (const test of skipped) console.log(`  ${nameOf(test)}: ${reasonOf(test)}`);
    const failures = inState('failed');
    if (failures.length > 0) console.log('\nFailed:');
    for (const test of failures) console.log(`  ${nameOf(test)}: ${errorOf(test)}`);
    const counts = [`${passed} passed`, `${failed} failed`];
    if (skipped.length > 0) counts.push(`${skipped.length} skipped`);
    console.log(`\n${counts.join(', ')}`);
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
