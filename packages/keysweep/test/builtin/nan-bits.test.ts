/** Every NaN keeps its bits, whatever the engine's own sort does with them. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runSeed, sample } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../../tools/test/draw-tests.js';
import { findBun } from '../engines/bun.js';
import type { NanFaults } from '../engines/nan-faults.mjs';

drawTests(1 / 2);

const PROGRAM = fileURLToPath(new URL('../engines/nan-bits.mjs', import.meta.url));
const ONE_NAN = new URL('../engines/one-nan.mjs', import.meta.url).href;

/** What the program found in an engine. */
async function run(command: string, flags: readonly string[], mode: string): Promise<NanFaults> {
  const args = [...flags, PROGRAM, `${runSeed()}`, mode];
  const { stdout } = await promisify(execFile)(command, args);
  return JSON.parse(stdout) as NanFaults;
}

function expectNoFault({ types, backends, cases, wrong, faults }: NanFaults): void {
  expect({ seed: runSeed(), wrong, faults }).toEqual({ seed: runSeed(), wrong: 0, faults: [] });
  expect(types).toEqual(expect.arrayContaining(['Float32Array', 'Float64Array']));
  expect(backends).toEqual(expect.arrayContaining(['auto', 'cpu', 'builtin']));
  expect(cases).toBeGreaterThan(1500);
}

const MODES = ['compiled', 'plain'];

describe('keeps the bits of every NaN', () => {
  it.each(sample(MODES, 1))('in Node.js, %s kernels', async (mode) => {
    expectNoFault(await run(process.execPath, [], mode));
  });

  it.for(sample(MODES, 1, runSeed() + 1))('in Bun, %s kernels', async (mode, { skip }) => {
    const bun = findBun();
    skip(bun === undefined, 'no Bun from npm starts on this platform');
    const found = await run(bun as string, [], mode);
    expectNoFault(found);
    expect(found.types).toContain('Float16Array');
  });
});

it('keeps the bits of every NaN in an engine whose sort makes one NaN of all', async () => {
  expectNoFault(await run(process.execPath, ['--import', ONE_NAN], 'compiled'));
});

describe('keys that are in order, or nearly, are sorted', () => {
  const IN_ORDER = fileURLToPath(new URL('../engines/in-order.mjs', import.meta.url));

  async function expectSorted(command: string, flags: readonly string[] = []): Promise<void> {
    const { stdout } = await promisify(execFile)(command, [...flags, IN_ORDER, `${runSeed()}`]);
    const { cases, faults } = JSON.parse(stdout) as { cases: number; faults: string[] };
    expect({ seed: runSeed(), faults }).toEqual({ seed: runSeed(), faults: [] });
    expect(cases).toBeGreaterThan(150);
  }

  it('in Node.js', () => expectSorted(process.execPath));

  it('in an engine whose sort makes one NaN of all', () =>
    expectSorted(process.execPath, ['--import', ONE_NAN]));

  it('in Bun', async ({ skip }) => {
    const bun = findBun();
    skip(bun === undefined, 'no Bun from npm starts on this platform');
    await expectSorted(bun as string);
  });
});
