/** keysweep/sync where WebAssembly is missing. */

import { describeBackend } from '@keysweep/conformance';
import { Random, runSeed } from '@keysweep/conformance/data';
import { sortSync } from 'keysweep/sync';
import { expect, it, vi } from 'vitest';
import { drawTests } from '../../../../tools/test/draw-tests.js';
import { compareColumns, compareWithAsync, SYNC_CHECKS, syncBackend } from './sync-checks.js';

drawTests(1 / 2);

it('does without WebAssembly, and asks for it once', async () => {
  vi.stubGlobal('WebAssembly', undefined);
  const keys = new Random(runSeed()).fill(new Uint32Array(1000));
  const sorted = keys.slice().sort();
  expect(sortSync(keys.slice())).toEqual(sorted);
  vi.unstubAllGlobals();
  const compiled = vi.spyOn(WebAssembly, 'Module');
  expect(sortSync(keys.slice())).toEqual(sorted);
  expect(compiled).not.toHaveBeenCalled();
  compiled.mockRestore();
  await compareWithAsync([0, 1, 63, 64, 256, 5001], new Random(runSeed()));
  await compareColumns([64, 5001], new Random(runSeed()));
});

describeBackend({
  name: 'the synchronous functions without WebAssembly',
  create: syncBackend,
  lengths: [20_001],
  checks: SYNC_CHECKS,
});
