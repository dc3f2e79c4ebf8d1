/**
 * Builds a package again whenever its sources change, with what it is made of and nothing that is
 * made of it, and runs its tests again:
 *
 *   npm run test:watch -- packages/core [options of Vitest]
 *
 * The tests are those in Node unless `--project` says another.
 */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MODULES = new URL('../node_modules/', import.meta.url);
const [folder, ...options] = process.argv.slice(2);
if (folder === undefined) throw new TypeError('name the folder of a package: packages/core');
const project = options.some((option) => option.startsWith('--project')) ? [] : ['--project=node'];
const start = (program, args) =>
  spawn(process.execPath, [fileURLToPath(new URL(program, MODULES)), ...args], {
    stdio: 'inherit',
  });

// Tests of core use conformance, which is made of core and so is no dependency of it.
const filters = [`--filter=./${folder}`, '--filter=@keysweep/conformance'];
const quiet = ['--output-logs=errors-only', '--ui=stream'];
const turbo = start('turbo/bin/turbo', ['watch', 'build', ...filters, ...quiet]);
const vitest = start('vitest/vitest.mjs', ['watch', ...project, folder, ...options]);
vitest.on('exit', (code) => {
  process.exitCode = code ?? 1;
  turbo.kill();
});
