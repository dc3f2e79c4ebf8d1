/** One signal for many sorts. Listeners of single sorts, on every backend: see sorter.test.ts. */

import { getEventListeners } from 'node:events';
import { createSorter, type Sorter, type SortOptions } from 'keysweep';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LinkedSignal } from '../../src/run/watchdog.js';
import { random } from '../fakes.js';

/** Served by the built-in sort, by the CPU's kernels, and by threads. */
const LENGTHS = [10, 5000, 600_000];

let sorter: Sorter;
const warnings: Error[] = [];
const note = (warning: Error): void => {
  warnings.push(warning);
};

beforeEach(async () => {
  sorter = await createSorter();
  warnings.length = 0;
  process.on('warning', note);
});

afterEach(async () => {
  process.off('warning', note);
  await sorter.close();
});

/** Many sorts at once: of arrays of their own, and of one for which they wait. */
function many(options: SortOptions): Promise<unknown>[] {
  const shared = random(5000);
  return Array.from({ length: 40 }, (_, i) => {
    const length = LENGTHS[i % 10 === 0 ? 2 : i % 2] as number;
    return sorter.sort(i % 4 === 0 ? shared : random(length), options);
  });
}

it('many sorts at once put one listener on a signal, and none is left', async () => {
  const { signal } = new AbortController();
  const add = signal.addEventListener.bind(signal);
  let most = 0;
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    add(...given);
    most = Math.max(most, getEventListeners(signal, 'abort').length);
  };
  await Promise.all(many({ signal }));
  expect(most).toBe(1);
  expect(getEventListeners(signal, 'abort').length).toBe(0);
  // Warnings come in a turn of their own.
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});

it('an abort rejects every sort that is not done, and leaves no listener', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const sorting = Promise.allSettled(many({ signal }));
  await new Promise(setImmediate);
  const reason = new Error('enough');
  controller.abort(reason);
  const outcomes = await sorting;
  const rejected = outcomes.filter(({ status }) => status === 'rejected');
  expect(rejected.length).toBeGreaterThan(0);
  for (const outcome of rejected) expect((outcome as PromiseRejectedResult).reason).toBe(reason);
  expect(getEventListeners(signal, 'abort').length).toBe(0);
  await expect(sorter.sort(random(10), { signal })).rejects.toBe(reason);
  expect(getEventListeners(signal, 'abort').length).toBe(0);
});

it('a signal that is linked to one that has been aborted is aborted from the start', () => {
  const controller = new AbortController();
  const early = new LinkedSignal(controller.signal);
  const own = new LinkedSignal(undefined);
  expect([early.aborted, own.aborted]).toEqual([false, false]);
  controller.abort('enough');
  const late = new LinkedSignal(controller.signal);
  for (const { aborted, reason } of [early, late])
    expect([aborted, reason]).toEqual([true, 'enough']);
  for (const linked of [early, late]) linked.unlink();
  expect(getEventListeners(controller.signal, 'abort').length).toBe(0);
});
