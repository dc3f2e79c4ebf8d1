/** Starting threads in pages, with workers in the place of those of an engine. */

import { ARRAY_CLASSES, fillSpecial, Random, runSeed } from '@keysweep/conformance/data';
import { makeRequest, verifyAll } from '@keysweep/conformance/suite';
import { type Backend, BackendFailedError, type SortRequest } from '@keysweep/core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Arena } from '../dist/arena/arena.js';
import type { Executor, Way } from '../dist/pool/executor.js';
import { THREADS } from '../dist/pool/threads-web.js';
import { CopyingExecutor } from '../dist/pool/worker/copying-executor.js';
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

it('a Blob is started as a module if no plain script can be', async () => {
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
  const start = async (arena: () => Arena): Promise<Executor> => named.start(options, arena);
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
  const executor = await startInBlob(Lost);
  // Copied in slices, between which the event loop turns.
  const request = makeRequest('sort', [new Uint32Array(2 ** 24)]);
  await expect(executor.sort(request)).rejects.toThrow('code could not be loaded');
  await executor.close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', listen);
  expect(unhandled).toEqual([]);
});

it('a job is done with what one of its workers answers, if another has nothing to say', async () => {
  const result = { inputOrder: 'sorted', isWritten: false, keysAt: 0, valuesAt: 0 };
  const answers = ['stopped', { ...result, passesRun: 0, passesSkipped: 3, threads: 2 }];
  class Answering extends Silent {
    override postMessage({ kind }: { kind: string }): void {
      const answer = kind === 'task' ? answers.shift() : false;
      queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data: { answer } })));
    }
  }
  vi.stubGlobal('navigator', {});
  const executor = await startInBlob(Answering);
  // For two threads, and in order, so that no kernel has to run.
  const keys = Uint32Array.from({ length: 2 ** 15 + 1 }, (_, i) => i);
  const { threads, passes } = await executor.sort(makeRequest('sort', [keys]));
  expect({ threads, passes, left: answers }).toEqual({
    ...{ threads: 2, left: [] },
    passes: { run: 0, skipped: 3 },
  });
  await executor.close();
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

