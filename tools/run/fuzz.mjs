/**
 * Tries damaged files on every reader of files:
 *
 *   npm run test:fuzz -- [--seed S] [--count N]
 *
 * N files of each reader, 5,000 if it is not given. The same seed damages the same files alike. The
 * readers may take bounded time and memory for each.
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const TESTS = ['fuzz', 'csv'].map((name) => `packages/files/test/${name}.test.ts`);
const option = { type: 'string' };
const { seed, count = '5000' } = parseArgs({ options: { seed: option, count: option } }).values;

const { status } = spawnSync(process.execPath, [VITEST, 'run', '--project', 'node', ...TESTS], {
  env: {
    ...process.env,
    KEYSWEEP_FUZZ: count,
    ...(seed === undefined ? {} : { KEYSWEEP_SEED: seed }),
  },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
