/** A GPU that fails: 'auto' goes on to the next backend, and the GPU is tried again. */

import '../../webgpu/test/software-gpu.js';
import type { WebgpuOptions } from '@keysweep/webgpu';
import { BackendFailedError, BackendUnavailableError, type Fallback, type Sorter } from 'keysweep';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WatchedAdapters, watchedAdapters } from '../../webgpu/test/watched-adapters.js';
import type { WatchedDevice } from '../../webgpu/test/watched-device.js';
import { argsorts, gpuSorter, sortsOnGpu } from './failure-checks.js';

type RequestAdapter = NonNullable<WebgpuOptions['requestAdapter']>;

describe("'auto', when the GPU fails", () => {
  let onOpened: (watched: WatchedDevice) => void;
  let adapters: WatchedAdapters;
  let requestAdapter: RequestAdapter;
  let sorter: Sorter;

  beforeEach(async () => {
    onOpened = () => {};
    adapters = watchedAdapters((watched) => onOpened(watched));
    requestAdapter = adapters.requestAdapter;
    sorter = await gpuSorter({ requestAdapter: () => requestAdapter() });
  });

  afterEach(async () => {
    await sorter.close();
    await adapters.assertClean();
  });

  const fellBack = (error: unknown): readonly Fallback[] => [
    { backend: 'webgpu', error: error as Error },
  ];

  it('during a sort by a loss: the cpu serves', async () => {
    let isLost = false;
    const { backend, fallbacks } = await argsorts(sorter, ({ phase }) => {
      if (phase !== 'upload' || isLost) return;
      isLost = true;
      adapters.latest().device.destroy();
    });
    expect(backend).toBe('cpu');
    expect(fallbacks).toEqual(fellBack(expect.any(BackendFailedError)));
    expect(fallbacks[0]?.error.message).toContain('the GPU device was lost (destroyed');
    await sortsOnGpu(sorter);
    expect(adapters.devices.length).toBe(2);
  });

  it('between two sorts by a loss: the next call has a new device, and no fallback', async () => {
    await sortsOnGpu(sorter);
    const { device } = adapters.latest();
    device.destroy();
    await device.lost;
    await sortsOnGpu(sorter);
    expect(adapters.devices.length).toBe(2);
  });

  it('for want of memory: the cpu serves', async () => {
    // All but the first, which all sorts share.
    onOpened = ({ failBuffers, liveBuffers }) => failBuffers(() => liveBuffers().length > 0);
    const { backend, fallbacks } = await argsorts(sorter);
    expect(backend).toBe('cpu');
    expect(fallbacks).toEqual(fellBack(expect.any(BackendFailedError)));
    expect(fallbacks[0]?.error.message).toContain('the GPU has no memory for it');
  });

  it('by an adapter that vanishes: the cpu serves until it is there again', async () => {
    await sorter.capabilities();
    requestAdapter = async () => null;
    const { backend, fallbacks } = await argsorts(sorter);
    expect(backend).toBe('cpu');
    expect(fallbacks).toEqual(fellBack(expect.any(BackendUnavailableError)));
    expect(fallbacks[0]?.error.message).toContain('WebGPU finds no adapter here');
    requestAdapter = adapters.requestAdapter;
    await sortsOnGpu(sorter);
  });
});

it("'auto' does not count on an adapter that was never there; who names it learns why", async () => {
  const sorter = await gpuSorter({ requestAdapter: () => Promise.reject(new Error('no driver')) });
  const reason = 'no adapter could be requested: Error: no driver';
  await expect(sortsOnGpu(sorter)).rejects.toMatchObject({
    name: 'BackendUnavailableError',
    reason,
  });
  const { steps, refused } = sorter.plan({ operation: 'argsort', keyType: 'u32', length: 1e8 });
  expect(steps.map((step) => step.backend)).toEqual(['cpu']);
  expect(refused).toEqual([{ backend: 'webgpu', reason }]);
  await sorter.close();
});
