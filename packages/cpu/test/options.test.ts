/** What the CPU backend makes of its options, and of the system, before anything is sorted. */

import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { cpu } from '@keysweep/cpu';
import { expect, it, onTestFinished, vi } from 'vitest';

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
