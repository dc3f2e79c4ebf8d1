/**
 * The first sort: the calling thread serves it, in slices, and threads that have started serve the
 * next.
 */

import type { Worker } from 'node:worker_threads';
import { runSeed } from '@keysweep/conformance/data';
import { makeRequest } from '@keysweep/conformance/suite';
import type { Backend, SortRequest } from '@keysweep/core';
import { ClosedError } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';

drawTests(1 / 2);

/** Enough keys for threads, and too few for a first sort to wait for them. */
const LENGTH = 600_000;

const random = testRandom();
const threads: Worker[] = [];
const watch = (worker: Worker): void => void threads.push(worker);
let backend: Backend;

beforeEach(() => {
  console.log(`seed ${runSeed()}`);
  threads.length = 0;
  process.on('worker', watch);
  backend = cpu({ threads: 2 });
});

afterEach(async () => {
  process.off('worker', watch);
  await backend.close();
});

const floats = (): Float64Array<ArrayBuffer> =>
  Float64Array.from(random.fill(new Uint32Array(LENGTH)), (word) => word / 2 ** 20 - 2048);

/** Whether `sorted` has the bits of `keys` in the order of the runtime's own sort. */
const isSorted = (sorted: Float64Array, keys: Float64Array): boolean =>
  Buffer.from(sorted.buffer).equals(Buffer.from(keys.slice().sort().buffer));

