/** A GPU process that crashes under 'auto'. */

import { BackendFailedError } from 'keysweep';
import { expect, it } from 'vitest';
import { cdp } from 'vitest/browser';
import { watchedAdapters } from '../../../webgpu/test/watched-adapters.js';
import { argsorts, gpuSorter, sortsOnGpu } from './failure-checks.js';

it("'auto' goes on to the cpu when the GPU process crashes, and back", async () => {
  const adapters = watchedAdapters();
  const sorter = await gpuSorter({ requestAdapter: adapters.requestAdapter });
  let isCrashed = false;
  const { backend, fallbacks } = await argsorts(sorter, ({ phase }) => {
    if (phase !== 'upload' || isCrashed) return;
    isCrashed = true;
    cdp().send('Browser.crashGpuProcess');
  });
  expect(backend).toBe('cpu');
  expect(fallbacks).toEqual([{ backend: 'webgpu', error: expect.any(BackendFailedError) }]);
  expect(fallbacks[0]?.error.message).toContain('the GPU device was lost (unknown');
  // Nothing is wrong with it but that it was lost.
  await expect(adapters.assertClean()).rejects.toThrow(/^device lost: .*$/);
  await sortsOnGpu(sorter);
  expect(adapters.devices.length).toBe(2);
  await adapters.assertClean();
  await sorter.close();
});