describe(`a page's worker (seed ${runSeed()})`, () => {
  const random = new Random(runSeed());
  let listen: (event: { data: unknown }) => void = () => {};
  let reply: (data: unknown, transfer: readonly ArrayBuffer[]) => void = () => {};

  beforeAll(async () => {
    // Its code, in this thread: it has the global scope that it expects in a worker.
    const scope = {
      addEventListener: (_: string, listener: typeof listen) => {
        listen = listener;
      },
      postMessage: (data: unknown, transfer: readonly ArrayBuffer[]) => reply(data, transfer),
    };
    Object.assign(globalThis, scope);
    await import('../dist/pool/worker/page-worker.js');
  });

  afterAll(() => {
    for (const name of ['addEventListener', 'postMessage'])
      Reflect.deleteProperty(globalThis, name);
  });

  /** Sends what a worker gets, and what comes back, as copies and with moved memory. */
  class InThread extends Silent {
    override postMessage(data: unknown, transfer: ArrayBuffer[] = []): void {
      // A module and a memory are shared as they are.
      const isSetup = (data as { kind: string }).kind === 'attach';
      const sent = isSetup ? data : structuredClone(data, { transfer });
      setImmediate(() => listen({ data: sent }));
    }
  }

  /** An executor that uses the worker, as long as nothing else does. */
  function started(isPlain = false): { executor: CopyingExecutor; backend: Backend } {
    vi.stubGlobal('navigator', {});
    const worker = new InThread();
    reply = (data, transfer) => {
      const copy = structuredClone(data, { transfer: [...transfer] });
      setImmediate(() => worker.dispatchEvent(new MessageEvent('message', { data: copy })));
    };
    const executor = new CopyingExecutor(new WorkerClient(() => worker as never), isPlain);
    const backend = { sort: (request) => executor.sort(request) } as Partial<Backend> as Backend;
    return { executor, backend };
  }

  it.each([false, true])(
    'sorts copies of all kinds of arrays; without kernels: %s',
    async (plain) => {
      const { executor, backend } = started(plain);
      expect(executor.bytes).toBe(0);
      await executor.warmUp(5000);
      const taken = executor.bytes;
      expect(taken > 8 * 5000).toBe(!plain);
      for (const { create } of ARRAY_CLASSES) {
        const keys = create(300);
        fillSpecial(keys, random);
        const other = random.fill(new Uint32Array(300)).map((key) => key % 3);
        await verifyAll(backend, keys, [other]);
        await verifyAll(backend, keys, [other], { order: 'descending' });
        await verifyAll(backend, keys, [], { segments: Uint32Array.of(0, 7, 7, 250) });
      }
      expect(executor.bytes).toBe(taken);
      await executor.sort(makeRequest('sort', [random.fill(new Uint32Array(9000))]));
      expect(executor.bytes > taken).toBe(!plain);
      expect(executor.failure).toBeUndefined();
      await executor.close();
      expect(String(executor.failure)).toContain('it was closed');
    },
  );

  it('reports progress of each phase, and its times', async () => {
    const { executor } = started();
    const told: [string, number, number][] = [];
    const onProgress: SortRequest['onProgress'] = ({ phase, completed, total }) =>
      void told.push([phase, completed, total]);
    const keys = random.fill(new Uint32Array(5000));
    const start = performance.now();
    const { milliseconds } = await executor.sort(makeRequest('sort', [keys], { onProgress }));
    expect(told[0]).toEqual(['upload', 5000, 5000]);
    expect(told.at(-1)).toEqual(['readback', 0, 5000]);
    const sorting = told.slice(1, -1);
    expect(new Set(sorting.map(([phase]) => phase))).toEqual(new Set(['sort']));
    expect(sorting.at(-1)?.[1]).toBe(5000);
    expect(Object.keys(milliseconds).sort()).toEqual(['readback', 'sort', 'upload']);
    expect(Object.values(milliseconds).every((time) => time >= 0)).toBe(true);
    // Parts of the time that the call took.
    const sum = Object.values(milliseconds).reduce((sum, time) => sum + time);
    expect(sum).toBeLessThanOrEqual(performance.now() - start);
  });

  it.each(['upload', 'sort', 'readback'])(
    'leaves all as it was if a callback throws: %s',
    async (at) => {
      const { executor } = started();
      const keys = random.fill(new Uint32Array(5000));
      const before = keys.slice();
      const onProgress: SortRequest['onProgress'] = ({ phase }) => {
        if (phase === at) throw new Error(`no more ${at}`);
      };
      const sorting = executor.sort(makeRequest('sort', [keys], { onProgress }));
      await expect(sorting).rejects.toThrow(`no more ${at}`);
      expect(keys).toEqual(before);
      await executor.idle();
      // The worker is as good as before.
      expect(executor.failure).toBeUndefined();
      await executor.sort(makeRequest('sort', [keys]));
      expect(keys).toEqual(before.sort());
    },
  );

  it.each(['upload', 'sort', 'readback'])('ends by an abort, or a lost array: %s', async (at) => {
    const { executor } = started();
    for (const harm of ['abort', 'detach']) {
      const controller = new AbortController();
      const keys = random.fill(new Uint32Array(5000));
      const values = keys.slice();
      const before = keys.slice();
      const onProgress: SortRequest['onProgress'] = ({ phase }) => {
        if (phase !== at) return;
        if (harm === 'abort') controller.abort(new Error('enough'));
        else structuredClone(values, { transfer: [values.buffer] });
      };
      const { signal } = controller;
      const sorting = executor.sort(
        makeRequest('sortPairs', [keys], { values, signal, onProgress }),
      );
      await expect(sorting).rejects.toThrow(harm === 'abort' ? 'enough' : TypeError);
      expect(keys).toEqual(before);
      await executor.idle();
      expect(executor.failure).toBeUndefined();
    }
  });

  it('names the array that is gone while results are written', async () => {
    for (const name of ['keys', 'values'] as const) {
      const { executor } = started();
      // Of two steps, with a pause between them by a clock of which each look takes 20 ms.
      const keys = new Uint32Array(2 ** 19);
      const values = keys.slice();
      const lost = { keys, values }[name];
      const onCommit = (): void => {
        let now = performance.now();
        vi.spyOn(performance, 'now').mockImplementation(() => (now += 20));
        setImmediate(() => structuredClone(lost, { transfer: [lost.buffer] }));
      };
      const request = { ...makeRequest('sortPairs', [keys], { values }), onCommit };
      const error = new RegExp(`^${name} was detached or shrunk`);
      await expect(executor.sort(request)).rejects.toThrow(error);
      vi.restoreAllMocks();
    }
  });

  it('that says of an error is given up, with what it was asked', async () => {
    const { executor } = started();
    const sorting = executor.sort(makeRequest('sort', [new Uint32Array(10)]));
    reply({ error: 'RangeError: no memory' }, []);
    await expect(sorting).rejects.toThrow(BackendFailedError);
    await expect(sorting).rejects.toThrow('a worker thread stopped: Error: RangeError: no memory');
    await expect(executor.warmUp(10)).rejects.toThrow('a worker thread stopped');
    await executor.idle();
    expect(String(executor.failure)).toContain('no memory');
  });

  it('takes memory that is shared, once it is attached to that', async () => {
    started();
    class Attached extends InThread {
      constructor() {
        super();
        reply = (data) =>
          void setImmediate(() => this.dispatchEvent(new MessageEvent('message', { data })));
      }
    }
    vi.stubGlobal('Worker', Attached);
    const options = { threads: 1, plain: false, createWorker: undefined, workerUrl: undefined };
    expect(THREADS.count(options)).toBe(1);
    expect(THREADS.count({ ...options, threads: undefined })).toBe(1);
    expect(THREADS.count({ ...options, plain: true, threads: 5 })).toBe(1);
    const always = { narrowKeys: 2 ** 17, others: 2 ** 17 };
    expect([THREADS.from, THREADS.fromIfMany]).toEqual([always, always]);
    const names = THREADS.ways(options).map(({ name }) => name);
    // The file is beside this module, so it is likelier than a policy that allows Blobs.
    expect(names).toEqual(["the worker's file", 'a Blob']);
    const named = { ...options, workerUrl: '/w.js', createWorker: () => new Attached() as never };
    expect(THREADS.ways(named).map(({ name, isNamed }) => [name, isNamed])).toEqual([
      ['the worker that createWorker makes', true],
      ['the worker that workerUrl names, /w.js', true],
      ...names.map((name) => [name, undefined]),
    ]);
    const [way] = THREADS.ways(named) as [Way];
    const executor = await way.start(named, () => new Arena());
    await executor.warmUp(200_000);
    expect(executor.bytes).toBeGreaterThan(8 * 200_000);
    await executor.close();
    await expect(executor.sort(makeRequest('sort', [new Uint32Array(9)]))).rejects.toThrow(
      'closed',
    );
    vi.stubGlobal('Worker', undefined);
    expect(THREADS.count(options)).toBe(0);
    expect(THREADS.ways(options)).toEqual([]);
  });
});