describe('a first sort', () => {
  it('is served before any thread starts, and the next by threads', async () => {
    const keys = floats();
    const sorted = keys.slice();
    const outcome = await backend.sort(makeRequest('sort', [sorted]));
    expect({ threads: outcome.threads, started: threads.length }).toEqual({
      threads: 1,
      started: 0,
    });
    expect(isSorted(sorted, keys)).toBe(true);
    await vi.waitFor(() => expect(threads.length).toBeGreaterThan(0), 30_000);
    await vi.waitFor(async () => {
      const next = keys.slice();
      const { threads } = await backend.sort(makeRequest('sort', [next]));
      expect(isSorted(next, keys)).toBe(true);
      expect(threads).toBe(2);
    }, 60_000);
  });

  it('lets the event loop turn', async () => {
    const { MessageChannel } = globalThis;
    const { port1, port2 } = new MessageChannel();
    let turns = 0;
    port1.onmessage = () => {
      turns++;
      port2.postMessage(0);
    };
    port2.postMessage(0);
    await backend.sort(makeRequest('sort', [floats()]));
    port1.close();
    expect(turns).toBeGreaterThan(0);
  });

  it('is not begun in the task that has started its kernels', async () => {
    const turns: number[] = [];
    let turn = 0;
    const onProgress = (): void => {
      if (turns.length === 0) setImmediate(() => turn++);
      turns.push(turn);
    };
    // So few that they are copied without a pause.
    await backend.sort(makeRequest('sort', [floats().subarray(0, 300_000)], { onProgress }));
    expect(turns.slice(0, 2)).toEqual([0, 1]);
  });

  it('serves pairs, rows and other sorts beside it', async () => {
    const keys = floats();
    const values = Uint32Array.from(keys.keys());
    const sorted = keys.slice();
    const [pairs, rows, short] = await Promise.all([
      backend.sort(makeRequest('sortPairs', [sorted], { values })),
      backend.sort(makeRequest('argsort', [keys])),
      backend.sort(makeRequest('argsort', [keys.slice(0, 5000)])),
    ]);
    expect(pairs.permutation).toBeUndefined();
    expect(isSorted(sorted, keys)).toBe(true);
    // Buffers, because a comparison of numbers one by one takes seconds.
    const permutation = rows.permutation as Uint32Array;
    expect(Buffer.from(permutation.buffer).equals(Buffer.from(values.buffer))).toBe(true);
    expect(
      isSorted(
        keys.slice(0, 5000).map((_, i) => keys[short.permutation?.[i] as number] as number),
        keys.slice(0, 5000),
      ),
    ).toBe(true);
  });

  it('leaves the keys as they were if it is aborted', async () => {
    const keys = floats();
    const before = keys.slice();
    const controller = new AbortController();
    const { signal } = controller;
    const onProgress: SortRequest['onProgress'] = ({ phase }) => {
      if (phase === 'upload') controller.abort(new Error('enough'));
    };
    const sorting = backend.sort(makeRequest('sort', [keys], { signal, onProgress }));
    await expect(sorting).rejects.toThrow('enough');
    expect(Buffer.from(keys.buffer).equals(Buffer.from(before.buffer))).toBe(true);
    await backend.sort(makeRequest('sort', [keys]));
    expect(isSorted(keys, before)).toBe(true);
  });

  it('may be followed by an abort of a sort that threads join while they start', async () => {
    const keys = floats();
    await backend.sort(makeRequest('sort', [keys.slice()]));
    const controller = new AbortController();
    const { signal } = controller;
    // Long enough to wait for threads.
    const long = random.fill(new Uint32Array(2 ** 22 + 1));
    const before = long.slice();
    const sorting = backend.sort(makeRequest('sort', [long], { signal }));
    setTimeout(() => controller.abort(new Error('enough')), random.below(20));
    const error = await sorting.then(() => undefined, String);
    if (error === undefined) before.sort();
    else expect(error).toBe('Error: enough');
    expect(Buffer.from(long.buffer).equals(Buffer.from(before.buffer))).toBe(true);
    // The calling thread takes over the memory of threads that may still be at work.
    for (let i = 0; i < 3; i++) {
      const next = keys.slice();
      await backend.sort(makeRequest('sort', [next]));
      expect(isSorted(next, keys)).toBe(true);
    }
  });

  it('may be followed by a release at once, after which no thread starts', async () => {
    await backend.sort(makeRequest('sort', [floats()]));
    await backend.release();
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(threads).toEqual([]);
  });

  it('may be followed by an end at once, after which no thread starts', async () => {
    const keys = floats();
    const sorted = keys.slice();
    const sorting = backend.sort(makeRequest('sort', [sorted]));
    const waiting = backend.sort(makeRequest('sort', [floats()]));
    const closing = backend.close();
    await sorting.then(
      () => expect(isSorted(sorted, keys)).toBe(true),
      (error) => expect(error).toBeInstanceOf(ClosedError),
    );
    await expect(waiting).rejects.toBeInstanceOf(ClosedError);
    await closing;
    await new Promise((resolve) => setImmediate(resolve));
    expect(threads).toEqual([]);
  });
});

describe('sorts that are too short for a start of threads', () => {
  const sortOften = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const keys = random.fill(new Uint32Array(140_000));
      const sorted = keys.slice();
      await backend.sort(makeRequest('sort', [sorted]));
      if (i === 0) expect(sorted).toEqual(keys.sort());
    }
  };

  it('start them when there were many, if several would share each', async () => {
    backend = cpu({ threads: 4 });
    await sortOften(10);
    expect(threads).toHaveLength(0);
    await sortOften(40);
    await vi.waitFor(() => expect(threads.length).toBeGreaterThan(0), 30_000);
    await vi.waitFor(async () => {
      const outcome = await backend.sort(makeRequest('sort', [random.fill(new Uint32Array(2e5))]));
      expect(outcome.threads).toBeGreaterThan(1);
    }, 60_000);
  });

  it('do not if a thread alone takes no longer for each', async () => {
    backend = cpu({ threads: 4 });
    for (let i = 0; i < 60; i++) {
      await backend.sort(makeRequest('sort', [random.fill(new Uint32Array(100_000))]));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(threads).toHaveLength(0);
  });

  it('do not if two threads are all', async () => {
    await sortOften(60);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(threads).toHaveLength(0);
  });
});
