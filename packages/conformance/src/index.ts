/**
 * @keysweep/conformance: one suite that every backend runs, for Vitest.
 *
 * ```ts
 * describeBackend({ name: 'cpu, plain', create: () => cpu({ kernels: 'plain' }) });
 * ```
 */

import { afterAll, describe, it } from 'vitest';
import { type BackendUnderTest, backendTests } from './backend-tests.js';

export * from './suite.js';

/**
 * Registers every check of the suite with Vitest, as a test of its own.
 *
 * Each check has random inputs from the seed of the run. The seed is in every failure's message,
 * and KEYSWEEP_SEED repeats it. Every check is run on a sample of its combinations, which the seed
 * draws too; KEYSWEEP_THOROUGH=1 runs all of them. At the end a line says how many checks passed,
 * and which were left out for what reason.
 *
 * ```ts
 * describeBackend({
 *   name: 'webgpu in a page',
 *   create: () => webgpu(),
 *   lengths: [3327, 3328, 3329],
 *   slow: true,
 *   skip: { 'serves several requests at once': 'it has memory for one' },
 * });
 * ```
 *
 * @throws RangeError when `skip` names no check.
 */
export function describeBackend(subject: BackendUnderTest): void {
  const { title, tests, finish } = backendTests(subject);
  describe(title, () => {
    for (const { name, skip, run } of tests) {
      const test = async (context: { skip(note: string): void }): Promise<void> => {
        if (skip !== undefined) context.skip(skip);
        await run();
      };
      it(name, test, subject.timeout);
    }
    afterAll(async () => console.log(await finish()));
  });
}
