/** Whether the suite sees what it is there to see, on a sample of its combinations as on all. */

import { CHECKS, type Check, type Effort, runCheck, testBackend } from '@keysweep/conformance';
import { isThorough, Random, runSeed } from '@keysweep/conformance/data';
import type { Backend } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { BROKEN_CONDUCT } from './broken-conduct.js';
import { BROKEN_COPIES, BROKEN_ORDERS } from './broken-orders.js';
import { BROKEN_APPROXIMATE, BROKEN_OUTCOMES } from './broken-outcomes.js';
import { type Broken, OracleBackend } from './oracle-backend.js';

const CONDUCT = 'a backend of broken conduct is caught that';
// Short, and each check of conduct is tried by one of them only.
drawTests(1 / 2, ({ suite }) => suite?.name === CONDUCT);

const BROKEN_RESULTS = [
  ...BROKEN_ORDERS,
  ...BROKEN_COPIES,
  ...BROKEN_APPROXIMATE,
  ...BROKEN_OUTCOMES,
];
const BROKEN = [...BROKEN_RESULTS, ...BROKEN_CONDUCT];
const seed = runSeed();
const EFFORTS: readonly Effort[] = isThorough ? ['sample', 'most', 'all'] : ['sample'];

async function run(check: Check, effort: Effort, create: () => Backend): Promise<void> {
  const random = new Random(seed);
  const subject = { backend: create(), create, random, lengths: [6000], effort };
  await runCheck(check, subject, seed);
}

describe.each(EFFORTS)('with the effort %s', (effort) => {
  describe('a backend that lets the oracle sort passes', () => {
    it.each(CHECKS)('$name', (check) => run(check, effort, () => new OracleBackend()));
  });
});

// 'most' has fewer lengths, and may miss what only some of them show.
describe.each(EFFORTS.filter((effort) => effort !== 'most'))('with the effort %s', (effort) => {
  const isCaught = async ({ caughtBy, create }: Broken): Promise<void> => {
    const checks = CHECKS.filter(({ name }) => caughtBy.test(name));
    expect(checks, `checks of a name like ${caughtBy}`).not.toEqual([]);
    // Every one of them alone must see it: the others would hide a check that sees nothing.
    for (const check of checks) {
      const running = run(check, effort, create);
      await expect(running, check.name).rejects.toThrow(`KEYSWEEP_SEED=${seed}`);
    }
  };

  describe('a backend of broken results is caught that', () => {
    it.each(BROKEN_RESULTS)('$flaw', isCaught);
  });

  describe(CONDUCT, () => {
    it.each(BROKEN_CONDUCT)('$flaw', isCaught);
  });
});

it('no check is without a backend that it catches', () => {
  const idle = CHECKS.filter(({ name }) => !BROKEN.some(({ caughtBy }) => caughtBy.test(name)));
  expect(idle.map(({ name }) => name)).toEqual([]);
});

it('testBackend closes every backend that it has made, whatever comes of the checks', async () => {
  const open = new Set<Backend>();
  let made = 0;
  const create = (isBroken: boolean): Backend => {
    class Counted extends OracleBackend {
      override async sort(...given: Parameters<OracleBackend['sort']>) {
        if (isBroken) throw new Error('it broke');
        return super.sort(...given);
      }
      override async close() {
        open.delete(this);
      }
    }
    const backend = new Counted();
    open.add(backend);
    made++;
    return backend;
  };
  const checks = CHECKS.slice(0, 2);
  for (const isBroken of [false, true]) {
    const report = await testBackend({ name: 'mine', create: () => create(isBroken), checks });
    expect([report.passed.length, report.failed.length]).toEqual(isBroken ? [0, 2] : [2, 0]);
    expect(open.size).toBe(0);
  }
  expect(made).toBeGreaterThan(1);
});
