/** How long memory and threads are kept, and that they are given back. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { isThorough, randomKeys } from '@keysweep/conformance/data';
import { makeRequest } from '@keysweep/conformance/suite';
import type { Backend } from '@keysweep/core';
import { type CpuOptions, cpu } from '@keysweep/cpu';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';

drawTests(1 / 2);

/** So many keys that threads sort them: twice as many bytes of working memory. */
const LARGE = 2 ** 18;

const random = testRandom();
const threads = new Set<Worker>();

/** Threads that help the calling one, of two. */
const OTHERS = 1;
let started = 0;

const watch = (worker: Worker): void => {
  threads.add(worker);
  started++;
  worker.once('exit', () => threads.delete(worker));
};

beforeEach(() => {
  started = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  process.on('worker', watch);
});

afterEach(async () => {
  await Promise.all(backends.splice(0).map((backend) => backend.close()));
  await threadsAre(0);
  vi.useRealTimers();
  process.off('worker', watch);
});

async function sorts(backend: Backend, length: number): Promise<void> {
  const keys = randomKeys(length, random);
  const expected = keys.slice().sort();
  await backend.sort(makeRequest('sort', [keys]));
  expect(Buffer.from(keys.buffer).equals(Buffer.from(expected.buffer))).toBe(true);
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits for so many threads; the test's own limit is the last resort. */
async function threadsAre(count: number): Promise<void> {
  while (threads.size !== count) await turn();
}

const backends: Backend[] = [];

function backendOf(options: CpuOptions): Backend {
  const backend = cpu({ threads: 2, threadsFrom: LARGE, ...options });
  backends.push(backend);
  return backend;
}

describe('more than keepBytes', () => {
  it('is given back with the threads 30 seconds after the last sort', async () => {
    const backend = backendOf({ keepBytes: 8 * LARGE });
    for (let round = 1; round <= 2; round++) {
      await sorts(backend, LARGE);
      await threadsAre(OTHERS);
      vi.advanceTimersByTime(29_999);
      // Any sort will do, and one that is going on.
      await sorts(backend, 100);
      vi.advanceTimersByTime(29_999);
      const sorting = sorts(backend, LARGE);
      vi.advanceTimersByTime(29_999);
      await sorting;
      vi.advanceTimersByTime(29_999);
      for (let i = 0; i < 10; i++) await turn();
      expect({ threads: threads.size, started }).toEqual({
        threads: OTHERS,
        started: OTHERS * round,
      });
      vi.advanceTimersByTime(1);
      await threadsAre(0);
    }
  });

  it('is given back after a warm-up and after a sort that was aborted, too', async () => {
    const backend = backendOf({ keepBytes: 8 * LARGE });
    await backend.warmUp(LARGE);
    await threadsAre(OTHERS);
    vi.advanceTimersByTime(30_000);
    await threadsAre(0);
    const abort = new AbortController();
    const request = makeRequest('sort', [randomKeys(4 * LARGE, random)], {
      signal: abort.signal,
      onProgress: ({ phase }) => {
        if (phase === 'upload') abort.abort(new Error('enough'));
      },
    });
    await expect(backend.sort(request)).rejects.toThrow('enough');
    await threadsAre(OTHERS);
    vi.advanceTimersByTime(30_000);
    await threadsAre(0);
  });
});

it('more than keepBytes is given back after rows were moved, too', async () => {
  const backend = backendOf({ keepBytes: 8 * LARGE });
  const source = random.fill(new Uint32Array(4 * LARGE));
  const order = Uint32Array.from({ length: 4 * LARGE }, () => random.below(source.length));
  const target = new Uint32Array(order.length);
  const moves = [{ source, target, stride: 1, isNew: false }];
  expect(await backend.gather?.({ order, moves })).toBe(true);
  expect(target.every((value, i) => value === source[order[i] as number])).toBe(true);
  await threadsAre(OTHERS);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(30_000);
  await threadsAre(0);
});

it('nothing waits to be given back after close()', async () => {
  const backend = backendOf({ keepBytes: 8 * LARGE });
  await sorts(backend, LARGE);
  expect(vi.getTimerCount()).toBe(1);
  await backend.close();
  expect(vi.getTimerCount()).toBe(0);
});

describe('no more than keepBytes', () => {
  it.each([undefined, 64 * LARGE, Number.POSITIVE_INFINITY])('is kept: %s', async (keepBytes) => {
    const backend = backendOf(keepBytes === undefined ? {} : { keepBytes });
    await sorts(backend, LARGE);
    await sorts(backend, 1000);
    expect(vi.getTimerCount()).toBe(0);
    await threadsAre(OTHERS);
  });

  it('counts what the calling thread has of its own', async () => {
    const backend = backendOf({ keepBytes: 2 ** 19 });
    await sorts(backend, 1000);
    expect(vi.getTimerCount()).toBe(0);
    await sorts(backend, 100_000);
    expect(vi.getTimerCount()).toBe(1);
  });
});

describe('a process', () => {
  it('has its memory back without asking for it, and is not held for that', async () => {
    // Half a minute is cut short to a twentieth of a second. Nothing here has the collector run.
    const source = `
      import { cpu } from '@keysweep/cpu';
      import { makeRequest } from '@keysweep/conformance/suite';
      const after = globalThis.setTimeout;
      const hold = [];
      globalThis.setTimeout = (act, milliseconds, ...rest) => {
        const isShortened = milliseconds === 30_000;
        const timer = after(act, isShortened ? 50 : milliseconds, ...rest);
        if (isShortened) queueMicrotask(() => hold.push(timer.hasRef()));
        return timer;
      };
      let threads = 0;
      process.on('worker', (worker) => {
        threads++;
        worker.once('exit', () => threads--);
      });
      const mebibytes = () => process.memoryUsage().rss / 2 ** 20;
      const backend = cpu({ threads: 2, keepBytes: 2 ** 27 });
      // These stay, so that what comes back is the backend's.
      const keys = Uint32Array.from({ length: 2 ** 24 }, (_, i) => -i);
      const segments = new Uint32Array(2 ** 25).fill(1000);
      segments[0] = 0;
      const few = makeRequest('sort', [keys.subarray(0, 1000)]);
      const byThreads = makeRequest('sort', [keys]);
      const here = { ...few, segments, shape: { ...few.shape, segmentCount: segments.length } };
      const results = [];
      for (const request of ${isThorough ? '[byThreads, here]' : '[byThreads]'}) {
        await backend.sort(request);
        const during = mebibytes();
        for (let i = 0; i < 1600 && (threads > 0 || during - mebibytes() < 100); i++) {
          await new Promise((resolve) => after(resolve, 25));
        }
        results.push({ threads, isBack: during - mebibytes() >= 100 });
      }
      console.log(JSON.stringify({ results, hold, kept: keys.length + segments.length }));
    `;
    const cwd = fileURLToPath(new URL('.', import.meta.url));
    const args = ['--input-type=module', '--eval', source];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd });
    expect(stderr).toBe('');
    const isBack = { threads: 0, isBack: true };
    expect(JSON.parse(stdout)).toMatchObject(
      isThorough
        ? { results: [isBack, isBack], hold: [false, false] }
        : { results: [isBack], hold: [false] },
    );
  });
});

