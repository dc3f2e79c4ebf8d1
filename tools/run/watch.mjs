/**
 * Whenever a package's sources change, builds the package with its dependencies, but nothing that
 * depends on it, and runs its tests again:
 *
 *   npm run test:watch -- packages/core [options of Vitest]
 *
 * Tests run in Node unless `--project` names another project.
 */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MODULES = new URL('../../node_modules/', import.meta.url);
const [folder, ...options] = process.argv.slice(2);
if (folder === undefined) throw new TypeError('name the folder of a package: packages/core');
const project = options.some((option) => option.startsWith('--project')) ? [] : ['--project=node'];
const start = (program, args) =>
  spawn(process.execPath, [fileURLToPath(new URL(program, MODULES)), ...args], {
    stdio: 'inherit',
  });

// Tests of core use conformance, which turbo wouldn't build, because it depends on core.
const filters = [`--filter=./${folder}`, '--filter=@keysweep/conformance'];
const quiet = ['--output-logs=errors-only', '--ui=stream'];
const turbo = start('turbo/bin/turbo', ['watch', 'build', ...filters, ...quiet]);
const vitest = start('vitest/vitest.mjs', ['watch', ...project, folder, ...options]);
vitest.on('exit', (code) => {
  process.exitCode = code ?? 1;
  turbo.kill();
});
