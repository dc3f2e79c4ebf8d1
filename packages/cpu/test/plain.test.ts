/** Passes of the sort in plain TypeScript. */

import { makeRequest } from '@keysweep/conformance/suite';
import { cpu } from '@keysweep/cpu';
import { expect, it } from 'vitest';

it.each([
  [1, 1],
  [256, 2],
  [257, 3],
])('the numbers of %i segments take no needless pass', async (count, run) => {
  const backend = cpu({ kernels: 'plain', threads: 1 });
  const keys = Uint8Array.from({ length: 1000 }, (_, i) => 7 * i);
  const segments = Uint32Array.from({ length: count }, (_, i) => 3 * i);
  const { passes } = await backend.sort(makeRequest('argsort', [keys], { segments }));
  expect(passes.run).toBe(run);
  await backend.close();
});
