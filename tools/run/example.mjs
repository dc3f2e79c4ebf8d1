/**
 * Installs and builds what an example needs, and starts it:
 *
 *   node tools/run/example.mjs NAME [options of the example's own start]
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const names = readdirSync(`${ROOT}/examples`).filter((name) =>
  existsSync(`${ROOT}/examples/${name}/package.json`),
);

/** Runs a command where npm installs, and ends with its exit code where it fails. */
function run(command, ...args) {
  const shell = process.platform === 'win32';
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', shell });
  if (status !== 0) process.exit(status ?? 1);
}

const [name, ...options] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  console.error(`Say which example: npm run example -- NAME. Names: ${names.join(', ')}.`);
  process.exit(2);
}
run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error');
// The packages that it uses, not the example: `^`.
const needed = `--filter=@keysweep/example-${name}^...`;
run('npx', 'turbo', 'run', 'build', needed, '--output-logs=errors-only', '--log-prefix=none');
run('npm', 'start', '--silent', '--workspace', `@keysweep/example-${name}`, '--', ...options);
