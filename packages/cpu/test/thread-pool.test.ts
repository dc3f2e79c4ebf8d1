/** What a thread pool does around a job. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { makeRequest } from '@keysweep/conformance/suite';
import { nextTask, runInSlices } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { expect, it } from 'vitest';
import { Arena } from '../src/arena/arena.js';
import { JobStopped, WorkQueue } from '../src/arena/work-queue.js';
import type { TaskResult } from '../src/pool/task.js';
import { ThreadPool, type WorkerTransport } from '../src/pool/thread-pool.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** A pool of two threads that never answer, and the queues of the jobs that they are sent. */
function silentPool(broken: Promise<never> = new Promise(() => {})): {
  pool: ThreadPool;
  queues: WorkQueue[];
  /** How many threads each job was sent to. */
  asked: number[];
} {
  const arena = new Arena();
  const queues: WorkQueue[] = [];
  const asked: number[] = [];
  let ended: Promise<TaskResult[]> = Promise.resolve([]);
  const transport: WorkerTransport = {
    threads: 2,
    started: Promise.resolve(),
    send({ job }, count) {
      asked.push(count);
      queues.push(new WorkQueue(arena.memory, job?.arena ?? expect.unreachable(), 0));
      ended = new Promise(() => {});
    },
    ended: () => ended,
    failedToStart: () => false,
    broken,
    close: async () => {},
  };
  const pool = new ThreadPool(arena, transport, () => {
    return (steps) => runInSlices(steps, () => Promise.resolve());
  });
  return { pool, queues, asked };
}

it('stops a job that is aborted right after its keys were staged', async () => {
  const { pool, queues } = silentPool();
  const abort = new AbortController();
  const keys = Uint32Array.of(3, 1, 2);
  const request = makeRequest('sort', [keys], {
    signal: abort.signal,
    onProgress: ({ phase }) => {
      if (phase === 'upload') queueMicrotask(() => abort.abort(new Error('enough')));
    },
  });
  await expect(pool.sort(request)).rejects.toThrow('enough');
  expect(queues.length).toBe(1);
  expect(() => queues[0]?.runPhase(0, 1, () => expect.unreachable()).next()).toThrow(JobStopped);
  expect(keys).toEqual(Uint32Array.of(3, 1, 2));
});

it('answers an abort at once, whatever its threads do', async () => {
  const { pool } = silentPool();
  const abort = new AbortController();
  const request = makeRequest('sort', [Uint32Array.of(3, 1, 2)], { signal: abort.signal });
  let settled: unknown = 'waiting';
  pool.sort(request).catch((error: unknown) => {
    settled = error;
  });
  await nextTask();
  expect(settled).toBe('waiting');
  const reason = new Error('enough');
  abort.abort(reason);
  await nextTask();
  expect(settled).toBe(reason);
});

it('uses its threads once they have started, also for sorts without a pause between', async () => {
  const backend = cpu({ threads: 2 });
  const keys = new Uint32Array(2 ** 19 + 1);
  const seen: number[] = [];
  for (let sorts = 0; sorts < 300 && !seen.includes(2); sorts++) {
    for (let i = 0; i < keys.length; i++) keys[i] = i % 7;
    const { threads } = await backend.sort(makeRequest('sort', [keys]));
    seen.push(threads);
  }
  await backend.close();
  expect(seen[0]).toBe(1);
  expect(seen.at(-1)).toBe(2);
  // The calling thread joins once, however many slices it stages.
  expect(Math.max(...seen)).toBe(2);
});

it('has a thread for each 2^15 keys or part of them, and no more than there are', async () => {
  for (const [length, threads] of [
    [1, 1],
    [2 ** 15, 1],
    [2 ** 15 + 1, 2],
    [2 ** 16 + 1, 2],
  ] as const) {
    const { pool, asked } = silentPool();
    const abort = new AbortController();
    const { signal } = abort;
    const sorting = pool.sort(makeRequest('sort', [new Uint32Array(length)], { signal }));
    sorting.catch(() => {});
    await nextTask();
    abort.abort(new Error('enough'));
    await expect(sorting).rejects.toThrow('enough');
    expect(asked).toEqual([threads]);
  }
});

it('keeps nothing of waits that have ended, however long its threads live', async () => {
  const { pool } = silentPool();
  const heapAfter = async (waits: number): Promise<number> => {
    for (let i = 0; i < waits; i++) await pool.idle();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfter(1000);
  const waits = 20_000;
  // A wait that were kept would take some hundred bytes: its promise, and what listens to it.
  expect((await heapAfter(waits)) - before).toBeLessThan(50 * waits);
});

it('ends all waits when a thread is lost, those before it and those after it', async () => {
  let lose = (_: Error): void => {};
  const { pool } = silentPool(
    new Promise((_, reject) => {
      lose = reject;
    }),
  );
  const error = new Error('a thread is gone');
  const request = makeRequest('sort', [Uint32Array.of(3, 1, 2)], {});
  const sorting = pool.sort(request).catch((thrown: unknown) => thrown);
  await nextTask();
  const waiting = pool.idle();
  lose(error);
  expect(await sorting).toMatchObject({ cause: error });
  await waiting;
  await pool.idle();
  expect(pool.failure).toBe(error);
});
