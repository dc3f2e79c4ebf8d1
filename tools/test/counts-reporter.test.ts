import { afterEach, expect, it, vi } from 'vitest';
import type { TestModule } from 'vitest/node';
import CountsReporter from '../counts-reporter.js';

afterEach(() => void vi.restoreAllMocks());

/** What stands at the end of a run of tests that passed, the flaky ones when tried again. */
async function endOf(tests: readonly { name: string; flaky: boolean }[]): Promise<string[]> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const module = {
    relativeModuleId: 'a.test.ts',
    errors: () => [],
    children: { allTests: () => cases, allSuites: () => [] },
  };
  const cases = tests.map(({ name, flaky }) => ({
    module,
    fullName: name,
    project: { name: 'node' },
    result: () => ({ state: 'passed', errors: flaky ? [{ message: 'wrong\nat once' }] : [] }),
    diagnostic: () => ({ flaky }),
  }));
  await new CountsReporter([]).onTestRunEnd([module as unknown as TestModule], [], 'passed');
  return log.mock.calls.map(([line]) => `${line}`);
}

it('a test that passed only when tried again is listed with its error, and counted', async () => {
  const lines = await endOf([
    { name: 'one', flaky: false },
    { name: 'other', flaky: true },
  ]);
  expect(lines[0]).toBe('\nPassed only when tried again:\n  a.test.ts > other (node): wrong');
  expect(lines.at(-1)).toBe('\n2 passed, 0 failed, 1 only when tried again');
});

it('nothing is said of trying again if no test was', async () => {
  const lines = await endOf([{ name: 'one', flaky: false }]);
  expect(lines.at(-1)).toBe('\n1 passed, 0 failed');
  expect(lines.join()).not.toContain('again:');
});
