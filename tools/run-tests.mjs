/**
 * Runs all tests:
 *
 *   node tools/run-tests.mjs [--thorough] [files, or options of Vitest]
 *
 * The tests in Node run beside those of the software GPU and then those of the browser, which keep
 * one core busy each. Ends with one line of counts, those of all, and with exit code 1 if any
 * failed. `--thorough` tries every combination, as KEYSWEEP_THOROUGH=1 does.
 */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LEFT_OUT } from './platform.mjs';
import { printEnd } from './run-end.mjs';

const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));

const args = process.argv.slice(2).filter((arg) => arg !== '--thorough');
const isThorough = args.length < process.argv.length - 2;
// One for all, so that a run can be repeated.
const { KEYSWEEP_SEED: given } = process.env;
const seed = given ?? `${Math.floor(Math.random() * 2 ** 32)}`;
const folder = mkdtempSync(join(tmpdir(), 'keysweep-tests-'));

/**
 * Runs one project of vitest.config.ts and resolves to its end. Prints as it goes where `live`,
 * else when it is over.
 */
function run(project, live) {
  const path = join(folder, `${project}.json`);
  const env = {
    ...process.env,
    KEYSWEEP_SEED: seed,
    KEYSWEEP_RUN_END: path,
    ...(isThorough ? { KEYSWEEP_THOROUGH: '1' } : {}),
  };
  return new Promise((resolve, reject) => {
    const vitest = spawn(
      process.execPath,
      [VITEST, 'run', '--passWithNoTests', '--project', project, ...args],
      { env, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const printed = [];
    for (const [from, to] of [
      [vitest.stdout, process.stdout],
      [vitest.stderr, process.stderr],
    ]) {
      from.on('data', (text) => (live ? to.write(text) : printed.push(text)));
    }
    vitest.on('error', reject);
    vitest.on('close', (code) => {
      process.stdout.write(Buffer.concat(printed));
      resolve(endOf(project, path, code));
    });
  });
}

/**
 * The end of a project's run. One that left none, or ended badly without a failed test, has failed
 * as a whole.
 */
function endOf(project, path, code) {
  const whole = `the tests in '${project}' ended with code ${code}`;
  try {
    const end = JSON.parse(readFileSync(path, 'utf8'));
    if (code === 0 || end.failed > 0) return end;
    return { ...end, failed: 1, failures: [...end.failures, whole] };
  } catch {
    return { passed: 0, failed: 1, skipped: [], failures: [whole], files: [] };
  }
}

const ends = (
  await Promise.all([
    run('node', true).then((end) => [end]),
    run('gpu', false).then(async (end) => [end, await run('browser', false)]),
  ])
).flat();
rmSync(folder, { recursive: true });

const sum = (name) => ends.reduce((total, end) => total + end[name], 0);
const all = (name) => ends.flatMap((end) => end[name]);
console.log(`\nKEYSWEEP_SEED=${seed} draws the same again.`);
printEnd({
  passed: sum('passed'),
  failed: sum('failed'),
  skipped: [
    ...all('skipped'),
    ...LEFT_OUT.map(({ files, reason }) => `${files.join(', ')}: ${reason}`),
  ],
  failures: all('failures'),
  files: all('files'),
});
process.exitCode = sum('failed') > 0 ? 1 : 0;
