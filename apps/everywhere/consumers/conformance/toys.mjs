/**
 * Puts backends through checks of the suite, without a test runner.
 *
 *   node toys.mjs '[{ "file": "./mine.js", "checks": "^sorts", "timeout": 60000 }]'
 *
 * `checks` is a regular expression for the names of the checks. Prints a list: what failed of each
 * backend.
 */

import { CHECKS, testBackend } from '@keysweep/conformance/suite';

const results = [];
for (const { file, checks, timeout } of JSON.parse(process.argv[2])) {
  const { mine } = await import(file);
  const { passed, failed } = await testBackend({
    name: file,
    create: mine,
    lengths: [4095, 4096, 4097],
    checks: CHECKS.filter(({ name }) => new RegExp(checks).test(name)),
    timeout,
  });
  const faults = failed.map(({ name, error }) => ({ name, message: error.message }));
  results.push({ passed: passed.length, failed: faults });
}
console.log(JSON.stringify(results));
