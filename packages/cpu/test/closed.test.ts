/** Requests that wait when the backend is closed, and when memory is given back. */

import { makeRequest } from '@keysweep/conformance/suite';
import { ClosedError, type SortRequest } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { expect, it, onTestFinished, vi } from 'vitest';
import { IdleRelease, promptCollector } from '../src/pool/idle-release.js';

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

it('memory is given back once the last of the works that need it has ended', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let released = 0;
  let held = 10;
  const release = new IdleRelease(
    9,
    () => held,
    async () => void released++,
  );
  const ends: (() => void)[] = [];
  const work = (): Promise<void> => release.during(() => new Promise((end) => void ends.push(end)));
  const [first, second] = [work(), work()];
  ends[0]?.();
  await first;
  await vi.advanceTimersByTimeAsync(100_000);
  expect(released).toBe(0);
  ends[1]?.();
  await second;
  await vi.advanceTimersByTimeAsync(29_999);
  expect(released).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(released).toBe(1);
  // As much as may be kept stays, also if a work fails.
  held = 9;
  await expect(release.during(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(vi.getTimerCount()).toBe(0);
  held = 10;
  await expect(release.during(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(vi.getTimerCount()).toBe(1);
  // The collector is asked to look for much memory only.
  expect([0, 2 ** 27 - 1, 2 ** 27].map(promptCollector)).toEqual([false, false, true]);
});

it('requests of more than an arena holds are divided; plain code has no arena', async () => {
  for (const [kernels, phase] of [
    ['wasm', 'upload'],
    ['plain', 'start'],
  ] as const) {
    const backend = cpu({ kernels, threads: 1 });
    const onProgress: SortRequest['onProgress'] = (progress) => {
      throw new Error(progress.phase);
    };
    const request = makeRequest('sort', [new Uint32Array(1)], { onProgress });
    // Nothing is taken for them before the first message.
    const shape = { ...request.shape, length: 2 ** 31 };
    await expect(backend.sort({ ...request, shape })).rejects.toThrow(phase);
    await backend.close();
  }
});
