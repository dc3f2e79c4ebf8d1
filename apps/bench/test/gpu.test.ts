import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isThorough, sample, THOROUGH_ONLY } from '@keysweep/conformance/data';
import { tileOf } from '@keysweep/webgpu/tuning';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFolder } from '../../../tools/chromium.js';
import { bundleProgram } from '../bundle.mjs';
import { TILE } from '../src/commands/gpu-check.js';

describe('the bundle, over SwiftShader', () => {
  // Within the repository, where the package webgpu is found.
  const folder = mkdtempSync(fileURLToPath(new URL('../dist/test-', import.meta.url)));
  const files = mkdtempSync(join(tmpdir(), 'keysweep-'));
  beforeAll(() => bundleProgram(folder));
  afterAll(() => {
    rmSync(folder, { recursive: true });
    rmSync(files, { recursive: true });
  });

  /** Runs the bundle over SwiftShader, whatever drivers there are. */
  const program = (command: string, ...args: string[]) => {
    const software = ['--software', chromiumFolder()];
    const all = [join(folder, 'main.mjs'), command, ...software, ...args];
    return spawnSync(process.execPath, all, { encoding: 'utf8' });
  };

  it('imports at its start Node alone, and later what lies beside it or is optional', () => {
    const code = readFileSync(join(folder, 'main.mjs'), 'utf8');
    const imports = [...code.matchAll(/^import .* from "(.*)";$/gm)].map(([, name]) => name);
    expect(imports.filter((name) => !name?.startsWith('node:'))).toEqual([]);
    const later = new Set([...code.matchAll(/\bimport\("([^"]*)"\)/g)].map(([, name]) => name));
    expect([...later].filter((name) => !name?.startsWith('node:')).sort()).toEqual([
      './report/command.js',
      './suites/demo.js',
      'webgpu',
    ]);
  });

  it('gpu-check prints a line for each check, and counts them', () => {
    // Of both the backend and RadixSorter, or of RadixSorter alone, which is quick.
    const [only, count] = isThorough
      ? ['a mistake is a TypeError', 2]
      : ['RadixSorter: create: a mistake is a TypeError', 1];
    const { status, stdout } = program('gpu-check', '--only', String(only));
    expect(stdout).toMatch(/^Adapter: .*\(SOFTWARE\)\nDriver: .*\nFeatures: none\nLimits: /);
    expect(stdout).toMatch(/^passed {3}RadixSorter: create: a mistake .* \(\d+ ms\)$/m);
    expect(stdout).toContain(`\n${count} passed, 0 failed\n`);
    expect(status).toBe(0);
  });

  it('gpu-check --huge sorts twice as many keys as a binding holds', () => {
    const flags = ['--variant', 'chunks', '--huge', '--only', 'a binding holds: u32 keys and'];
    const { status, stdout } = program('gpu-check', ...flags);
    expect(stdout).toMatch(/^passed {3}RadixSorter: twice as many records .* \(\d+ ms\)$/m);
    expect(stdout).toContain('\n1 passed, 0 failed\n');
    expect(status).toBe(0);
  });

  it('gpu-check runs the suite of the backend with all features', ({ skip }) => {
    skip(!isThorough, THOROUGH_ONLY);
    const { status, stdout } = program('gpu-check', '--features', 'all', '--only', 'maxLength');
    expect(stdout).toMatch(/^Features: .*subgroups/m);
    expect(stdout).toMatch(/^passed {3}webgpu\(\): gives maxLength /m);
    expect(status).toBe(0);
  });

  it('gpu prints a row for each sort and a table of its kernels, and writes the samples', () => {
    const json = join(files, 'record.json');
    const reference = join(files, 'cub.txt');
    writeFileSync(reference, 'cub u32-uniform.12 keys 0.020 ms\n');
    // A length for one workgroup, which needs few kernels, or one for all.
    const [size, kernel] = isThorough ? [12, 'downsweep +4'] : [6, 'workgroupSort +1'];
    const args = ['--sizes', String(size), '--types', 'u32', '--kernels'];
    const { status, stdout } = program('gpu', ...args, '--reference', reference, '--json', json);
    const length = isThorough ? '4,096' : '64';
    const share = isThorough ? ' +\\d+ %' : '';
    const row = new RegExp(
      `^sort +u32 +${length} +random +(\\S+ .s +){3}[\\d.e-]+ +\\S+ .s${share} +yes$`,
      'm',
    );
    expect(stdout).toMatch(row);
    expect(stdout).toMatch(/^sortPairs +u32 .* yes$/m);
    expect(stdout).toMatch(new RegExp(`^ +${kernel} +\\S+ .s +\\d+ % +\\S+ .s +\\d+ %$`, 'm'));
    expect(status).toBe(0);
    const record = JSON.parse(readFileSync(json, 'utf8'));
    expect(record.gpu.software).toBe(true);
    const time = { operation: 'sort', keyType: 'u32', length: 4096, milliseconds: 0.02 };
    expect(record.reference).toEqual([{ name: 'cub', distribution: 'uniform', ...time }]);
    expect(record.results).toHaveLength(2);
    for (const { ours, latency, clock, verified } of record.results) {
      expect([ours.length, latency.length, clock, verified]).toEqual([15, 9, 'gpu', true]);
    }
  });

  it('gpu measures other keys by the clock of the host', ({ skip }) => {
    skip(!isThorough, THOROUGH_ONLY);
    const args = ['--sizes', '4', '--types', 'u64', '--distributions', 'few'];
    const { status, stdout } = program('gpu', ...args, '--clock', 'host');
    expect(stdout).toMatch(/^Features: none$/m);
    expect(stdout.match(/^sort(Pairs)? +u64 +16 +few .* yes$/gm)).toHaveLength(2);
    expect(status).toBe(0);
  });

  it('gpu-sort prints a row for each type', ({ skip }) => {
    skip(!isThorough, THOROUGH_ONLY);
    const { status, stdout } = program('gpu-sort', '--sizes', '8', '--types', 'f32');
    expect(stdout).toMatch(/^sort f32 256 +webgpu +(\S+ .s +1.00x)( +\S+ .s){3} +yes$/m);
    expect(stdout).toMatch(/^sort f32 256 +built-in .* yes$/m);
    expect(status).toBe(0);
  });

  it('has the threads and child processes of sorts of files beside it', () => {
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['divide-thread.js', 'key-thread.js', 'sort-process.js']),
    );
  });

  it('regret has threads beside the bundle, and measures every backend', ({ skip }) => {
    skip(!isThorough, THOROUGH_ONLY);
    const selection = ['--shortest', '300000', '--longest', '1100000', '--types', 'u8'];
    const more = ['--operations', 'sort', '--samples', '1', '--allow-software'];
    const { status, stdout } = program('regret', ...selection, ...more);
    expect(stdout).toMatch(/^sort +u8 +1,048,576 +[\d.,]+ .s +[\d.]+ .s .* yes$/m);
    expect(status).toBe(0);
  });

  it.each(
    sample(
      [
        [['gpu-check', '--only', 'bogus'], "--only 'bogus' is in no name of a check"],
        [['gpu', '--sizes', '12,1e3'], '--sizes takes powers of two from 1 to 30, such as 16,20'],
        [['gpu', '--types', 'u32,f16'], "--types takes u32, f32, u64: got 'f16'"],
        [['gpu-sort', '--features', 'some'], "--features takes none, all: got 'some'"],
        [['gpu-sort', '--kernels'], '--kernels'],
      ] as const,
      1,
    ),
  )('refuses %j', ([command, ...args], message) => {
    const { status, stderr } = program(command, ...args);
    expect(stderr).toContain(message);
    expect(status).toBe(1);
  });
});

it('the checks know the tiles of the kernels', () => {
  expect(TILE).toEqual({ 4: tileOf(1), 8: tileOf(2) });
});
