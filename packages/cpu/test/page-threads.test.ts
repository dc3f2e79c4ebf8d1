/** Starting threads in pages, with workers in the place of those of an engine. */

import { makeRequest } from '@keysweep/conformance/suite';
import { afterEach, expect, it, vi } from 'vitest';
import { Arena } from '../dist/arena/arena.js';
import type { Executor, Way } from '../dist/pool/executor.js';
import { THREADS } from '../dist/pool/threads-web.js';
import { WorkerClient } from '../dist/pool/worker/worker-client.js';

afterEach(() => vi.unstubAllGlobals());

/** Starts two threads from a Blob. */
function startInBlob(Own: unknown): Promise<Executor> {
  vi.stubGlobal('Worker', Own);
  const options = { threads: 2, plain: false, createWorker: undefined, workerUrl: undefined };
  const inBlob = THREADS.ways(options).find(({ name }) => name === 'a Blob') as Way;
  return inBlob.start(options, () => new Arena());
}

/** Answers nothing. */
class Silent extends EventTarget {
  postMessage(_: unknown): void {}
  terminate(): void {}
}

it('a Blob is started as a module where no plain script can be', async () => {
  const started: unknown[] = [];
  class Modules extends Silent {
    constructor(_: string, { type }: { type?: string }) {
      super();
      if (type !== 'module') throw new DOMException('no such workers', 'NotSupportedError');
      started.push(type);
    }
  }
  const executor = await startInBlob(Modules);
  await executor.close();
  expect(started).toEqual(['module', 'module']);
});

it('a worker that is lost while keys are copied in rejects the sort and nothing else', async () => {
  class Lost extends Silent {
    override postMessage({ kind }: { kind: string }): void {
      if (kind === 'task') queueMicrotask(() => this.dispatchEvent(new Event('error')));
    }
  }
  const unhandled: unknown[] = [];
  const listen = (reason: unknown): unknown => unhandled.push(reason);
  process.on('unhandledRejection', listen);
  const executor = await startInBlob(Lost);
  // Copied in slices, between which the event loop turns.
  const request = makeRequest('sort', [new Uint32Array(2 ** 24)]);
  await expect(executor.sort(request)).rejects.toThrow('code could not be loaded');
  await executor.close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', listen);
  expect(unhandled).toEqual([]);
});

/** A worker that answers when it is told to, in a page without locks, and its client. */
function clientOf(): { client: WorkerClient; worker: Silent; answer: (reply: object) => void } {
  vi.stubGlobal('navigator', {});
  const worker = new Silent();
  const answer = (data: object): void =>
    void worker.dispatchEvent(new MessageEvent('message', { data }));
  return { client: new WorkerClient(() => worker as never), worker, answer };
}

it('a worker is given up that does not answer in time, and no other', async () => {
  vi.useFakeTimers();
  try {
    const { client, answer } = clientOf();
    answer({ answer: false });
    await client.ready;
    const calls = [1, 2].map((length) => client.call('takePages', length));
    answer({ answer: undefined });
    await calls[0];
    await vi.advanceTimersByTimeAsync(100_000);
    expect(client.failure).toBeUndefined();
    answer({ answer: undefined });
    await calls[1];
    await client.idle();
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(client.failure).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
    const late = client.call('takePages', 3);
    late.catch(() => {});
    await vi.advanceTimersByTimeAsync(130_000);
    await expect(late).rejects.toThrow('did not answer within 120 seconds');
    await client.idle();
    expect(client.failedToStart).toBe(false);
    await expect(client.lost).rejects.toThrow('did not answer');
  } finally {
    vi.useRealTimers();
  }
});

it('a worker that does not load its code in time is given up, with the calls that wait', async () => {
  vi.useFakeTimers();
  try {
    const { client, worker } = clientOf();
    const terminate = vi.spyOn(worker, 'terminate');
    const waiting = [client.ready, client.call('takePages', 1)];
    for (const promise of waiting) promise.catch(() => {});
    await vi.advanceTimersByTimeAsync(11_000);
    for (const promise of waiting) await expect(promise).rejects.toThrow('within 10 seconds');
    await expect(client.call('takePages', 1)).rejects.toThrow('within 10 seconds');
    expect(client.failedToStart).toBe(true);
    expect(terminate).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('progress is told to the call that waits first, and an error of its callback rejects it', async () => {
  const { client, answer } = clientOf();
  answer({ answer: false });
  await client.ready;
  const told: unknown[] = [];
  const first = client.call('takePages', 1, [], (progress) => told.push(progress));
  const second = client.call('takePages', 2, [], () => {
    throw new Error('from the callback');
  });
  const progress = { phase: 'sort', completed: 1, total: 2 };
  answer({ progress });
  answer({ answer: undefined });
  await first;
  answer({ progress });
  await expect(second).rejects.toThrow('from the callback');
  answer({ answer: undefined });
  expect(told).toEqual([progress]);
  expect(client.failure).toBeUndefined();
  client.close();
  // A page's worker may still say something.
  answer({ error: 'too late' });
  expect(String(client.failure)).toBe('Error: it was closed');
});
