/** A page's workers and their memory are given back when there is much of it and nothing to do. */

import { randomKeys } from '@keysweep/conformance/data';
import { makeRequest } from '@keysweep/conformance/suite';
import { cpu } from '@keysweep/cpu';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { CopyingSorter } from '../src/pool/worker/copying-sorter.js';
import { WorkerClient } from '../src/pool/worker/worker-client.js';

const LENGTH = 2 ** 18;

const random = testRandom();
let [started, ended] = [0, 0];

function createWorker(): Worker {
  const worker = new Worker(new URL('../dist/pool/worker-web.js', import.meta.url), {
    type: 'module',
  });
  const terminate = worker.terminate.bind(worker);
  started++;
  worker.terminate = () => {
    ended++;
    terminate();
  };
  return worker;
}

beforeEach(() => {
  [started, ended] = [0, 0];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

it('ends workers 30 seconds after the last sort, and starts new ones for the next', async () => {
  const backend = cpu({ threads: 2, threadsFrom: LENGTH, createWorker, keepBytes: 8 * LENGTH });
  for (let round = 1; round <= 2; round++) {
    const keys = randomKeys(LENGTH, random);
    const expected = keys.slice().sort();
    await backend.sort(makeRequest('sort', [keys]));
    expect(keys.every((key, i) => key === expected[i])).toBe(true);
    vi.advanceTimersByTime(29_999);
    await Promise.resolve();
    expect({ started, ended }).toEqual({ started: 2 * round, ended: 2 * (round - 1) });
    vi.advanceTimersByTime(1);
    await vi.waitUntil(() => ended === 2 * round, { interval: 1 });
  }
  await backend.close();
});

it('knows how much memory a worker holds that arrays are copied to', async () => {
  const sorter = new CopyingSorter(new WorkerClient(createWorker), false);
  expect(sorter.bytes).toBe(0);
  await sorter.sort(makeRequest('sort', [randomKeys(LENGTH, random)]));
  const held = sorter.bytes;
  expect(held).toBeGreaterThan(8 * LENGTH);
  await sorter.sort(makeRequest('sort', [randomKeys(1000, random)]));
  expect(sorter.bytes).toBe(held);
  await sorter.warmUp(2 * LENGTH);
  expect(sorter.bytes).toBeGreaterThan(16 * LENGTH);
  await sorter.close();
  expect(ended).toBe(1);
  const plain = new CopyingSorter(new WorkerClient(createWorker), true);
  await plain.sort(makeRequest('sort', [randomKeys(LENGTH, random)]));
  expect(plain.bytes).toBe(0);
  await plain.close();
});
