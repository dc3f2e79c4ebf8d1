import { sample } from '@keysweep/conformance/data';
import type { Phase } from '@keysweep/core';
import { webgpu } from '@keysweep/webgpu';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { cdp } from 'vitest/browser';
import {
  describeLoss,
  failsByLoss,
  fewPairs,
  manyPairs,
  sortPairs,
  sortsWell,
} from './failure-checks.js';
import { type Hooks, hookedAdapters } from './hooked-adapters.js';
import { watchedAdapters } from './watched-adapters.js';

describeLoss('in a page', 1);

/** Has all devices lost a moment later. */
function crash(): void {
  cdp().send('Browser.crashGpuProcess');
}

describe('a GPU process that crashes', () => {
  const adapters = watchedAdapters(() => {}, 'own');
  const backend = webgpu({ requestAdapter: adapters.requestAdapter });

  /** Expects that nothing is wrong with the latest device but that it was lost. */
  const onlyLost = (): Promise<void> =>
    expect(adapters.latest().assertClean()).rejects.toThrow(/^device lost: .*$/);

  afterAll(() => backend.close());

  it.each(sample<Phase>(['upload', 'sort'], 1))(
    'during %s: rejection, whole arrays, a new device',
    async (at) => {
      const pairs = manyPairs();
      const sorting = sortPairs(backend, pairs, ({ phase }) => {
        if (phase === at) crash();
      });
      await failsByLoss(sorting, pairs, 'unknown');
      await onlyLost();
      await sortsWell(backend);
      await adapters.assertClean();
    },
  );

  it('between two sorts: the next has a new one', async () => {
    const opened = adapters.devices.length;
    crash();
    await adapters.latest().device.lost;
    await onlyLost();
    await sortsWell(backend);
    await adapters.assertClean();
    expect(adapters.devices.length).toBe(opened + 1);
  });
});

describe('results that are written piece by piece', () => {
  /** Four pieces of 1 KiB, keys and values each. */
  const memory = { pieceBytes: 1024, stagedFrom: 1024, uploadBuffers: 1, readbackBuffers: 1 };
  const hooks: Hooks = { onMapped: () => {}, onRead: () => {} };
  const adapters = hookedAdapters(hooks, 'own');
  const { requestAdapter } = adapters;

  afterEach(() => {
    Object.assign(hooks, { onMapped: () => {}, onRead: () => {} });
  });

  it('are taken back where the GPU process crashes: originals outlive it', async () => {
    const backend = webgpu({ requestAdapter, memory: { ...memory, keepsOriginals: true } });
    const pairs = fewPairs();
    let read = 0;
    hooks.onRead = () => {
      if (++read === 5) crash();
    };
    hooks.onMapped = async ({ device }) => {
      // All keys are there, and a piece of the values. The rest has to wait for the crash.
      if (read === 5) await device.lost;
    };
    await failsByLoss(sortPairs(backend, pairs), pairs, 'unknown');
    // The next piece may have been mapped before the crash.
    expect(read).toBeOneOf([5, 6]);
    hooks.onMapped = () => {};
    await sortsWell(backend);
    await backend.close();
  });

  it('keep originals where no other code has the device, which could destroy it', async () => {
    const create = vi.spyOn(GPUDevice.prototype, 'createBuffer');
    const uploads = (): number =>
      create.mock.calls.filter(([{ label }]) => label === 'keysweep upload').length;
    for (const [options, buffers] of [
      [{ requestAdapter }, 1],
      [{}, 8],
    ] as const) {
      create.mockClear();
      const backend = webgpu({ ...options, memory });
      await sortsWell(backend);
      expect(uploads()).toBe(buffers);
      await backend.close();
    }
    create.mockRestore();
  });
});
