/** The command as npm gives it to users: from packed packages, in a folder of its own. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random, runSeed } from '@keysweep/conformance/data';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SEED = runSeed();

/** The command's package, and those of ours that it needs. */
const PACKAGES = ['core', 'kernels', 'cpu', 'webgpu', 'webgl2', 'files', 'external']
  .map((name) => `@keysweep/${name}`)
  .concat('keysweep', 'keysweep-cli');

const folder = mkdtempSync(join(tmpdir(), 'keysweep-packed-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' });

beforeAll(() => {
  const workspaces = PACKAGES.flatMap((name) => ['--workspace', name]);
  const how = ['--ignore-scripts', '--json', '--pack-destination', folder];
  const packed = JSON.parse(run('npm', ['pack', ...workspaces, ...how], ROOT)) as object;
  const files = Object.values(packed).map(({ filename }) => join(folder, filename));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--no-audit', '--no-fund', ...files], folder);
});

it('sorts a file by npx keysweep-cli, and brings no GPU package along', () => {
  const keys = new Uint32Array(100_000);
  new Random(SEED).fill(keys);
  writeFileSync(join(folder, 'keys.u32'), keys);
  const args = ['sort', '--type', 'u32', 'keys.u32', '-o', 'sorted.u32'];
  expect(run('npx', ['--no', 'keysweep-cli', ...args], folder)).toBe('');
  const sorted = new Uint32Array(new Uint8Array(readFileSync(join(folder, 'sorted.u32'))).buffer);
  expect(sorted, `seed ${SEED}`).toEqual(keys.sort());
  const installed = readdirSync(join(folder, 'node_modules'));
  expect(installed).toContain('piscina');
  expect(installed.filter((name) => /gpu/.test(name))).toEqual([]);
});

it('says what to install for addresses of S3', () => {
  const args = ['--no', 'keysweep-cli', 'sort', '--type', 'u32', 's3://bucket/a', '-o', 'out.u32'];
  const { status, stderr } = spawnSync('npx', args, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(
      /^keysweep: addresses s3: need .*npm install @aws-sdk\/client-s3.*$/m,
    ),
  });
});
