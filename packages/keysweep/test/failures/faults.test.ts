/**
 * A backend that fails anywhere, in any way: the result is right all the same, or the error
 * clear and the input as it was.
 */

import { randomKeys, runSeed, sample } from '@keysweep/conformance/data';
import '../../../webgpu/test/software-gpu.js';
import type { Backend, BackendName, KeyArray } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { webgpu } from '@keysweep/webgpu';
import { builtin, type Sorter } from 'keysweep';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { watchedAdapters } from '../../../webgpu/test/watched-adapters.js';
import { eagerSorter } from '../eager.js';
import { Fault, faulty, MANNERS, type Manner, POINTS, type Point } from './faulty.js';

const random = testRandom();

/**
 * Milliseconds after which a backend that hangs is given up; whatever else fails has the time
 * that it takes.
 */
const TIMEOUT = 60;

/** Each operation, and whether what it left is right. */
const OPERATIONS: Readonly<
  Record<
    string,
    (sorter: Sorter, keys: Uint32Array, backend: BackendName | 'auto') => Promise<boolean>
  >
> = {
  async sort(sorter, keys, backend) {
    const expected = keys.slice().sort();
    return same(await sorter.sort(keys, { backend }), expected);
  },
  async toSorted(sorter, keys, backend) {
    const before = keys.slice();
    const sorted = await sorter.toSorted(keys, { backend });
    return same(sorted, before.slice().sort()) && same(keys, before);
  },
  async sortPairs(sorter, keys, backend) {
    const [before, expected] = [keys.slice(), keys.slice().sort()];
    const values = keys.map((_, i) => i);
    await sorter.sortPairs(keys, values, { backend });
    return same(keys, expected) && values.every((value, i) => before[value] === expected[i]);
  },
  async argsort(sorter, keys, backend) {
    const before = keys.slice();
    const order = await sorter.argsort(keys, { backend });
    const gathered = Uint32Array.from(order, (row) => keys[row] as number);
    return same(gathered, before.slice().sort()) && same(keys, before);
  },
};

const same = (a: KeyArray, b: KeyArray): boolean =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(
    Buffer.from(b.buffer, b.byteOffset, b.byteLength),
  );

/** Threads that live. */
let threads = 0;
const count = (worker: { once(event: 'exit', listener: () => void): void }): void => {
  threads++;
  worker.once('exit', () => threads--);
};
beforeAll(() => {
  process.on('worker', count);
  return () => process.off('worker', count);
});

/** Fails `real` at a point in a manner, beside a backend that works and without one. */
async function inject(real: Backend, length: number, point: Point, manner: Manner): Promise<void> {
  for (const [operation, run] of Object.entries(OPERATIONS)) {
    const what = `${operation} of ${length} by ${real.name}: ${manner} in ${point}`;
    const { backend, failures } = faulty(real, point, manner);
    const beside = real.name === 'builtin' ? [] : [builtin()];
    const options = manner === 'hang' ? { timeout: TIMEOUT } : {};
    const sorter = await eagerSorter([backend, ...beside], options);
    const alone = await eagerSorter([backend], options);
    const keys = randomKeys(length, random);
    const before = keys.slice();
    if (point === 'close') {
      expect(await run(alone, keys, 'auto'), what).toBe(true);
      const message = manner === 'hang' ? /its close showed no sign of life/ : /in close/;
      await expect(sorter.close(), what).rejects.toThrow(message);
      expect(failures(), what).toBe(1);
      continue;
    }
    const error = await run(alone, keys, 'auto').catch((thrown: unknown) => thrown);
    expect(error, what).toBeInstanceOf(Error);
    if (manner === 'hang') {
      expect(String(error), what).toMatch(/showed no sign of life for [\d.]+ s and was given up/);
    } else if (point !== 'probe') expect(error, what).toBeInstanceOf(Fault);
    else expect(String(error), what).toContain(`${manner} in probe`);
    expect(same(keys, before), what).toBe(true);
    if (beside.length > 0) expect(await run(sorter, keys, 'auto'), what).toBe(true);
    // On a busy machine a backend may be given up before it comes to the point.
    if (manner !== 'hang') expect(failures(), what).toBeGreaterThan(beside.length);
    await Promise.all([sorter.close(), alone.close()]);
  }
}

describe.each(POINTS)('a backend that fails in its %s', (point) => {
  const seed = runSeed() + POINTS.indexOf(point);
  const real = cpu({ threads: 2, threadsFrom: 2 ** 17 });
  afterAll(async () => {
    await real.close();
    expect(threads).toBe(0);
  });

  it.each(sample(MANNERS, 1, seed))(
    'by a %s: on the calling thread, and on threads',
    async (manner) => {
      await inject(real, 5000, point, manner);
      await inject(real, 2 ** 17, point, manner);
    },
  );

  // The runtime's own sort has no other points.
  if (['probe', 'start', 'sort', 'close'].includes(point)) {
    it.each(sample(MANNERS, 1, seed))('by a %s: the runtime’s own sort', (manner) =>
      inject(builtin(), 5000, point, manner),
    );
  }
});

it('a GPU that fails at any point leaves no device and no buffer behind', async () => {
  const adapters = watchedAdapters();
  const real = webgpu({ requestAdapter: adapters.requestAdapter });
  for (const point of sample(POINTS, 1)) {
    const manner = MANNERS[random.below(MANNERS.length)] as Manner;
    const { backend, failures } = faulty(real, point, manner);
    const sorter = await eagerSorter([backend, builtin()], { timeout: 2000 });
    const keys = randomKeys(3000, random);
    const before = keys.slice();
    const what = `${manner} in ${point}`;
    const sorting = OPERATIONS.sort?.(sorter, keys, 'webgpu').catch((error: unknown) => error);
    if (point === 'close') expect(await sorting, what).toBe(true);
    else {
      expect(await sorting, what).toBeInstanceOf(Error);
      expect(same(keys, before), what).toBe(true);
    }
    const closing = sorter.close().catch((error: unknown) => error);
    expect(await closing, what).toEqual(point === 'close' ? expect.any(Error) : undefined);
    expect(failures(), what).toBeGreaterThan(0);
  }
  await real.close();
  await adapters.assertClean();
});
