/** What the CPU backend makes of its options, and of the system, before anything is sorted. */

import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { cpu } from '@keysweep/cpu';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

it('uses no more threads by default than it may be told to use', async () => {
  vi.spyOn(os, 'availableParallelism').mockReturnValue(384);
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  const backend = cpu();
  expect(await backend.probe()).toMatchObject({ capabilities: { threads: 256 } });
  await backend.close();
});

describe('options', () => {
  it.each([
    [{ threads: 0 }, RangeError, 'threads must be a whole number from 1 to 256, got the number 0'],
    [
      { threads: 257 },
      RangeError,
      'threads must be a whole number from 1 to 256, got the number 257',
    ],
    [
      { threads: 1.5 },
      RangeError,
      'threads must be a whole number from 1 to 256, got the number 1.5',
    ],
    [
      { threads: '2' },
      RangeError,
      "threads must be a whole number from 1 to 256, got the string '2'",
    ],
    [{ threads: null }, RangeError, 'threads must be a whole number from 1 to 256, got null'],
    [{ kernels: 'gpu' }, TypeError, "kernels must be 'wasm' or 'plain', got gpu"],
    [{ kernels: '' }, TypeError, "kernels must be 'wasm' or 'plain', got "],
    [{ createWorker: 1 }, TypeError, 'createWorker must be a function, got 1'],
    [{ workerUrl: '' }, TypeError, 'workerUrl must be a URL or a string that is not empty, got '],
    [{ workerUrl: {} }, TypeError, 'workerUrl must be a URL or a string that is not empty'],
    [{ workerUrl: 'a', createWorker() {} }, TypeError, 'give one of them'],
    [{ keepBytes: -1 }, RangeError, 'keepBytes must be a number of bytes, 0 or more, got -1'],
    [{ keepBytes: Number.NaN }, RangeError, 'keepBytes must be a number of bytes'],
    [{ keepBytes: '1' }, RangeError, 'keepBytes must be a number of bytes, 0 or more, got 1'],
    [{ thread: 2 }, TypeError, "'thread'"],
    [5, TypeError, 'options must be an object'],
  ])('%o are refused', (options, kind, message) => {
    const make = (): unknown => cpu(options as never);
    expect(make).toThrow(kind);
    expect(make).toThrow(message);
  });

  it.each([
    { threads: 1 },
    { threads: 256 },
    { kernels: 'plain' },
    { keepBytes: 0 },
    { keepBytes: 0.5 },
    { keepBytes: Number.POSITIVE_INFINITY },
    { workerUrl: 'worker.js' },
    { workerUrl: new URL('https://example.org/worker.js') },
    { createWorker: () => expect.unreachable() },
    { threads: undefined, kernels: undefined, keepBytes: undefined, createWorker: undefined },
    { maxPartLength: 5, threadsFrom: 1 },
    undefined,
  ] as const)('%o are taken', async (options) => {
    await cpu(options as never).close();
  });

  it.each([
    [{ threads: 1 }, 'WebAssembly over shared memory, 1 thread', 1, 'wasm'],
    [{ threads: 2 }, 'WebAssembly over shared memory, up to 2 threads', 2, 'wasm'],
    [
      { threads: 2, kernels: 'plain' },
      "plain TypeScript on the calling thread: the caller asked for 'plain', 1 thread",
      1,
      'plain',
    ],
  ] as const)(
    '%o: the probe says what there is',
    async (options, description, threads, kernels) => {
      const backend = cpu(options);
      expect(await backend.probe()).toEqual({
        available: true,
        capabilities: { description, software: false, threads, kernels },
      });
      await backend.close();
    },
  );
});