it.each(['piscina', 'node:worker_threads'])(
  'idle threads do not hold a process: %s',
  async (name) => {
    const source = `
    import { makeRequest } from '@keysweep/conformance/suite';
    import { Arena } from '${new URL('../dist/arena/arena.js', import.meta.url)}';
    import { THREADS } from '${new URL('../dist/pool/threads-node.js', import.meta.url)}';
    const options = { threads: 2, plain: false };
    const way = THREADS.ways(options).find(({ name }) => name === '${name}');
    const sorter = await way.start(options, () => new Arena());
    await sorter.warmUp(1000);
    const keys = Uint32Array.of(3, 1, 2);
    await sorter.sort(makeRequest('sort', [keys]));
    console.log(String(keys));
  `;
    const cwd = fileURLToPath(new URL('.', import.meta.url));
    const args = ['--input-type=module', '--eval', source];
    // A process that is held would be killed, and that rejects.
    const given = { cwd, timeout: 20_000 };
    const { stdout } = await promisify(execFile)(process.execPath, args, given);
    expect(stdout).toBe('1,2,3\n');
  },
);

describe('keepBytes', () => {
  it.each([-1, Number.NaN, '1 GB', null, 10n])('is checked: %s', (keepBytes) => {
    expect(() => cpu({ keepBytes: keepBytes as number })).toThrow(
      new RangeError(`keepBytes must be a number of bytes, 0 or more, got ${keepBytes}`),
    );
  });
});
