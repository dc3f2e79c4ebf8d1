/**
 * Brings Redis for the tests of the cluster, where no redis-server is installed:
 *
 *   node tools/install/redis.mjs
 *
 * It unpacks packages of Debian into node_modules/.cache/keysweep/redis: nothing is installed, no
 * service is started. It needs apt-get and dpkg-deb, whose lists are up to date (apt-get update).
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/keysweep/redis', import.meta.url));

/** The server, and the libraries of it that a small system lacks. */
const PACKAGES = [
  'redis-tools',
  'redis-server',
  'libhiredis0.14',
  'libjemalloc2',
  'liblua5.1-0',
  'liblzf1',
  'lua-bitop',
  'lua-cjson',
];

const downloads = mkdtempSync(join(tmpdir(), 'keysweep-redis-'));
try {
  execFileSync('apt-get', ['download', '-q', ...PACKAGES], { cwd: downloads, stdio: 'inherit' });
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const file of readdirSync(downloads)) {
    execFileSync('dpkg-deb', ['-x', join(downloads, file), FOLDER]);
  }
} finally {
  rmSync(downloads, { recursive: true });
}
console.log(`Redis is in ${FOLDER}`);
