/**
 * A process that runs one test file after the other, each in a process of its own, as its parent
 * says: `{ file, mutant, tests }` with a mutant, or `{ file, covered }` without. Answers with
 * `{ failure, failed: name[], tests: [name, milliseconds][] }`, the last of those that passed.
 */

import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';

const [bail, cacheDir] = process.argv.slice(2);
const vitest = await createVitest(
  'test',
  {
    root: process.cwd(),
    config: false,
    watch: false,
    include: ['**/test/**/*.test.ts'],
    setupFiles: [fileURLToPath(new URL('setup.mjs', import.meta.url))],
    pool: 'forks',
    maxWorkers: 1,
    maxConcurrency: 1,
    bail: Number(bail),
    testTimeout: 600_000,
    hookTimeout: 600_000,
    reporters: [{}],
    silent: true,
  },
  { configFile: false, logLevel: 'silent', cacheDir },
);
const project = vitest.getRootProject();

const textOf = (error) => `${error?.message ?? error}`.split('\n')[0].slice(0, 300);

process.on('message', async ({ file, ...mutants }) => {
  try {
    project.provide('mutants', mutants);
    const path = `${process.cwd()}/${file}`;
    const ended = await vitest.runTestSpecifications([project.createSpecification(path)]);
    // The files before this one are listed as well.
    const testModules = ended.testModules.filter(({ moduleId }) => moduleId === path);
    const { unhandledErrors } = ended;
    const tests = testModules.flatMap(({ children }) => [...children.allTests()]);
    const suites = testModules.flatMap(({ children }) => [...children.allSuites()]);
    const errors = [
      ...tests.flatMap((test) => test.result().errors ?? []),
      ...[...testModules, ...suites].flatMap((parent) => parent.errors()),
      ...unhandledErrors,
    ];
    const inState = (state) => tests.filter((test) => test.result().state === state);
    process.send({
      failure: errors.length > 0 ? textOf(errors[0]) : undefined,
      failed: inState('failed').map(({ fullName }) => fullName),
      tests: inState('passed').map((test) => [
        test.fullName,
        Math.round(test.diagnostic()?.duration ?? 0),
      ]),
    });
  } catch (error) {
    process.send({ failure: `vitest: ${textOf(error)}`, tests: [] });
  }
});
process.on('disconnect', () => process.exit());
process.send({ ready: true });
