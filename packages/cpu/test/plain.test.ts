/** Passes of the sort in plain TypeScript. */

import { makeRequest } from '@keysweep/conformance/suite';
import { cpu } from '@keysweep/cpu';
import { expect, it } from 'vitest';
import { sortPlain } from '../src/fallback/plain.js';

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

it('an abort between two steps ends it at the next one', () => {
  for (const operation of ['sort', 'argsort'] as const) {
    const abort = new AbortController();
    const { signal } = abort;
    const steps = sortPlain(makeRequest(operation, [new Uint32Array(2 ** 17)], { signal }));
    for (let i = 0; i < 3; i++) expect(steps.next().done).toBe(false);
    abort.abort(new Error('enough'));
    expect(() => steps.next()).toThrow('enough');
  }
});
