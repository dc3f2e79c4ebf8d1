/** Starting threads in pages, with workers in the place of those of an engine. */

import { makeRequest } from '@keysweep/conformance/suite';
import { afterEach, expect, it, vi } from 'vitest';
import { Arena } from '../dist/arena/arena.js';
import type { LargeSorter, Way } from '../dist/pool/large-sorter.js';
import { THREADS } from '../dist/pool/threads-web.js';
import { WorkerClient } from '../dist/pool/worker/worker-client.js';

afterEach(() => vi.unstubAllGlobals());

/** Starts two threads from a Blob. */
function startInBlob(Own: unknown): Promise<LargeSorter> {
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

it('a Blob is started as a module if no plain script can be', async () => {
  const started: unknown[] = [];
  class Modules extends Silent {
    constructor(_: string, { type }: { type?: string }) {
      super();
      if (type !== 'module') throw new DOMException('no such workers', 'NotSupportedError');
      started.push(type);
    }
  }
  const sorter = await startInBlob(Modules);
  await sorter.close();
  expect(started).toEqual(['module', 'module']);
});

it('workers that were made before a start fails are ended', async () => {
  let [made, ended] = [0, 0];
  class Counted extends Silent {
    override terminate(): void {
      ended++;
    }
  }
  vi.stubGlobal('Worker', Counted);
  let most = 2;
  const createWorker = (): Worker => {
    if (made === most) throw new Error('no more workers');
    made++;
    return new Counted() as never;
  };
  const options = { threads: 4, plain: false, createWorker, workerUrl: undefined };
  const [named] = THREADS.ways(options) as [Way];
  const start = async (arena: () => Arena): Promise<LargeSorter> => named.start(options, arena);
  await expect(start(() => new Arena())).rejects.toThrow('no more workers');
  expect([made, ended]).toEqual([2, 2]);
  [made, ended, most] = [0, 0, 9];
  const noMemory = new RangeError('no memory');
  await expect(
    start(() => {
      throw noMemory;
    }),
  ).rejects.toBe(noMemory);
  expect(made).toBeGreaterThan(0);
  expect(ended).toBe(made);
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
  const sorter = await startInBlob(Lost);
  // Copied in slices, between which the event loop turns.
  const request = makeRequest('sort', [new Uint32Array(2 ** 24)]);
  await expect(sorter.sort(request)).rejects.toThrow('code could not be loaded');
  await sorter.close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', listen);
  expect(unhandled).toEqual([]);
});

it('a job is done with what one worker answers, if another has nothing to say', async () => {
  const result = { inputOrder: 'sorted', isWritten: false, keysAt: 0, valuesAt: 0 };
  const answers = ['stopped', { ...result, passesRun: 0, passesSkipped: 3, threads: 2 }];
  class Answering extends Silent {
    override postMessage({ kind }: { kind: string }): void {
      const answer = kind === 'task' ? answers.shift() : false;
      queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data: { answer } })));
    }
  }
  vi.stubGlobal('navigator', {});
  const sorter = await startInBlob(Answering);
  // For two threads, and in order, so that no kernel has to run.
  const keys = Uint32Array.from({ length: 2 ** 15 + 1 }, (_, i) => i);
  const { threads, passes } = await sorter.sort(makeRequest('sort', [keys]));
  expect({ threads, passes, left: answers }).toEqual({
    ...{ threads: 2, left: [] },
    passes: { run: 0, skipped: 3 },
  });
  await sorter.close();
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

it('a worker that does not load its code in time is given up, and so are its calls', async () => {
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

it.each([true, false])('a lock tells of the end of a worker that holds one: %s', async (isHeld) => {
  const asked: { name: string; onGone: () => void }[] = [];
  const request = async (name: string, onGone: () => void) => void asked.push({ name, onGone });
  const worker = new Silent();
  const sent = vi.spyOn(worker, 'postMessage');
  vi.stubGlobal('navigator', { locks: { request } });
  const client = new WorkerClient(() => worker as never);
  const answer = (data: object) => void worker.dispatchEvent(new MessageEvent('message', { data }));
  const [[hold]] = sent.mock.calls as unknown as [[{ argument: string }]];
  const { argument: name } = hold;
  expect(name).toMatch(/^keysweep-[0-9a-f-]{36}$/);
  const waiting = client.call('takePages', 1);
  answer({ answer: isHeld });
  await client.ready;
  expect(asked.map((one) => one.name)).toEqual(isHeld ? [name] : []);
  asked[0]?.onGone();
  if (isHeld) await expect(waiting).rejects.toThrow('it was terminated');
  else answer({ answer: undefined });
  await client.idle();
  expect(client.failure === undefined).toBe(!isHeld);
  client.close();
});

it('the call that waits first gets progress, and an error of its callback rejects it', async () => {
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

it('an error of a worker is its failure, with its cause, and not the page’s', () => {
  const { client, worker } = clientOf();
  const cause = new RangeError('no memory');
  const event = new Event('error', { cancelable: true });
  worker.dispatchEvent(Object.assign(event, { message: 'it broke', error: cause }));
  expect(client.failure).toMatchObject({ message: 'it broke', cause });
  expect(event.defaultPrevented).toBe(true);
  const other = clientOf();
  other.worker.dispatchEvent(new Event('messageerror'));
  expect(String(other.client.failure)).toContain('could not be read');
});
