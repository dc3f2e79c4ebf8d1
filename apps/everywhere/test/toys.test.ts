/** The guide for backends of one's own: its example passes, and each mistake in it is caught. */

import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSeed } from '@keysweep/conformance/data';
import { CHECKS } from '@keysweep/conformance/suite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FLAWS,
  HANGS,
  readGuide,
  SHORT,
  trialOf,
  tryToys,
  type Verdict,
  writeToys,
} from './toys.js';

const TOYS = fileURLToPath(new URL('../consumers/conformance', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

const guide = await readGuide();
const seed = runSeed();
let folder: string;
let verdicts: Verdict[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keysweep-toys-'));
  await cp(TOYS, folder, { recursive: true });
  await symlink(MODULES, join(folder, 'node_modules'), 'dir');
  await writeToys(guide, folder);
  const wrong = guide.toys.map((toy) => trialOf(toy, toy.caughtBy));
  verdicts = await tryToys(folder, [{ file: './mine.js', checks: '' }, ...wrong], seed);
});

afterAll(() => rm(folder, { recursive: true }));

it('the example of the guide passes every check', () => {
  expect(verdicts[0]).toEqual({ passed: CHECKS.length, failed: [] });
});

it('the guide names a check for each mistake', () => {
  expect(guide.toys.map(({ flaw }) => flaw).sort()).toEqual([...FLAWS].sort());
});

describe('the check that the guide names catches a backend that', () => {
  it.each(guide.toys.map((toy, i) => ({ ...toy, i })))('$flaw', ({ caughtBy, i }) => {
    const { failed = [] } = verdicts[i + 1] ?? {};
    expect(failed.length, `failures of ${caughtBy}, seed ${seed}`).toBeGreaterThan(0);
  });
});

it('a check that hangs is given up', () => {
  const hangs = guide.toys.findIndex(({ flaw }) => flaw === HANGS);
  expect(verdicts[hangs + 1]?.failed[0]?.message).toBe(`no result within ${SHORT} ms`);
});
