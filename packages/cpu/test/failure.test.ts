/** Threads that die, jobs that are stopped: the caller hears of it, its arrays stay whole. */

import type { Worker } from 'node:worker_threads';
import { isThorough, Random, randomKeys, runSeed, sample } from '@keysweep/conformance/data';
import type { Backend, RequestShape, SortRequest } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';

drawTests(1 / 2);

/** The threads that live now, in the order in which they started. */
const threads = new Set<Worker>();

const watch = (worker: Worker): void => {
  threads.add(worker);
  worker.once('exit', () => threads.delete(worker));
};

beforeEach(() => {
  process.on('worker', watch);
});

afterEach(() => {
  process.off('worker', watch);
});

function sortRequest(keys: Uint32Array, rest: Partial<SortRequest> = {}): SortRequest {
  const shape: RequestShape = {
    operation: 'sort',
    keyTypes: ['u32'],
    valueBytes: 0,
    length: keys.length,
    order: 'ascending',
    segmentCount: 1,
    keyBits: undefined,
    approximate: false,
  };
  const nothing = { values: undefined, segments: undefined, signal: undefined };
  return { shape, columns: [keys], ...nothing, onProgress: undefined, ...rest };
}

/** Long enough for a thread to be lost in the middle, and for the pool to wait for new threads. */
const LONG = isThorough ? 20_000_000 : 2 ** 22 + 1;

/** Served by threads. */
const MEDIUM = isThorough ? 3_000_000 : 600_000;

const source = randomKeys(LONG, new Random(runSeed()));

const random = (length: number): Uint32Array => source.slice(0, length);

const isSame = (a: Uint32Array, b: Uint32Array): boolean =>
  Buffer.from(a.buffer).equals(Buffer.from(b.buffer));

async function sortsWell(backend: Backend, length: number): Promise<void> {
  const keys = random(length);
  const expected = keys.slice().sort();
  await backend.sort(sortRequest(keys));
  expect(isSame(keys, expected)).toBe(true);
}

/**
 * Sorts `keys` with threads that die. The calling thread needs them only for pieces that they have
 * begun: either the result is right, or the sort says what stopped it and the array is as it was.
 * Then the next sort is well.
 */
async function sortsOrSays(
  backend: Backend,
  keys: Uint32Array,
  cause: RegExp,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const before = keys.slice();
  const sorting = backend.sort(sortRequest(keys)).then(
    () => 'sorted',
    (error: unknown) => error,
  );
  await meanwhile();
  const settled = await sorting;
  if (settled === 'sorted') {
    expect(isSame(keys, before.sort())).toBe(true);
  } else {
    // By name: a copy of the package has a class of its own.
    expect((settled as Error).name).toBe('BackendFailedError');
    expect(String(settled)).toMatch(cause);
    expect(isSame(keys, before)).toBe(true);
  }
}

const turn = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Resolves once the threads have done a task. Node 20 aborts the process where a thread is
 * terminated while it loads its code.
 */
const joined = (backend: Backend): Promise<void> => backend.warmUp(MEDIUM);

describe('a thread that is terminated', () => {
  it.each(sample([0, 1, 5, 20], 2))(
    'during a sort, after %i ms: rejection or result, whole array, next sort well',
    async (wait) => {
      const backend = cpu({ threads: 2 });
      await joined(backend);
      await sortsOrSays(backend, random(LONG), /a worker thread stopped/, async () => {
        await turn(wait);
        const [victim] = threads;
        await victim?.terminate();
      });
      await sortsWell(backend, MEDIUM);
      await backend.close();
      await turn(10);
      expect(threads.size).toBe(0);
    },
  );

  it('between two sorts: the next does without it or rejects, the one after is right', async () => {
    const backend = cpu({ threads: 2 });
    for (const length of isThorough ? [1_500_000, MEDIUM] : [MEDIUM]) {
      await joined(backend);
      await Promise.all([...threads].map((thread) => thread.terminate()));
      await sortsOrSays(backend, random(length), /a worker thread stopped/, async () => {});
      await sortsWell(backend, length);
    }
    await backend.close();
  });
});

