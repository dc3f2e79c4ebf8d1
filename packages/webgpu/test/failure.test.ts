/** Failures of a GPU: the call rejects, its arrays stay whole, and the next sort succeeds. */

import { assertUntouched, rejection } from '@keysweep/conformance/suite';
import './software-gpu.js';
import { type Backend, BackendFailedError, BackendUnavailableError } from '@keysweep/core';
import { RadixSorter, type WebgpuOptions, webgpu } from '@keysweep/webgpu';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { describeLoss, fewPairs, sortPairs, sortsWell } from './failure-checks.js';
import { watchedAdapters } from './watched-adapters.js';

describeLoss('in Node', 2);

type RequestAdapter = NonNullable<WebgpuOptions['requestAdapter']>;

/** Sorts, which fails, and leaves the arrays as they were. */
async function failure(backend: Backend): Promise<unknown> {
  const pairs = fewPairs();
  const error = await rejection(sortPairs(backend, pairs));
  assertUntouched('a sort that failed', pairs);
  return error;
}

/** Ways in which an adapter may be missing, and the message for each. */
const VANISHED: readonly [RequestAdapter, RegExp][] = [
  [async () => null, /^WebGPU finds no adapter here: /],
  [async () => undefined as never, /^WebGPU finds no adapter here: /],
  [
    () => Promise.reject(new Error('the driver is gone')),
    /^no adapter could be requested: Error: the driver is gone$/,
  ],
  [
    () => {
      throw new Error('not now');
    },
    /^no adapter could be requested: Error: not now$/,
  ],
];

describe('an adapter that is not there', () => {
  it.each(VANISHED)('at the start: %s', async (requestAdapter, reason) => {
    const backend = webgpu({ requestAdapter });
    expect(await backend.probe()).toEqual({
      available: false,
      reason: expect.stringMatching(reason),
    });
    const error = await failure(backend);
    expect(error).toBeInstanceOf(BackendUnavailableError);
    expect(error).toMatchObject({ backend: 'webgpu', reason: expect.stringMatching(reason) });
    await expect(backend.warmUp(1000)).rejects.toThrow(BackendUnavailableError);
    await backend.release();
    await backend.close();
  });

  it('any more: every sort says so until it is there again', async () => {
    const adapters = watchedAdapters();
    let requestAdapter: RequestAdapter = adapters.requestAdapter;
    const backend = webgpu({ requestAdapter: () => requestAdapter() });
    await sortsWell(backend);
    const { device } = adapters.latest();
    device.destroy();
    await device.lost;
    for (const [vanished, reason] of VANISHED) {
      requestAdapter = vanished;
      expect(await failure(backend)).toMatchObject({ reason: expect.stringMatching(reason) });
      expect(await backend.probe()).toMatchObject({ available: false });
    }
    requestAdapter = adapters.requestAdapter;
    await sortsWell(backend);
    expect(await backend.probe()).toMatchObject({ available: true });
    await backend.close();
    await adapters.assertClean();
  });
});

it('an adapter that opens no device: rejection, and another try at the next sort', async () => {
  const adapters = watchedAdapters();
  const refusal = new Error('too many devices');
  let refused = 0;
  const backend = webgpu({
    requestAdapter: async () => {
      const adapter = await adapters.requestAdapter();
      if (adapter !== null && refused++ < 2) {
        adapter.requestDevice = () => Promise.reject(refusal);
      }
      return adapter;
    },
  });
  for (let i = 0; i < 2; i++) {
    const error = await failure(backend);
    expect(error).toBeInstanceOf(BackendFailedError);
    expect(error).toMatchObject({
      message: "backend 'webgpu' failed: no device could be opened: Error: too many devices",
      cause: refusal,
    });
  }
  await sortsWell(backend);
  await backend.close();
  await adapters.assertClean();
});

describe('options', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it.each(['low-power', 'high-performance', undefined] as const)(
    'powerPreference is handed on: %s',
    async (powerPreference) => {
      const requestAdapter = vi.fn(async () => null);
      vi.stubGlobal('navigator', { gpu: { requestAdapter } });
      await webgpu({ powerPreference }).probe();
      const expected = powerPreference ?? 'high-performance';
      expect(requestAdapter).toHaveBeenCalledExactlyOnceWith({ powerPreference: expected });
    },
  );

  it('are checked', () => {
    for (const [maxChunkLength, got] of [
      [0, 'the number 0'],
      [-1, 'the number -1'],
      [1.5, 'the number 1.5'],
      [2 ** 32, 'the number 4294967296'],
      [Number.NaN, 'the number NaN'],
      ['5', "the string '5'"],
      [null, 'null'],
    ]) {
      expect(() => webgpu({ maxChunkLength: maxChunkLength as never })).toThrow(
        `maxChunkLength must be a whole number from 1 to 4294967295, got ${got}`,
      );
    }
    for (const [powerPreference, got] of [
      ['x', "the string 'x'"],
      [5, 'the number 5'],
      [null, 'null'],
    ]) {
      expect(() => webgpu({ powerPreference: powerPreference as never })).toThrow(
        `powerPreference must be 'high-performance' or 'low-power', got ${got}`,
      );
    }
    expect(() => webgpu({ device: {} } as never)).toThrow(
      "options has no 'device'; it takes powerPreference, requestAdapter, maxChunkLength, memory",
    );
    for (const [requestAdapter, got] of [
      [5, 'the number 5'],
      [{}, 'an object (Object)'],
      [null, 'null'],
    ]) {
      expect(() => webgpu({ requestAdapter: requestAdapter as never })).toThrow(
        `requestAdapter must be a function, got ${got}`,
      );
    }
  });
});

it('a RadixSorter says what its device and options should be', async () => {
  const create = RadixSorter.create as (...args: unknown[]) => Promise<RadixSorter>;
  for (const [device, got] of [
    [undefined, 'undefined'],
    [{}, 'an object (Object)'],
    ['cuda', "the string 'cuda'"],
  ]) {
    await expect(create(device, { keyType: 'u32', maxCount: 1 })).rejects.toThrow(
      `device must be a GPUDevice, as an adapter's requestDevice() gives, got ${got}`,
    );
  }
  const device = { features: new Set(), createComputePipeline() {} };
  for (const [options, message] of [
    [undefined, /^keyType must be one of u32, .*, got undefined$/],
    ['u32', /^options must be an object, got the string 'u32'$/],
    [{ keyType: 'u32', max: 1 }, /^options has no 'max'; it takes keyType, .*maxCount/],
    [{ keyType: 'float', maxCount: 1 }, /^keyType must be one of u32, .*, got the string 'float'$/],
    [
      { keyType: 'u32', maxCount: 1, keyBits: null },
      /^keyBits must be an object \{ begin, end \}, got null$/,
    ],
    [{ keyType: 'u32', maxCount: 1, label: 5 }, /^label must be a string, got the number 5$/],
  ] as const) {
    await expect(create(device, options)).rejects.toThrow(message);
  }
});
