import { describeBackend, verifyAll } from '@keysweep/conformance';
import { ARRAY_CLASSES, fillWithBits, isThorough, runSeed } from '@keysweep/conformance/data';
import { cpu } from '@keysweep/cpu';
import { afterAll, describe, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';

drawTests(1 / 2);

// Where the backend changes its ways: threads serve from 2^15 keys on here, and several threads
// partition from 2^16 keys on. One thread's partition, from 2^18 on, is in large.test.ts.
const around = (length: number): number[] => [length - 1, length, length + 1];
const BOUNDARIES = [...around(2 ** 15), ...around(2 ** 16), 140_003];

const create = (threads: number) => cpu({ threads, threadsFrom: 2 ** 15 });

describeBackend({
  name: 'cpu, 2 threads',
  create: () => create(2),
  lengths: isThorough ? BOUNDARIES : [2 ** 15],
});
if (isThorough) {
  describeBackend({
    name: 'cpu, 5 threads',
    create: () => create(5),
    lengths: [140_001],
  });
}
describeBackend({
  name: 'cpu, 1 thread',
  create: () => cpu({ threads: 1 }),
  lengths: isThorough ? around(2 ** 16) : [],
});
describeBackend({
  name: 'cpu, plain',
  create: () => cpu({ kernels: 'plain' }),
  lengths: [isThorough ? 70_001 : 20_001],
});

describe.each([2, 5])('cpu, %i threads, at every boundary', (threads) => {
  const random = testRandom();
  const backend = create(threads);
  afterAll(() => backend.close());

  /** Classes a length; all types have their turn in every run. */
  const PER_LENGTH = isThorough ? ARRAY_CLASSES.length : 2;

  for (const [i, length] of BOUNDARIES.entries()) {
    for (let j = 0; j < PER_LENGTH; j++) {
      const at = PER_LENGTH * i + j;
      const keyClass =
        ARRAY_CLASSES[(at + threads + runSeed()) % ARRAY_CLASSES.length] ?? ARRAY_CLASSES[0];
      const valueClass = ARRAY_CLASSES[(5 * at) % ARRAY_CLASSES.length] ?? ARRAY_CLASSES[0];
      const what = `${keyClass?.name} with ${valueClass?.name}`;
      it(`sorts ${length} keys of ${what}`, async () => {
        const [keys, values] = [keyClass, valueClass].map((each) => {
          const array = (each as (typeof ARRAY_CLASSES)[number]).create(length);
          fillWithBits(array, random);
          return array;
        });
        const order = random.below(2) === 0 ? 'ascending' : 'descending';
        await verifyAll(backend, keys as never, [values as never], { order });
      });
    }
  }
});