describe('an abort', () => {
  it.each(sample([0, 1, 5, 10, 30], 2))(
    'after %i ms leaves the array whole, or sorted, and the threads ready',
    async (wait) => {
      const backend = cpu({ threads: 2 });
      await joined(backend);
      const started = threads.size;
      const keys = random(LONG);
      const before = keys.slice();
      const controller = new AbortController();
      const sorting = backend.sort(sortRequest(keys, { signal: controller.signal }));
      sorting.catch(() => {});
      await turn(wait);
      const reason = new Error('enough');
      controller.abort(reason);
      const error = await sorting.then(
        () => undefined,
        (error: unknown) => error,
      );
      // It comes too late once keys are being written.
      if (error !== undefined) expect(error).toBe(reason);
      expect(isSame(keys, error === undefined ? before.sort() : before)).toBe(true);
      await sortsWell(backend, MEDIUM);
      expect(threads.size).toBe(started);
      await backend.close();
    },
  );
});

describe('threads that still load their code', () => {
  it('are not terminated, which aborts a process of Node 20', async () => {
    const loaded = new Set<Worker>();
    const ended: boolean[] = [];
    const follow = (worker: Worker): void => {
      worker.once('message', () => loaded.add(worker));
      const terminate = worker.terminate.bind(worker);
      worker.terminate = () => {
        ended.push(loaded.has(worker));
        return terminate();
      };
    };
    process.on('worker', follow);
    try {
      const closing = cpu({ threads: 2 });
      await closing.sort(sortRequest(random(1_000_000)));
      // They start once it is done.
      await vi.waitUntil(() => threads.size > 0);
      await closing.close();
      // One that dies is replaced.
      const failing = cpu({ threads: 2 });
      await failing.warmUp(1_000_000);
      await vi.waitUntil(() => [...threads].every((thread) => loaded.has(thread)));
      const [first] = threads;
      const died = new Promise((resolve) => first?.once('exit', resolve));
      await first?.terminate();
      await died;
      await failing.close();
      expect(ended.length).toBeGreaterThan(3);
      expect(ended).not.toContain(false);
      expect(threads.size).toBe(0);
    } finally {
      process.off('worker', follow);
    }
  });
});

describe('what a callback throws', () => {
  it('rejects the sort before anything is written', async () => {
    const backend = cpu({ threads: 2 });
    const thrown = new Error('from the callback');
    for (const phase of ['upload', 'sort', 'readback']) {
      for (const length of isThorough ? [1000, 1_500_000, MEDIUM] : [1000, MEDIUM]) {
        const keys = random(length);
        const before = keys.slice();
        let told = false;
        const onProgress: SortRequest['onProgress'] = (progress) => {
          if (progress.phase !== phase) return;
          told = true;
          throw thrown;
        };
        const sorting = backend.sort(sortRequest(keys, { onProgress }));
        await expect(sorting).rejects.toBe(thrown);
        expect(told).toBe(true);
        expect(isSame(keys, before)).toBe(true);
      }
    }
    await backend.close();
  });
});

describe('options', () => {
  it('are checked', () => {
    for (const threads of [0, -1, 1.5, 257, Number.NaN]) {
      expect(() => cpu({ threads })).toThrow(/threads must be a whole number from 1 to 256/);
    }
    expect(() => cpu({ kernels: 'asm' as never })).toThrow(/kernels must be 'wasm' or 'plain'/);
    expect(() => cpu({ createWorker: 'worker.js' as never })).toThrow(
      new TypeError('createWorker must be a function, got worker.js'),
    );
    for (const workerUrl of ['', 7, {}] as never[]) {
      expect(() => cpu({ workerUrl })).toThrow(/workerUrl must be a URL or a string that is not/);
    }
    expect(() => cpu({ threads: '2' as never })).toThrow(/to 256, got the string '2'/);
    expect(() => cpu({ thread: 2 } as never)).toThrow(/options has no 'thread'; it takes threads/);
    expect(() => cpu(2 as never)).toThrow(
      new TypeError('options must be an object, got the number 2'),
    );
    const createWorker = () => expect.unreachable();
    expect(() => cpu({ createWorker, workerUrl: 'worker.js' })).toThrow(/give one of them/);
  });
});
