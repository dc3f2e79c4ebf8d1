/**
 * @keysweep/conformance/node-test: the suite that every backend runs, for the test runner of Node.
 *
 * ```ts
 * describeBackend({ name: 'mine', create: () => mine() }); // by: node --test
 * ```
 */

import { after, describe, it } from 'node:test';
import { type BackendUnderTest, backendTests } from './backend-tests.js';

/**
 * Registers every check of the suite with node:test, as a test of its own; see `describeBackend` of
 * @keysweep/conformance.
 * @throws RangeError when `skip` names no check.
 */
export function describeBackend(subject: BackendUnderTest): void {
  const { title, tests, finish } = backendTests(subject);
  describe(title, () => {
    for (const { name, skip = false, run } of tests) {
      it(name, { skip, timeout: subject.timeout ?? Number.POSITIVE_INFINITY }, run);
    }
    after(async () => console.log(await finish()));
  });
}
