import { nextTask } from '@keysweep/core';
import { expect, it } from 'vitest';

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
