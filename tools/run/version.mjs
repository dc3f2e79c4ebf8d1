/**
 * Gives all packages their next version, from the files in .changeset, and writes it where it is
 * said besides: in machine.ts, in CHANGELOG.md and in the lockfile.
 *
 *   node tools/run/version.mjs
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const run = (command) => execFileSync(command, { shell: true, stdio: 'inherit' });
const versionNow = () => JSON.parse(readFileSync('packages/keysweep/package.json', 'utf8')).version;

/** Replaces `before` in a file, once. */
function replace(file, before, after) {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(before)) throw new Error(`${file} does not say ${JSON.stringify(before)}`);
  writeFileSync(file, text.replace(before, after));
}

const before = versionNow();
run('npx changeset version');
const version = versionNow();
if (version === before) throw new Error('.changeset asks for no release: see npx changeset');

replace(
  'packages/keysweep/src/machine/machine.ts',
  `VERSION = '${before}'`,
  `VERSION = '${version}'`,
);
replace('CHANGELOG.md', '## Unreleased\n', `## ${version}\n`);
run('npm install --package-lock-only --no-audit --no-fund');
run('node tools/checks/lockfile.mjs');
