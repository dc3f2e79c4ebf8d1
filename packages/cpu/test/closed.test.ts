/** Requests that have to wait, when the backend is closed. */

import { makeRequest } from '@keysweep/conformance/suite';
import { ClosedError } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { expect, it, onTestFinished, vi } from 'vitest';

it.each([
  ['of few values', new Uint8Array(2 ** 14).fill(1, 0, 9)],
  ['of many', new Uint32Array(2 ** 14).fill(1, 0, 9)],
])('keys %s that wait for a turn are not sorted once it is closed', async (_, keys) => {
  // Sorts have followed one another for longer than the event loop should wait.
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 5));
  onTestFinished(() => void vi.restoreAllMocks());
  const backend = cpu();
  const waiting = Array.from({ length: 9 }, () =>
    backend.sort(makeRequest('sort', [keys.slice()])),
  );
  const last = keys.slice();
  const sorting = backend.sort(makeRequest('sort', [last]));
  await Promise.all([
    expect(sorting).rejects.toThrow(ClosedError),
    backend.close(),
    ...waiting.map((each) => each.catch(() => {})),
  ]);
  expect(last).toEqual(keys);
});
