/** The benchmark's program over SwiftShader, bundled as machines with a GPU get it. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DISTRIBUTIONS, NOT_DRAWN, sample } from '@keysweep/conformance/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFolder } from '../../../../tools/chromium.js';
import { bundleProgram } from '../../../bench/bundle.mjs';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

describe('the program', () => {
  // Within the repository, where the package webgpu is found.
  const folder = mkdtempSync(`${DIST}test-`);
  const files = mkdtempSync(join(tmpdir(), 'keysweep-'));
  beforeAll(() => bundleProgram(folder, `${DIST}src/main.js`));
  afterAll(() => {
    rmSync(folder, { recursive: true });
    rmSync(files, { recursive: true });
  });

  const program = (...args: string[]) => {
    const all = [join(folder, 'main.mjs'), '--software', chromiumFolder(), ...args];
    return spawnSync(process.execPath, all, { encoding: 'utf8' });
  };

  /** Each compiles keysweep's kernels, for seconds. */
  const drawn = sample(['measure', 'check'], 1);

  it('prints a row for each sort, and what was found of claims', ({ skip }) => {
    skip(!drawn.includes('measure'), NOT_DRAWN);
    const json = join(files, 'papers.json');
    const cub = join(files, 'cub.txt');
    writeFileSync(cub, 'cub u32-reversed.6 keys 0.0100 ms\n');
    const args = ['--sizes', '6', '--only', 'insertion', '--reference', cub, '--json', json];
    const { status, stdout } = program(...args);
    expect(stdout).toMatch(/^insertion +sort +64 +random +\S+ .s .* % +1 +8 +64 +yes$/m);
    expect(stdout).toMatch(/^insertion +sortPairs +64 +random .* yes$/m);
    expect(stdout).toMatch(/^University of Copenhagen, radix 16$/m);
    expect(stdout).toMatch(/^ {2}CANNOT BE COMPARED: The radix sort is the fastest/m);
    expect(status).toBe(0);
    const { results, gpu } = JSON.parse(readFileSync(json, 'utf8'));
    expect(gpu.software).toBe(true);
    // Seven distributions of keys, and pairs, of keysweep and of the sort.
    expect(results).toHaveLength(17);
    expect(results[0]).toMatchObject({ sort: 'CUB', distribution: 'reversed' });
    for (const { milliseconds, verified } of results.slice(1)) {
      expect([milliseconds.length, verified]).toEqual([15, true]);
    }
  });

  it('--check says what is right of all kinds of keys', ({ skip }) => {
    skip(!drawn.includes('check'), NOT_DRAWN);
    const args = ['--check', '--sizes', '6', '--only', 'insertion'];
    const { status, stdout } = program(...args);
    const lines = stdout.match(/^.* keys, by .*$/gm);
    const count = DISTRIBUTIONS.length;
    expect(lines).toEqual([
      `insertion, sort, 1 keys, by the suite: right, ${count} kinds of keys`,
      `insertion, sortPairs, 1 keys, by the suite: right, ${count} kinds of keys`,
      'keysweep, sort, 64 keys, by the gpu: right, 12 kinds of keys',
      'insertion, sort, 64 keys, by the gpu: right, 12 kinds of keys',
      'keysweep, sortPairs, 64 keys, by the gpu: right, 12 kinds of keys',
      'insertion, sortPairs, 64 keys, by the gpu: right, 12 kinds of keys',
    ]);
    expect(status).toBe(0);
  });
});
