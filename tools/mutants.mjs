/**
 * Changes the sources of a package in every small way that Stryker knows, and sees which of the
 * changes its tests in Node do not notice:
 *
 *   npm run test:mutants -- packages/core [FILE OF IT …]
 *
 * A second run tries again only what changed since. The report of reports/mutation has a page.
 */

import { relative, resolve } from 'node:path';
import { Stryker } from '@stryker-mutator/core';

const [given, ...files] = process.argv.slice(2);
if (given === undefined) throw new TypeError('name a folder with sources and tests: packages/core');
const folder = relative('.', resolve(given));
const report = `reports/mutation/${folder.replaceAll('/', '-')}`;

// For tools/mutants.config.ts, in the processes that Stryker starts.
process.env.KEYSWEEP_MUTANTS_OF = folder;
// Every mutant is tried on the same data.
process.env.KEYSWEEP_SEED ??= '1';
await new Stryker({
  mutate: files.length > 0 ? files : [`${folder}/src/**/*.ts`],
  // A package's tsconfig.json names those of the packages that it uses.
  ignorePatterns: ['*', `!${folder}/**`, '!**/tsconfig.json', '!tools/**', '!*.json'],
  testRunner: 'vitest',
  vitest: { configFile: 'tools/mutants.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner'],
  reporters: ['clear-text', 'progress', 'html'],
  clearTextReporter: { reportTests: false },
  htmlReporter: { fileName: `${report}.html` },
  incremental: true,
  incrementalFile: `${report}.json`,
  tempDirName: '.stryker-tmp',
}).runMutationTest();
