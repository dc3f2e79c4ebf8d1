/**
 * Runs the tests in Node and those in a browser side by side: Vitest alone would run them one after the other, and a
 * browser's keep one core busy. Ends, as either does, with one line of counts: those of both.
 */

import { spawn } from 'node:child_process';

/** The list that tools/counts-reporter.ts makes of failed tests. */
const FAILURES = /^Failed:\n((?: {2}.*\n)+)/m;
const COUNTS = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/m;

/** Runs one project of vitest.config.ts and resolves to what it printed, passing it on at once where `live`. */
function run(project, live) {
  return new Promise((resolve, reject) => {
    const vitest = spawn('vitest', ['run', '--project', project, ...process.argv.slice(2)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = [];
    for (const [from, to] of [
      [vitest.stdout, process.stdout],
      [vitest.stderr, process.stderr],
    ]) {
      from.on('data', (text) => {
        printed.push(text);
        if (live) to.write(text);
      });
    }
    vitest.on('error', reject);
    vitest.on('close', (code) =>
      resolve({ project, code, text: Buffer.concat(printed).toString() }),
    );
  });
}

const [node, browser] = await Promise.all([run('node', true), run('browser', false)]);
console.log(browser.text);

let [passed, failed, skipped] = [0, 0, 0];
const failures = [];
for (const { project, code, text } of [node, browser]) {
  const counts = COUNTS.exec(text);
  passed += Number(counts?.[1] ?? 0);
  skipped += Number(counts?.[3] ?? 0);
  const known = Number(counts?.[2] ?? 0);
  failures.push(FAILURES.exec(text)?.[1] ?? '');
  // A run that ends without its counts, or badly without a failure, has failed as a whole.
  const isWhole = counts !== null && (code === 0 || known > 0);
  if (!isWhole) console.log(`the tests in ${project} ended with code ${code}`);
  failed += isWhole ? known : known + 1;
}
// Once more what failed: a log is read from its end.
if (failures.some((list) => list !== '')) console.log(`\nFailed:\n${failures.join('')}`);
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
