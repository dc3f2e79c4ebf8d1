import { nextTask } from '@keysweep/core';
import { expect, it, vi } from 'vitest';

it('nextTask resolves after the microtasks that wait, and lets timers run', async () => {
  const events: string[] = [];
  setTimeout(() => events.push('timer'), 0);
  const task = nextTask().then(() => events.push('task'));
  await Promise.resolve().then(() => events.push('microtask'));
  expect(events).toEqual(['microtask']);
  await task;
  while (!events.includes('timer')) await nextTask();
  expect(events).toContain('task');
});

it('nextTask does without message channels', async () => {
  vi.stubGlobal('MessageChannel', undefined);
  const events: string[] = [];
  queueMicrotask(() => events.push('microtask'));
  await nextTask();
  vi.unstubAllGlobals();
  expect(events).toEqual(['microtask']);
});
