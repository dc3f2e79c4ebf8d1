import { CHECKS, type Check, runCheck } from '@keysweep/conformance';
import { Random, runSeed } from '@keysweep/conformance/data';
import type { Backend } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { BROKEN_CONDUCT } from './broken-conduct.js';
import { BROKEN_COPIES, BROKEN_ORDERS } from './broken-orders.js';
import { BROKEN_APPROXIMATE, BROKEN_OUTCOMES } from './broken-outcomes.js';
import { OracleBackend } from './oracle-backend.js';

const BROKEN = [
  ...BROKEN_ORDERS,
  ...BROKEN_COPIES,
  ...BROKEN_APPROXIMATE,
  ...BROKEN_OUTCOMES,
  ...BROKEN_CONDUCT,
];
const seed = runSeed();

async function run(check: Check, create: () => Backend): Promise<void> {
  const random = new Random(seed);
  await runCheck(
    check,
    { backend: create(), create, random, lengths: [6000], thorough: true },
    seed,
  );
}

describe('a backend that lets the oracle sort passes', () => {
  it.each(CHECKS)('$name', (check) => run(check, () => new OracleBackend()));
});

describe('a broken backend is caught', () => {
  it.each(BROKEN)('$flaw', async ({ caughtBy, create }) => {
    const checks = CHECKS.filter(({ name }) => caughtBy.test(name));
    expect(checks, `checks of a name like ${caughtBy}`).not.toEqual([]);
    // Every one of them alone must see it: the others would hide a check that sees nothing.
    for (const check of checks) {
      await expect(run(check, create), check.name).rejects.toThrow(`KEYSWEEP_SEED=${seed}`);
    }
  });
});

it('no check is without a backend that it catches', () => {
  const idle = CHECKS.filter(({ name }) => !BROKEN.some(({ caughtBy }) => caughtBy.test(name)));
  expect(idle.map(({ name }) => name)).toEqual([]);
});
