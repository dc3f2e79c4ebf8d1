/** Bun, which runs JavaScriptCore: the npm package `bun` has a program for most platforms. */

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const { platform, arch } = process;
const isWindows = platform === 'win32';
const PLATFORM = `${isWindows ? 'windows' : platform}-${arch === 'arm64' ? 'aarch64' : arch}`;

/** Where the package's install script puts the program, and where it lies if no script may run. */
const PLACES = [
  ['bun', 'bin/bun.exe'],
  [`@oven/bun-${PLATFORM}`, `bin/bun${isWindows ? '.exe' : ''}`],
] as const;

const require = createRequire(import.meta.url);

/** The path of a Bun that starts here, or undefined. */
export function findBun(): string | undefined {
  for (const [name, path] of PLACES) {
    try {
      const program = join(dirname(require.resolve(`${name}/package.json`)), path);
      if (spawnSync(program, ['--version']).status === 0) return program;
    } catch {
      // npm has left the package of another platform out.
    }
  }
  return undefined;
}
