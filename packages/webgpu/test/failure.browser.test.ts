import { sample } from '@keysweep/conformance/data';
import type { Phase } from '@keysweep/core';
import { webgpu } from '@keysweep/webgpu';
import { afterAll, describe, expect, it } from 'vitest';
import { cdp } from 'vitest/browser';
import { describeLoss, failsByLoss, manyPairs, sortPairs, sortsWell } from './failure-checks.js';
import { watchedAdapters } from './watched-adapters.js';

describeLoss('in a page', 1);

describe('a GPU process that crashes', () => {
  const adapters = watchedAdapters(() => {}, 'own');
  const backend = webgpu({ requestAdapter: adapters.requestAdapter });

  /** Has all devices lost a moment later. */
  function crash(): void {
    cdp().send('Browser.crashGpuProcess');
  }

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
