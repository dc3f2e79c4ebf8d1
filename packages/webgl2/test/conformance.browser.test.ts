/** The suite in both realms. The sorting is the same code in both, and slow on a software GPU: each type is tried in one of them. */

import { CHECKS, describeBackend } from '@keysweep/conformance';
import { webgl2 } from '@keysweep/webgl2';

const IN_WORKER = ['Int8', 'Uint8', 'Int16', 'Float16', 'Int32', 'Float32', 'BigUint64'];

/** Checks of one type of key. */
const typed = CHECKS.map(({ name }) => name).filter((name) => /^\w+Array: /.test(name));
const isInWorker = (name: string): boolean => IN_WORKER.some((type) => name.startsWith(`${type}A`));

/** They have arrays of 65,537 keys, as some of the others have. */
const SLOW = {
  'Int16Array: every length': 'slow on a software GPU; its neighbours of 8 and 32 bits are tried',
  'BigUint64Array: every length': "slow on a software GPU; BigInt64Array's are tried",
};

/** One more than the fewest that the network sorts. */
const SLOWLY = { lengths: [65], thorough: false };

const skipped = (names: readonly string[], where: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `tried ${where}`]));

describeBackend({
  name: 'webgl2 in a worker',
  create: () => webgl2(),
  ...SLOWLY,
  skip: {
    ...skipped(
      typed.filter((name) => !isInWorker(name)),
      'in the page',
    ),
    ...SLOW,
  },
});

describeBackend({
  name: 'webgl2 in a page',
  create: () => webgl2({ worker: false }),
  ...SLOWLY,
  skip: skipped(
    [...typed.filter(isInWorker), 'any type, length, distribution and option (property)'],
    'in the worker',
  ),
});
