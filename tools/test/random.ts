/** Random numbers for the tests of a file: each test draws its own, every time that it's tried. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { TestRunner } from 'vitest';

/**
 * A generator for a whole file, by the seed of the run. Within a test it begins anew, by the seed
 * and the test's name. So a test that is tried again gets the data that it failed with, and a test
 * that runs on its own gets the data that it has in a run of all.
 */
export const testRandom = (): Random => new TestRandom(runSeed());

type Test = NonNullable<ReturnType<typeof TestRunner.getCurrentTest>>;

/** Outside of tests, such as where a file makes its cases, it's a generator like any other. */
class TestRandom extends Random {
  #test: Test | undefined;
  /** How often that test had failed, and its numbers. */
  #retries: number | undefined;
  #drawing: Random = this;

  override bits(): number {
    const random = this.#ofTest();
    return random === undefined ? super.bits() : random.bits();
  }

  override fill<T extends Uint8Array | Uint16Array | Uint32Array>(target: T): T {
    const random = this.#ofTest();
    return random === undefined ? super.fill(target) : random.fill(target);
  }

  #ofTest(): Random | undefined {
    const test: Test | undefined = TestRunner.getCurrentTest();
    if (test === undefined) return undefined;
    const retries = test.result?.retryCount;
    if (test !== this.#test || retries !== this.#retries) {
      const letters = Array.from(test.fullTestName, (letter) => letter.charCodeAt(0));
      this.#drawing = new Random(this.seed, ...letters);
      [this.#test, this.#retries] = [test, retries];
    }
    return this.#drawing;
  }
}
