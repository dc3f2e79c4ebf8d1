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

it.each([
  { where: 'a page', without: ['setImmediate'] },
  { where: 'a test environment', without: ['setImmediate', 'MessageChannel'] },
])('nextTask works in $where', async ({ without }) => {
  for (const name of without) vi.stubGlobal(name, undefined);
  vi.resetModules();
  const { nextTask } = await import('../src/request/next-task.js');
  const events: string[] = [];
  queueMicrotask(() => events.push('microtask'));
  await nextTask();
  vi.unstubAllGlobals();
  expect(events).toEqual(['microtask']);
});
