/** What a sort says of itself, errors that name an array, and memory that is taken. */

import { createRequire } from 'node:module';
import { BroadcastChannel } from 'node:worker_threads';
import { makeRequest } from '@keysweep/conformance/suite';
import type { Backend, Progress, SortRequest } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { reasonForPlain } from '../src/pool/calling-thread.js';
import { CrewLeader, linkCrew } from '../src/pool/worker/crew.js';

/** One thread, which pauses as several do. */
let alone: Backend;

beforeAll(() => {
  alone = cpu({ threads: 1, threadsFrom: 1 });
});
afterAll(() => alone.close());

const keysOf = (length: number, make: (i: number) => number): Uint32Array =>
  Uint32Array.from({ length }, (_, i) => make(i));
const mixed = (i: number): number => Math.imul(i, 0x9e3779b1) >>> 0;

describe('an outcome', () => {
  it('says how often keys were moved: not at all if they were in order, or reversed', async () => {
    const passesOf = async (make: (i: number) => number, length = 5000) => {
      const { passes } = await alone.sort(makeRequest('sort', [keysOf(length, make)]));
      return passes;
    };
    expect(await passesOf((i) => i)).toMatchObject({ run: 0 });
    expect(await passesOf((i) => 5000 - i)).toMatchObject({ run: 0 });
    const { run, skipped } = await passesOf(mixed);
    expect(run).toBeGreaterThan(0);
    expect(run + skipped).toBe((await passesOf((i) => i)).skipped);
  });

  it('says what took time, phase by phase, and how many threads there were', async () => {
    const { milliseconds, threads } = await alone.sort(makeRequest('sort', [keysOf(5000, mixed)]));
    expect(Object.keys(milliseconds).sort()).toEqual(
      ['queue', 'start', 'upload', 'sort', 'readback'].sort(),
    );
    expect(threads).toBe(1);
    const columns = [keysOf(5000, (i) => i % 3), keysOf(5000, mixed)] as const;
    const rows = await alone.sort(makeRequest('argsort', [...columns]));
    expect(rows.threads).toBe(1);
  });
});

describe('an array that is detached while it is sorted', () => {
  const PHASES = ['upload', 'sort', 'readback'] as const;
  const requests = {
    keys: () => makeRequest('sort', [keysOf(5000, mixed)]),
    values: () => makeRequest('sortPairs', [keysOf(5000, mixed)], { values: keysOf(5000, mixed) }),
    out: (): SortRequest => ({
      ...makeRequest('argsort', [keysOf(5000, mixed)]),
      out: new Uint32Array(5000),
    }),
  };

  it.each(['keys', 'values', 'out'] as const)('is named: %s', async (name) => {
    for (const when of PHASES) {
      const request = requests[name]();
      const { columns, values, out } = request;
      const array = { keys: columns[0], values, out }[name] as Uint32Array;
      let isDone = false;
      const onProgress = ({ phase }: Progress): void => {
        if (phase !== when || isDone) return;
        isDone = true;
        structuredClone(array.buffer, { transfer: [array.buffer] });
      };
      const sorting = alone.sort({ ...request, onProgress });
      await expect(sorting).rejects.toThrow(TypeError);
      await expect(sorting).rejects.toThrow(new RegExp(`^${name}\\b`));
      expect(isDone).toBe(true);
    }
  });
});

describe('memory', () => {
  /** Pages of 64 KiB by which memories grow meanwhile. */
  async function grownBy(work: (backend: Backend) => Promise<unknown>): Promise<number> {
    const grow = vi.spyOn(WebAssembly.Memory.prototype, 'grow');
    onTestFinished(() => grow.mockRestore());
    const backend = cpu({ threads: 1 });
    try {
      await work(backend);
      return grow.mock.calls.reduce((sum, [pages]) => sum + pages, 0);
    } finally {
      await backend.close();
      grow.mockRestore();
    }
  }

  it('is taken for as many keys as a warm-up was told, and no more', async () => {
    const few = await grownBy((backend) => backend.warmUp(1000));
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThan(8);
    const many = await grownBy((backend) => backend.warmUp(300_000));
    expect(many).toBeGreaterThanOrEqual((2 * 4 * 300_000) / 65_536);
  });

  it('is as much as the largest sort took', async () => {
    const request = (n: number) => makeRequest('sort', [keysOf(n, mixed)]);
    const pages = await grownBy(async (backend) => {
      for (const n of [200_000, 100, 200_000]) await backend.sort(request(n));
    });
    expect(pages).toBeLessThan((2 * 4 * 200_000) / 65_536 + 8);
  });
});

