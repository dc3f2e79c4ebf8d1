/** The end of a test run: every skipped test with its reason, then one line of counts. */

import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { LEFT_OUT } from './platform.mjs';

/**
 * Ends a run with `N passed, N failed`, then `, N skipped` where any were. A file that fails to
 * load, a hook that throws outside a test and an uncaught error count as failures.
 */
export default class CountsReporter implements Reporter {
  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
    reason: 'passed' | 'interrupted' | 'failed',
  ): Promise<void> {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string): number =>
      tests.filter((test) => test.result().state === state).length;
    const suiteErrors = modules.flatMap((module) => [
      ...module.errors(),
      ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
    ]);
    const skipped = [
      ...tests.flatMap(reasonOf),
      ...LEFT_OUT.map(({ files, reason }) => `${files.join(', ')}: ${reason}`),
    ];
    const known = count('failed') + suiteErrors.length + unhandledErrors.length;
    // A run can fail without any of them: no test file found, or it was interrupted.
    const failed = reason !== 'passed' && known === 0 ? 1 : known;

    // The other reporter's account of failures goes to standard error: let it be through first.
    await new Promise((resolve) => process.stderr.write('', resolve));
    if (skipped.length > 0) console.log(`\nSkipped:\n  ${skipped.join('\n  ')}`);
    const { KEYSWEEP_SEED: seed } = process.env;
    console.log(`\nKEYSWEEP_SEED=${seed} draws the same again.`);
    const counts = [`${count('passed')} passed`, `${failed} failed`];
    if (skipped.length > 0) counts.push(`${skipped.length} skipped`);
    console.log(`\n${counts.join(', ')}`);
  }
}

/** Why a test was skipped; nothing of a test that was not. */
function reasonOf(test: TestCase): readonly string[] {
  const result = test.result();
  if (result.state !== 'skipped' && result.state !== 'pending') return [];
  const note = result.state === 'skipped' ? result.note : 'not reached';
  const name = `${test.module.relativeModuleId} > ${test.fullName} (${test.project.name})`;
  return [`${name}: ${note || 'no reason given'}`];
}
