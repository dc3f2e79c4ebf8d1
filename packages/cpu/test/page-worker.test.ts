/** A page's worker, its code run in this thread. */

import { ARRAY_CLASSES, fillSpecial, runSeed } from '@keysweep/conformance/data';
import { makeRequest, verifyAll } from '@keysweep/conformance/suite';
import { type Backend, BackendFailedError, type SortRequest } from '@keysweep/core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { Arena } from '../dist/arena/arena.js';
import type { Way } from '../dist/pool/large-sorter.js';
import { THREADS } from '../dist/pool/threads-web.js';
import { CopyingSorter } from '../dist/pool/worker/copying-sorter.js';
import { WorkerClient } from '../dist/pool/worker/worker-client.js';

afterEach(() => vi.unstubAllGlobals());

/** Answers nothing. */
class Silent extends EventTarget {
  postMessage(_: unknown): void {}
  terminate(): void {}
}

describe(`a page's worker (seed ${runSeed()})`, () => {
  const random = testRandom();
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

  /** A large sorter that uses the worker, as long as nothing else does. */
  function started(isPlain = false): { sorter: CopyingSorter; backend: Backend } {
    vi.stubGlobal('navigator', {});
    const worker = new InThread();
    reply = (data, transfer) => {
      const copy = structuredClone(data, { transfer: [...transfer] });
      setImmediate(() => worker.dispatchEvent(new MessageEvent('message', { data: copy })));
    };
    const sorter = new CopyingSorter(new WorkerClient(() => worker as never), isPlain);
    const backend = { sort: (request) => sorter.sort(request) } as Partial<Backend> as Backend;
    return { sorter, backend };
  }

  it.each([false, true])(
    'sorts copies of all kinds of arrays; without kernels: %s',
    async (plain) => {
      const { sorter, backend } = started(plain);
      expect(sorter.bytes).toBe(0);
      await sorter.warmUp(5000);
      const taken = sorter.bytes;
      expect(taken > 8 * 5000).toBe(!plain);
      for (const { create } of ARRAY_CLASSES) {
        const keys = create(300);
        fillSpecial(keys, random);
        const other = random.fill(new Uint32Array(300)).map((key) => key % 3);
        await verifyAll(backend, keys, [other]);
        await verifyAll(backend, keys, [other], { order: 'descending' });
        await verifyAll(backend, keys, [], { segments: Uint32Array.of(0, 7, 7, 250) });
      }
      expect(sorter.bytes).toBe(taken);
      await sorter.sort(makeRequest('sort', [random.fill(new Uint32Array(9000))]));
      expect(sorter.bytes > taken).toBe(!plain);
      expect(sorter.failure).toBeUndefined();
      await sorter.close();
      expect(String(sorter.failure)).toContain('it was closed');
    },
  );

  it('reports progress of each phase, and its times', async () => {
    const { sorter } = started();
    const told: [string, number, number][] = [];
    const onProgress: SortRequest['onProgress'] = ({ phase, completed, total }) =>
      void told.push([phase, completed, total]);
    const keys = random.fill(new Uint32Array(5000));
    const start = performance.now();
    const { milliseconds } = await sorter.sort(makeRequest('sort', [keys], { onProgress }));
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
      const { sorter } = started();
      const keys = random.fill(new Uint32Array(5000));
      const before = keys.slice();
      const onProgress: SortRequest['onProgress'] = ({ phase }) => {
        if (phase === at) throw new Error(`no more ${at}`);
      };
      const sorting = sorter.sort(makeRequest('sort', [keys], { onProgress }));
      await expect(sorting).rejects.toThrow(`no more ${at}`);
      expect(keys).toEqual(before);
      await sorter.idle();
      // The worker is as good as before.
      expect(sorter.failure).toBeUndefined();
      await sorter.sort(makeRequest('sort', [keys]));
      expect(keys).toEqual(before.sort());
    },
  );

  it.each(['upload', 'sort', 'readback'])('ends by an abort, or a lost array: %s', async (at) => {
    const { sorter } = started();
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
      const sorting = sorter.sort(makeRequest('sortPairs', [keys], { values, signal, onProgress }));
      await expect(sorting).rejects.toThrow(harm === 'abort' ? 'enough' : TypeError);
      expect(keys).toEqual(before);
      await sorter.idle();
      expect(sorter.failure).toBeUndefined();
    }
  });

  it('names the array that is gone while results are written', async () => {
    for (const name of ['keys', 'values'] as const) {
      const { sorter } = started();
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
      await expect(sorter.sort(request)).rejects.toThrow(error);
      vi.restoreAllMocks();
    }
  });

  it('that says of an error is given up, with what it was asked', async () => {
    const { sorter } = started();
    const sorting = sorter.sort(makeRequest('sort', [new Uint32Array(10)]));
    reply({ error: 'RangeError: no memory' }, []);
    await expect(sorting).rejects.toThrow(BackendFailedError);
    await expect(sorting).rejects.toThrow('a worker thread stopped: Error: RangeError: no memory');
    await expect(sorter.warmUp(10)).rejects.toThrow('a worker thread stopped');
    await sorter.idle();
    expect(String(sorter.failure)).toContain('no memory');
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
    const sorter = await way.start(named, () => new Arena());
    await sorter.warmUp(200_000);
    expect(sorter.bytes).toBeGreaterThan(8 * 200_000);
    await sorter.close();
    await expect(sorter.sort(makeRequest('sort', [new Uint32Array(9)]))).rejects.toThrow('closed');
    vi.stubGlobal('Worker', undefined);
    expect(THREADS.count(options)).toBe(0);
    expect(THREADS.ways(options)).toEqual([]);
  });
});