describe('without WebAssembly', () => {
  it('plain TypeScript sorts, and the probe says why', async () => {
    vi.stubGlobal('WebAssembly', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(reasonForPlain()).toBe('WebAssembly is missing');
    const backend = cpu({ threads: 2 });
    expect(await backend.probe()).toMatchObject({
      capabilities: {
        description: 'plain TypeScript on the calling thread: WebAssembly is missing, 1 thread',
        kernels: 'plain',
      },
    });
    const keys = keysOf(1000, mixed);
    const { warnings } = await backend.sort(makeRequest('sort', [keys]));
    expect(keys).toEqual(keysOf(1000, mixed).sort());
    expect(warnings?.map(({ code }) => code)).toEqual(['no-webassembly']);
    await backend.close();
  });

  it('memory that threads share may be missing, too', () => {
    const { Memory } = WebAssembly;
    vi.spyOn(WebAssembly, 'Memory').mockImplementation(function make(
      how: WebAssembly.MemoryDescriptor,
    ) {
      if (how.shared) throw new Error('none here');
      return new Memory(how);
    } as never);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(reasonForPlain()).toBe('shared memory is missing: Error: none here');
  });
});

describe('arrays for a crew', () => {
  it('are sent again only if they are others', () => {
    const post = vi.spyOn(BroadcastChannel.prototype, 'postMessage').mockReturnValue();
    const leader = new CrewLeader(linkCrew(1));
    onTestFinished(() => {
      leader.close();
      post.mockRestore();
    });
    const [one, other] = [new SharedArrayBuffer(64), new SharedArrayBuffer(64)];
    const sent = (staged: readonly Uint32Array[], results = staged): boolean => {
      post.mockClear();
      leader.send({ pages: { from: 0, to: 0 }, threads: 1 }, 1, { staged, results } as never);
      return post.mock.calls.length > 0;
    };
    const keys = new Uint32Array(one, 8, 4);
    expect(sent([keys])).toBe(true);
    expect(sent([keys])).toBe(false);
    expect(sent([new Uint32Array(one, 8, 4)])).toBe(false);
    expect(sent([])).toBe(false);
    expect(sent([keys])).toBe(false);
    for (const array of [
      new Uint32Array(one, 4, 4),
      new Uint32Array(one, 4, 5),
      new Uint32Array(other, 4, 5),
      new Int32Array(other, 4, 5) as never,
    ]) {
      expect(sent([array])).toBe(true);
      expect(sent([array])).toBe(false);
    }
    expect(sent([keys], [])).toBe(true);
    expect(sent([keys], [keys])).toBe(true);
    expect(sent([], [keys])).toBe(true);
    expect(sent([keys, keys], [keys])).toBe(true);
    // One that is the same does not make the others so.
    expect(sent([keys, new Uint32Array(other, 4, 5)], [keys])).toBe(true);
    expect(sent([new Uint32Array(other, 4, 5), keys], [keys])).toBe(true);
  });

  it('go by a channel of its own for each crew', () => {
    const channels = Array.from({ length: 20 }, () => linkCrew(3).channel);
    expect(new Set(channels).size).toBe(20);
    expect(channels.every((name) => /^keysweep-.{36}$/.test(name))).toBe(true);
    const lines = [1, 2, 9].map((threads) => linkCrew(threads).buffer.byteLength);
    expect(lines).toEqual([1, 2, 9].map((threads) => 64 * (threads + 1) + 8192));
  });
});

it("threads are piscina's if its files are there", async () => {
  const backend = cpu({ threads: 2, threadsFrom: 1 });
  const keys = keysOf(100_000, mixed);
  await backend.warmUp(100_000);
  await backend.sort(makeRequest('sort', [keys]));
  await backend.close();
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  expect(loaded.some((path) => /[\\/]node_modules[\\/]piscina[\\/]/.test(path))).toBe(true);
});
