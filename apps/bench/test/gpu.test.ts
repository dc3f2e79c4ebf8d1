import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { tileOf } from '../../../packages/webgpu/src/sorter/constants.js';
import { chromium } from '../../../tools/chromium.js';
import { TILE } from '../src/gpu/check.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BUNDLE = join(ROOT, 'apps/bench/dist/keysweep-gpu.mjs');
const ROLLDOWN = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');

const node = (...args: string[]) =>
  spawnSync(process.execPath, args, { encoding: 'utf8', cwd: ROOT });

/** Runs the bundle over SwiftShader, whatever drivers there are. */
const gpu = (command: string, ...args: string[]) =>
  node(BUNDLE, command, '--software', dirname(chromium().executablePath), ...args);

describe('npm run bundle:gpu', () => {
  beforeAll(() => {
    // Always: a bundle that is there may be of older code, or come out of the build's cache.
    const { status, stderr } = node(ROLLDOWN, '--config', 'apps/bench/rolldown.config.js');
    expect(stderr).not.toMatch(/error/i);
    expect(status).toBe(0);
  });

  it('makes one file that imports nothing but Node, webgpu, and what it has beside it or can do without', () => {
    const code = readFileSync(BUNDLE, 'utf8');
    const imports = code.matchAll(/^import .* from "(.*)";$|\bimport\("([^"]*)"\)/gm);
    const names = new Set(Array.from(imports, ([, one, other]) => one ?? other));
    expect([...names].filter((name) => !name?.startsWith('node:'))).toEqual([
      'webgpu',
      'piscina',
      'gpu.js',
    ]);
  });

  it('check prints a line a check, and counts', () => {
    const { status, stdout } = gpu('check', '--only', 'a mistake is a TypeError');
    expect(stdout).toMatch(/^Adapter: .*\(SOFTWARE\)\nDriver: .*\nFeatures: none\nLimits: /);
    expect(stdout).toMatch(/^passed {3}RadixSorter: create: a mistake .* \(\d+ ms\)$/m);
    expect(stdout).toMatch(/\n2 passed, 0 failed\n$/);
    expect(status).toBe(0);
  });

  it('check runs the suite of the backend with all features', () => {
    const { status, stdout } = gpu('check', '--features', 'all', '--only', 'maxLength');
    expect(stdout).toMatch(/^Features: .*subgroups/m);
    expect(stdout).toMatch(/^passed {3}webgpu\(\): gives maxLength /m);
    expect(status).toBe(0);
  });

  it('bench prints a row a sort and a table of its kernels, and writes the samples', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keysweep-'));
    const json = join(folder, 'record.json');
    try {
      const reference = join(folder, 'cub.txt');
      writeFileSync(reference, 'cub 2^12 keys32 0.020 ms 0.20 Gk/s\n');
      const args = ['--sizes', '12', '--types', 'u32', '--kernels'];
      const files = ['--reference', reference, '--json', json];
      const { status, stdout } = gpu('bench', ...args, ...files);
      expect(stdout).toMatch(
        /^sort +u32 +4,096 +random +(\S+ [µm]s +){3}[\d.e-]+ +\S+ [µm]s +\d+ % +yes$/m,
      );
      expect(stdout).toMatch(/^sortPairs +u32 .* yes$/m);
      expect(stdout).toMatch(/^ +downsweep +4 +\S+ [µm]s +\d+ % +\S+ [nµm]s +\d+ %$/m);
      expect(status).toBe(0);
      const record = JSON.parse(readFileSync(json, 'utf8'));
      const { gpu: adapter, results } = record;
      expect(adapter.software).toBe(true);
      expect(record.reference).toEqual([
        { name: 'cub', operation: 'sort', keyType: 'u32', length: 4096, milliseconds: 0.02 },
      ]);
      expect(results).toHaveLength(2);
      for (const { ours, latency, clock, verified } of results) {
        expect([ours.length, latency.length, clock, verified]).toEqual([15, 9, 'gpu', true]);
      }
      const page = node('apps/bench/dist/page/main.js', json, '--out', folder);
      expect(page.status).toBe(0);
      expect(readFileSync(join(folder, 'gpu.md'), 'utf8')).toContain('[raw samples](record.json)');
      expect(readdirSync(folder)).toContain('gpu-lengths.svg');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('bench takes the host for a clock, and other keys', () => {
    const args = ['--sizes', '4', '--types', 'u64', '--distributions', 'few'];
    const { status, stdout } = gpu('bench', ...args, '--clock', 'host');
    expect(stdout).toMatch(/^Features: none$/m);
    expect(stdout.match(/^sort(Pairs)? +u64 +16 +few .* yes$/gm)).toHaveLength(2);
    expect(status).toBe(0);
  });

  it('sort prints a row a type', () => {
    const { status, stdout } = gpu('sort', '--sizes', '8', '--types', 'f32');
    expect(stdout).toMatch(/^f32 +256 .*x {2}yes$/m);
    expect(status).toBe(0);
  });

  it('regret has threads beside the bundle, and asks every backend that counts', () => {
    const selection = ['--shortest', '300000', '--longest', '1100000', '--types', 'u8'];
    const { status, stdout } = gpu(
      'regret',
      ...selection,
      '--operations',
      'sort',
      '--samples',
      '1',
    );
    expect(stdout).toMatch(/^sort +u8 +1,048,576 +[\d.]+ ms +[\d.]+ ms .* yes$/m);
    expect(status).toBe(0);
  });

  it.each([
    [['dance'], "there is no command 'dance'"],
    [['check', '--only', 'bogus'], "--only 'bogus' is in no name of a check"],
    [['bench', '--sizes', '12,1e3'], '--sizes takes powers of two from 1 to 30, such as 16,20'],
    [['bench', '--types', 'u32,f16'], "--types takes u32, f32, u64: got 'f16'"],
    [['sort', '--features', 'some'], "--features takes none, all: got 'some'"],
    [['sort', '--kernels'], "Unknown option '--kernels'"],
  ])('refuses %j', ([command = '', ...args], message) => {
    const { status, stderr } = gpu(command, ...args);
    expect(stderr).toContain(message);
    expect(status).toBe(1);
  });
});

it('the checks know the tiles of the kernels', () => {
  expect(TILE).toEqual({ 4: tileOf(1), 8: tileOf(2) });
});
